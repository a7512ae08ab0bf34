"""Light curves: brightness of many stars at irregular times, each star seen another number of times, some never.

Clean outliers, remove the trend, find the period among candidates, all without a loop over stars.
"""

from __future__ import annotations

import numpy as np

import arrowjag as aj

STARS = 500


def observed(seed: int = 0) -> tuple[aj.JaggedArray, aj.JaggedArray, np.ndarray]:
    """Times in days, magnitudes with noise and outliers, and the true periods."""
    rng = np.random.default_rng(seed)
    sizes = rng.poisson(60, STARS)
    sizes[::50] = 0
    times = rng.uniform(0, 100, sizes.sum())
    periods = rng.choice([0.7, 1.3, 2.9], STARS)
    owner = np.repeat(np.arange(STARS), sizes)
    flux = 15 + np.sin(2 * np.pi * times / periods[owner]) + rng.normal(0, 0.1, sizes.sum())
    flux[rng.random(sizes.sum()) < 0.01] += 20
    return aj.from_sizes(times, sizes), aj.from_sizes(flux, sizes), periods


def main() -> None:
    times, flux, periods = observed()
    print("stars and observations:", times.shape)

    # outliers: far from the star's own median, in units of its own spread
    away = abs(flux - flux.median())
    keep = away <= 6 * away.median()
    times, flux = times.filter(keep), flux.filter(keep)
    print(f"{(~keep).sum(axis=None).as_py()} outliers dropped")
    assert flux.max(axis=None).as_py() < 20

    flux = flux - flux.mean()

    # the power at each candidate period: two sums a star
    candidates = np.array([0.7, 1.3, 2.9])
    power = []
    for period in candidates:
        phase = times * (2 * np.pi / period)
        power.append((flux * np.sin(phase)).sum() ** 2 + (flux * np.cos(phase)).sum() ** 2)
    best = aj.stack(power, axis=-1).argmax()
    found = candidates[best.fill_null(0).to_numpy()]
    seen = flux.count().to_numpy() > 20
    right = (found == periods)[seen].mean()
    print(f"period right for {right:.1%} of {seen.sum()} stars")
    assert right > 0.99

    # fold one star on its period, and sort by phase
    star = int(np.argmax(flux.count().to_numpy()))
    phase = times % aj.array(found)
    folded = flux.sort(by=phase)
    assert folded[star].to_list() == [f for _, f in sorted(zip(phase[star].to_list(), flux[star].to_list(), strict=True))]
    print("a star that was never seen has a null mean:", times.mean()[0].as_py())


if __name__ == "__main__":
    main()
