"""Light curves: brightness of many stars at irregular times, with a different number of observations per star, for some stars none.

The script removes outliers and the mean, and finds the period among candidates, without a loop over stars.
"""

# %%
import numpy as np
from matplotlib import pyplot as plt

import arrowjag as aj

STARS = 500

# %% [markdown]
# ## Observations
#
# Times are in days; magnitudes have noise and outliers. The script draws the true periods at random, so it can check its results.

# %%
rng = np.random.default_rng(0)
sizes = rng.poisson(60, STARS)
sizes[::50] = 0
total = sizes.sum()
periods = rng.choice([0.7, 1.3, 2.9], STARS)
times = aj.from_sizes(rng.uniform(0, 100, total), sizes)
flux = 15 + np.sin(2 * np.pi * times / aj.array(periods)) + aj.from_sizes(rng.normal(0, 0.1, total), sizes)
flux += aj.from_sizes(np.where(rng.random(total) < 0.01, 20.0, 0.0), sizes)
print("stars and observations:", times.shape)
flux

# %% [markdown]
# ## Outliers
#
# An outlier is far from the median of its star, in units of the star's median deviation. The median is one number per star, and is
# broadcast to all observations of the star.

# %%
away = abs(flux - flux.median())
keep = away <= 6 * away.median()
times, flux = times.filter(keep), flux.filter(keep)
print(f"{(~keep).sum(axis=None).as_py()} outliers dropped")
assert flux.max(axis=None).as_py() < 20
flux = flux - flux.mean()

# %% [markdown]
# ## Periods
#
# The power at each candidate period consists of two sums per star. `stack` puts the candidates into a new dim, and `argmax`
# selects the best one.

# %%
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

# %% [markdown]
# ## Fold
#
# Folding sorts the observations of each star by their time within the period. Observations scattered over a hundred days then
# form one wave.

# %%
phase = times % aj.array(found)
folded, phases = flux.sort(by=phase), phase.sort()
star = int(np.argmax(flux.count().to_numpy()))
assert folded[star].to_list() == [f for _, f in sorted(zip(phase[star].to_list(), flux[star].to_list(), strict=True))]

figure, (left, right_axes) = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
left.plot(times[star].to_list(), flux[star].to_list(), ".")
left.set(title=f"star {star} as observed", xlabel="time (days)", ylabel="magnitude minus mean")
right_axes.plot(phases[star].to_list(), folded[star].to_list(), ".")
_ = right_axes.set(title=f"folded at {found[star]} days", xlabel="time within the period (days)")

# %%
print("a star that was never seen has a null mean:", times.mean()[0].as_py())
