"""Drifters: tracks of buoys at irregular times, made by a stated model, from a CF ragged dataset to spectra of their velocity.

The model: a buoy moves with a mean current U and turns with the inertial period P of its latitude,

    x(t) = x0 + U t + R sin(2 pi t / P + phase),    t in hours, x in kilometres,

and its position is seen at random times, with an error of 20 metres, but for an outage of two days on every second track.
"""

from __future__ import annotations

import importlib.util

import numpy as np

import arrowjag as aj

BUOYS, HOURS = 200, 24 * 20
draw = np.random.default_rng(7)

current = draw.normal(0.0, 0.6, BUOYS)
period = draw.uniform(13.0, 22.0, BUOYS)
radius, phase = draw.uniform(0.8, 1.6, BUOYS), draw.uniform(0, 2 * np.pi, BUOYS)

sizes = draw.poisson(900, BUOYS)
sizes[::40] = 0  # some never reported
t = aj.from_sizes(draw.uniform(0, HOURS, sizes.sum()), sizes).sort()
outage = aj.array(np.where(np.arange(BUOYS) % 2 == 0, HOURS / 2, np.inf))
t = t.filter((t < outage) | (t >= outage + 48))
x = current * t + radius * np.sin(2 * np.pi / period * t + phase)
x = x + aj.JaggedArray(x.shape, draw.normal(0, 0.02, x.size))
print("buoys, fixes:", t.shape)

# A CF ragged dataset is what archives of drifters hold: all fixes in a row, and the number of fixes of each buoy.
if importlib.util.find_spec("xarray"):  # an optional library
    dataset = aj.interop.xarray.to_ragged({"time": t, "x": x, "buoy": np.arange(BUOYS)}, instance="buoy_number", sample="fix")
    back = aj.interop.xarray.from_ragged(dataset)
    assert back["x"].equals(x)
    print("as CF ragged arrays:", dict(dataset.sizes))

# Outages are the long gaps. A new segment begins behind each of them; segments become a dim of their own.
is_new = (t.diff() > 12).fill_null(False)
segments = t.group_by(is_new.cast("int64").cumsum())
assert segments.lengths(1).to_list() == [0 if n == 0 else 2 if k % 2 == 0 else 1 for k, n in enumerate(sizes)]
print(f"longest gap inside of a segment: {segments.gaps().max(axis=None).as_py():.1f} hours")

# Hourly positions: resample gives the hours that a track covers, interp the position at each of them, but not within an outage,
# where no fix is near.
hours = aj.resample(t, x, 1.0, "count")["t"]
near = aj.asof(hours, t, direction="nearest", tolerance=6.0)
position = aj.interp(hours.filter(~near.is_null()), t, x, outside="null")
clock = hours.filter(~near.is_null())
true_position = current * clock + radius * np.sin(2 * np.pi / period * clock + phase)
error = abs(position - true_position).median(axis=None).as_py()
print(f"hourly positions: {position.size}, median error {1000 * error:.0f} m")
assert error < 0.05

# The spectrum of the velocity has its peak at the inertial period, which every buoy has its own.
velocity = position.diff()
frequencies = np.linspace(1 / 30, 1 / 10, 400)
power = aj.lomb_scargle(clock, velocity, frequencies)
best = power.argmax()
found = 1 / aj.JaggedArray(best.shape, np.append(frequencies, np.nan)[best.fill_null(len(frequencies)).to_numpy()])
seen = velocity.count().to_numpy() > 100
off = np.abs(found.to_numpy() / period - 1)[seen]
print(f"inertial periods: median error {100 * np.median(off):.2f} %, worst {100 * off.max():.1f} %")
assert np.median(off) < 0.01

# Daily mean positions, as a column of structs; the drift per day is the mean current.
daily = aj.resample(clock, position, 24.0)
drift = daily["value"].gaps().median() / 24
print(f"mean current: median error {np.median(np.abs(drift.fill_null(0).to_numpy() - current)[seen]):.3f} km/h")
