"""Features for a ranking model: click histories of any length become a padded batch, and go back.

Users have sessions, sessions have clicks. The model wants the last clicks of each user, weights that fall with age, and one dense
block.
"""

from __future__ import annotations

import importlib.util

import numpy as np

import arrowjag as aj

USERS, LONGEST, WIDTH = 2_000, 20, 8


def histories(seed: int = 0) -> tuple[aj.JaggedArray, aj.JaggedArray]:
    """Item ids and seconds since the click: users, sessions, clicks."""
    rng = np.random.default_rng(seed)
    sessions = rng.poisson(3, USERS)
    clicks = rng.poisson(4, sessions.sum())
    items = aj.from_sizes(rng.integers(0, 500, clicks.sum()), sessions, clicks)
    return items, aj.from_sizes(rng.exponential(3600.0, clicks.sum()), sessions, clicks)


def recent(items: aj.JaggedArray, ages: aj.JaggedArray) -> tuple[aj.JaggedArray, aj.JaggedArray]:
    """The youngest clicks of each user, across sessions."""
    items, ages = items.flatten(1), ages.flatten(1)
    order = ages.argsort().head(LONGEST)
    return items[order], ages[order]


def main() -> None:
    items, ages = histories()
    print("users, sessions, clicks:", items.shape)
    items, ages = recent(items, ages)

    weights = (-ages / 3600.0).softmax()
    sums = weights.sum().to_numpy()
    assert np.allclose(sums[items.lengths().to_numpy() > 0], 1.0)

    # embed: a table of vectors, gathered by item; the inner width is declared, so it stays dense
    table = aj.array(np.random.default_rng(1).normal(size=(500, WIDTH)))
    vectors = table[(items,)]
    assert vectors.ndim == 3
    user = (vectors * weights).sum(axis=1)
    print("one vector a user:", user.shape)

    by_hand = np.zeros((USERS, WIDTH))
    np.add.at(by_hand, items.shape[1].parents, table.to_numpy()[items.values.to_numpy()] * weights.values.to_numpy()[:, None])
    known = items.lengths().to_numpy() > 0
    assert np.allclose(user[aj.array(known)].to_numpy(), by_hand[known])

    # the batch: items padded with -1, and back to rows
    batch = items.to_dense([LONGEST], fill_value=-1)
    print("batch:", batch.shape, f"{(batch >= 0).mean():.0%} filled")
    assert aj.dense.from_dense(batch, items.shape).equals(items)

    if importlib.util.find_spec("torch") is not None:
        import torch

        tensor = torch.from_numpy(np.ascontiguousarray(batch))
        embedded = torch.nn.EmbeddingBag(501, WIDTH, padding_idx=500, mode="mean")(tensor.where(tensor >= 0, 500))
        print("torch:", tuple(embedded.shape))
    else:
        print("torch is not installed; the batch is what it would get")


if __name__ == "__main__":
    main()
