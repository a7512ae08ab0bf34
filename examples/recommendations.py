"""Features for a ranking model: click histories of any length become a padded batch, and go back.

Users have sessions, sessions have clicks. The model wants the last clicks of each user, weights that fall with age, and one dense
block.
"""

# %%
import importlib.util

import numpy as np

import arrowjag as aj

USERS, LONGEST, WIDTH = 2_000, 20, 8

# %% [markdown]
# ## Histories
#
# Item ids, and seconds since the click, under sessions under users. Some users have no session, some sessions no click.

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
# `flatten(1)` merges sessions and clicks: all clicks of a user in one row. `argsort` gives places in each row, and an array of
# places as an index picks in each row.

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
# A table of vectors, gathered by item. Its inner width is declared, so the vectors stay dense inside, while the number of clicks
# differs from user to user.

# %%
table = aj.array(np.random.default_rng(1).normal(size=(500, WIDTH)))
vectors = table[(items,)]
assert vectors.ndim == 3
user = (vectors * weights).sum(axis=1)
print("one vector a user:", user.shape)

by_hand = np.zeros((USERS, WIDTH))
np.add.at(by_hand, items.shape[1].parents, table.to_numpy()[items.values.to_numpy()] * weights.values.to_numpy()[:, None])
known = items.lengths().to_numpy() > 0
assert np.allclose(user[aj.array(known)].to_numpy(), by_hand[known])

# %% [markdown]
# ## The batch
#
# Items padded with -1, and back to rows.

# %%
batch = items.to_dense([LONGEST], fill_value=-1)
print("batch:", batch.shape, f"{(batch >= 0).mean():.0%} filled")
assert aj.dense.from_dense(batch, items.shape).equals(items)

# %% [markdown]
# ## In torch
#
# The padded batch goes in as it is; without padding, values and offsets do, and the answer is the same.

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
    print("torch is not installed; the batch is what it would get")
