"""Variable stars: light curves made by a stated model; outliers, nightly means, periods, folding, and checks against the model.

The model: the magnitude of a star is

    m(t) = m0 + A sin(2 pi f t + phase) + noise of 0.02,    t in days,

seen a few times in clear nights of two seasons; one observation in two hundred is an outlier of a magnitude.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa

import arrowjag as aj

STARS = 60
draw = np.random.default_rng(11)

mean, amplitude = draw.uniform(12, 18, STARS), draw.uniform(0.1, 0.5, STARS)
frequency, phase = draw.uniform(0.15, 1.4, STARS), draw.uniform(0, 2 * np.pi, STARS)

nights = np.concatenate([np.arange(0, 120), np.arange(365, 485)])
sizes = draw.poisson(250, STARS)
sizes[5] = 0
days = draw.choice(nights, sizes.sum()) + draw.uniform(0, 0.4, sizes.sum())
t = aj.from_sizes(days, sizes).sort()
m = mean + amplitude * np.sin(2 * np.pi * (frequency * t) + phase)
m = m + aj.JaggedArray(m.shape, draw.normal(0, 0.02, m.size) + (draw.random(m.size) < 0.005))
print("stars, observations:", m.shape)

# Outliers are farther from the median of their star than five times the median of such distances.
away = abs(m - m.median())
keep = away < 5 * away.median()
t, m = t.filter(keep), m.filter(keep)
print(f"{np.count_nonzero(~keep.values.to_numpy(zero_copy_only=False))} outliers are left out")

# Times as moments: nightly means are buckets of a day. Nights without an observation are null, and drop_nulls leaves them out.
begin = np.datetime64("2024-01-01", "us")
moments = aj.JaggedArray(t.shape, pa.array(begin + (t.values.to_numpy() * 86_400e6).astype("m8[us]")))
nightly = aj.resample(moments, m, "1d")["value"]
print(f"nights: {nightly.count().sum(axis=None).as_py()} with observations of {nightly.size}")
season = moments.gaps().max()
assert all(gap is None or gap > dt.timedelta(days=200) for gap in season.to_list())

# The periodogram of each star; its highest local maxima are the period and its daily aliases.
frequencies = np.arange(0.1, 1.5, 0.001)
power = aj.lomb_scargle(t, m, frequencies)
grid = aj.JaggedArray(power.shape, np.tile(frequencies, STARS))
peaks = power.local_maxima()
candidates = grid.filter(peaks).topk(3, by=power.filter(peaks))
best = grid.max_by(power)
assert best.fill_null(0).equals(candidates.first().fill_null(0))
found = best.fill_null(np.nan).to_numpy()
right = np.abs(found - frequency) < 0.002
print(f"periods found: {right.sum()} of {np.count_nonzero(sizes)}; candidates of the first star: {candidates.to_list()[0]}")
assert right[sizes > 0].mean() > 0.95

# Folding: the phase of each observation sorts the items, and ten buckets of it give the mean light curve.
turn = (t * best) % 1.0
folded = aj.resample(turn, m, 0.1)
curve = aj.interp(aj.array([[0.05, 0.35, 0.65, 0.95]] * STARS), turn.sort(), m.sort(by=turn))
print("buckets of the mean curve:", folded.lengths().max(axis=None).as_py(), "- interpolated at", curve.shape)
half = (folded["value"].max() - folded["value"].min()) / 2
off = (half - amplitude).fill_null(0).to_numpy()[right]
print(f"amplitudes: median error {np.median(np.abs(off)):.3f} magnitudes")
assert np.median(np.abs(off)) < 0.05
