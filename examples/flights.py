"""A year of flights, nested by plane and day: which planes make up for lost time in the air, on average and after a late start?"""

# %%
import pandas as pd
import polars as pl

import arrowjag as aj
from arrowjag.demo import load

DELAYS = ["dep_delay", "arr_delay"]

# %% [markdown]
# ## Nest
#
# The raw table has one row per flight. Calling `implode` twice creates one row per plane, with a list of days, each with a list of
# flights. Planes have different numbers of days, and days different numbers of flights, without padding.

# %%
flights, _ = load()
flights = flights.select("tailnum", "month", "day", *DELAYS).drop_nulls("tailnum")
fleet = flights.jag.implode(["tailnum", "month", "day"], DELAYS).jag.implode("tailnum", DELAYS)
print("flights under days under planes:", fleet["dep_delay"].jag.shape)
aj.array(fleet["dep_delay"])

# %%
axes = aj.array(fleet["dep_delay"]).plot.sizes(axis=1)
_ = axes.set_xlabel("days in the air, by plane")

# %% [markdown]
# ## Minutes gained, in polars
#
# The plan is lazy, so it could also stream from a file. `axis=(1, 2)` takes the mean over all flights of a plane; a mask of the
# same shape selects the flights that left late.

# %%
gained = pl.col("dep_delay").jag - pl.col("arr_delay").jag
late = pl.col("dep_delay").jag > 30
found = (
    fleet.lazy()
    .select(
        "tailnum",
        days=pl.col("dep_delay").jag.lengths(axis=1),
        gained=gained.jag.mean(axis=(1, 2)),
        gained_when_late=gained.jag[late].jag.mean(axis=(1, 2)),
        worst_day=pl.col("arr_delay").jag.max().jag.max(),
    )
    .filter(pl.col("days") > 100)
    .sort("gained_when_late", descending=True, nulls_last=True)
    .collect()
)
print(found.head(5))

# %% [markdown]
# Each point is a plane. Planes above the line gain more time after a late start than on average. The labels name the three planes
# that gain most after a late start.

# %%
axes = found.to_pandas().plot.scatter("gained", "gained_when_late", s=9, alpha=0.4, figsize=(6, 5))
axes.axline((0, 0), slope=1, color="gray", linewidth=1)
for (plane, _, x, y, _), (right, up) in zip(found.head(3).iter_rows(), [(-44, 4), (-14, 14), (4, 4)], strict=True):
    axes.annotate(plane, (x, y), xytext=(right, up), textcoords="offset points", fontsize="small")
axes.set_xlabel("minutes gained, all flights")
axes.set_ylabel("minutes gained, flights that left over 30 minutes late")
_ = axes.set_title("Which planes make up for lost time?", loc="left")

# %% [markdown]
# ## The same in pandas
#
# A jagged column of a data frame has the same methods under `.jag`, and supports arithmetic between columns directly.

# %%
df = pd.DataFrame({name: aj.array(fleet[name]).to_pandas(pd.Index(fleet["tailnum"], name="tailnum")) for name in DELAYS})
again = (df["dep_delay"] - df["arr_delay"]).jag.mean(axis=(1, 2))
assert all(again[one["tailnum"]] == one["gained"] for one in found.iter_rows(named=True))

# %% [markdown]
# ## Check
#
# Flattening the nested frame restores the raw table, and a flat group-by returns the same means.

# %%
flat = fleet.jag.flatten(*DELAYS)
assert flat.height == 334_264
check = flat.group_by("tailnum").agg(gained=(pl.col("dep_delay") - pl.col("arr_delay")).mean())
joined = found.join(check, on="tailnum")
assert joined.filter((pl.col("gained") - pl.col("gained_right")).abs() > 1e-9).is_empty()
print(f"{found.height} planes, each figure equal in pandas, polars and a flat group-by")
