"""Features for a ranking model: convert click histories of any length to a padded batch, and back.

Users have sessions, and sessions have clicks. The model takes the last clicks of each user, weights that fall with age, and one
dense batch.
"""

# %%
import importlib.util

import numpy as np

import arrowjag as aj

USERS, LONGEST, WIDTH = 2_000, 20, 8

# %% [markdown]
# ## Histories
#
# The histories hold item ids and the seconds since each click, nested by user and session. Some users have no session, some
# sessions no click.

# %%
rng = np.random.default_rng(0)
sessions = rng.poisson(3, USERS)
clicks = rng.poisson(4, sessions.sum())
items = aj.from_sizes(rng.integers(0, 500, clicks.sum()), sessions, clicks)
ages = aj.from_sizes(rng.exponential(3600.0, clicks.sum()), sessions, clicks)
print("users, sessions, clicks:", items.shape)
items

# %% [markdown]
# ## The youngest clicks of each user
#
# `flatten(1)` merges sessions and clicks, so that one row holds all clicks of a user. `argsort` returns indices within each row,
# and an index array selects items within each row.

# %%
items, ages = items.flatten(1), ages.flatten(1)
order = ages.argsort().head(LONGEST)
items, ages = items[order], ages[order]
axes = items.plot.sizes()
_ = axes.set_xlabel("clicks kept, by user")

# %%
weights = (-ages / 3600.0).softmax()
sums = weights.sum().to_numpy()
assert np.allclose(sums[items.lengths().to_numpy() > 0], 1.0)

# %% [markdown]
# ## Embed
#
# Gather one vector per click from a table of embeddings. The table declares its width, so the vectors stay fixed-width, while the
# number of clicks differs between users.

# %%
table = aj.array(np.random.default_rng(1).normal(size=(500, WIDTH)))
vectors = table[(items,)]
assert vectors.ndim == 3
user = (vectors * weights).sum(axis=1)
print("one vector per user:", user.shape)

by_hand = np.zeros((USERS, WIDTH))
np.add.at(by_hand, items.shape[1].parents, table.to_numpy()[items.values.to_numpy()] * weights.values.to_numpy()[:, None])
known = items.lengths().to_numpy() > 0
assert np.allclose(user[aj.array(known)].to_numpy(), by_hand[known])

# %% [markdown]
# ## The batch
#
# `to_dense` pads the rows with -1; `from_dense` converts the batch back to rows.

# %%
batch = items.to_dense([LONGEST], fill_value=-1)
print("batch:", batch.shape, f"{(batch >= 0).mean():.0%} filled")
assert aj.dense.from_dense(batch, items.shape).equals(items)

# %% [markdown]
# ## In torch
#
# torch accepts the padded batch, or values and offsets without padding; both give the same result.

# %%
if importlib.util.find_spec("torch") is not None:
    import torch

    from arrowjag.interop.torch import to_torch

    bag = torch.nn.EmbeddingBag(501, WIDTH, padding_idx=500, mode="mean")
    tensor = torch.from_numpy(np.ascontiguousarray(batch))
    padded = bag(tensor.where(tensor >= 0, 500))
    values, (offsets,) = to_torch(items, layout="offsets")
    jagged = torch.nn.functional.embedding_bag(values, bag.weight, offsets, mode="mean", include_last_offset=True)
    assert torch.allclose(padded, jagged, atol=1e-6)
    print("torch:", tuple(padded.shape), "from the padded batch and from values and offsets")
else:
    print("torch is not installed; torch would receive this batch")
