"""A year of flights, nested by plane and day: which planes catch up in the air, and after which delay they stop doing so."""

# %%
import pandas as pd
import polars as pl

import arrowjag as aj
from arrowjag.demo import load

DELAYS = ["dep_delay", "arr_delay"]

# %% [markdown]
# ## Nest
#
# The raw table has one row a flight. Two implosions make one row a plane, with a list of days, each with a list of flights.
# Planes have different numbers of days, and days different numbers of flights: nothing is padded.

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
# The plan is lazy, so it would stream from a file as well. `axis=(1, 2)` takes the mean over the flights of all days of a
# plane at once; a mask of the same shape picks the flights that left late.

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
# ## The same in pandas
#
# A jagged column of a data frame has the same methods under `.jag`, and arithmetic between columns works as it is.

# %%
df = pd.DataFrame({name: aj.array(fleet[name]).to_pandas(pd.Index(fleet["tailnum"], name="tailnum")) for name in DELAYS})
again = (df["dep_delay"] - df["arr_delay"]).jag.mean(axis=(1, 2))
assert all(again[one["tailnum"]] == one["gained"] for one in found.iter_rows(named=True))

# %% [markdown]
# ## Check
#
# Flattened, the nested frame is the raw table again, and a flat group-by gives the same means.

# %%
flat = fleet.jag.flatten(*DELAYS)
assert flat.height == 334_264
check = flat.group_by("tailnum").agg(gained=(pl.col("dep_delay") - pl.col("arr_delay")).mean())
joined = found.join(check, on="tailnum")
assert joined.filter((pl.col("gained") - pl.col("gained_right")).abs() > 1e-9).is_empty()
print(f"{found.height} planes, each figure equal in pandas, polars and a flat group-by")
