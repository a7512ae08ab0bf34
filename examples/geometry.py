"""Polygons as lists of rings, which are lists of points with x and y: areas with holes, perimeters, bounding boxes."""

# %%
import math

import numpy as np
from matplotlib import pyplot as plt

import arrowjag as aj

# %% [markdown]
# ## Polygons
#
# The first ring of a polygon is its outline, the others are holes. One polygon has no rings (an empty row), and the last one is
# unknown (a null row).


# %%
def ring(x: float, y: float, radius: float, corners: int) -> list[dict[str, float]]:
    """A regular polygon."""
    angles = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    return [{"x": x + radius * math.cos(angle), "y": y + radius * math.sin(angle)} for angle in angles]


rng = np.random.default_rng(0)
polygons = []
for _ in range(300):
    x, y, radius = rng.uniform([-50, -50, 5], [50, 50, 9]).tolist()
    holes = [ring(x + dx, y, 1.0, int(rng.integers(3, 9))) for dx in (-2.0, 2.0)[: int(rng.integers(0, 3))]]
    polygons.append([ring(x, y, radius, int(rng.integers(5, 40))), *holes])
polygons += [[], None]  # an empty row and a null row
points = aj.array(polygons)
print("polygons, rings, points:", points.shape)

# %% [markdown]
# ## Areas and perimeters
#
# The shoelace formula combines each point with the next point of its ring. To get the next points, move the first point of each
# ring to its end.

# %%
x, y = points["x"], points["y"]
next_x, next_y = (aj.concat([one[..., 1:], one[..., :1]], axis=-1) for one in (x, y))
signed = (x * next_y - next_x * y).sum() / 2
area = signed.first().fill_null(0.0) - signed[:, 1:].sum()  # the outer ring, without its holes
perimeter = np.hypot(next_x - x, next_y - y).sum()

first, empty, unknown = (area[place].as_py() for place in (0, 300, 301))
print(f"area of the first polygon: {first:.2f}; of an empty one {empty}; of an unknown one {unknown}")
print("perimeters of its rings:", [round(one, 2) for one in perimeter[0].to_list()])

# %% [markdown]
# The area of a regular polygon also follows from the number of corners and the distance of a corner from the center.

# %%
corners = x.lengths()
radius = np.hypot(x - x.mean(), y - y.mean()).mean()
exact = 0.5 * corners * radius**2 * np.sin(2 * math.pi / corners)
assert np.allclose(signed.flatten().to_numpy(), exact.flatten().to_numpy())

# %% [markdown]
# ## Bounding boxes
#
# `axis=(1, 2)` reduces all points of all rings. A mask selects the polygons whose box contains the origin; `fill_null(False)`
# excludes polygons with a null box.

# %%
box = [x.min(axis=(1, 2)), y.min(axis=(1, 2)), x.max(axis=(1, 2)), y.max(axis=(1, 2))]
around = (box[0] < 0) & (box[1] < 0) & (box[2] > 0) & (box[3] > 0)
chosen = points[around.fill_null(False)]
print(f"{len(chosen)} boxes contain the origin")
assert len(chosen) == around.sum(axis=None).as_py()
chosen

# %%
figure, axes = plt.subplots(figsize=(4, 4), layout="constrained")
for rings in chosen.to_list():
    for corners in rings:
        axes.fill([one["x"] for one in corners], [one["y"] for one in corners], fill=False)
axes.plot(0, 0, "k+")
_ = axes.set(title="polygons whose box contains the origin", xlabel="x", ylabel="y", aspect="equal")
