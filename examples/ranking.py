"""Search results: BM25 scores of documents, the best ten per query, and the quality of the order, without a loop over queries."""

# %%
import math

import numpy as np

import arrowjag as aj

QUERIES, BEST = 1_000, 10

# %% [markdown]
# ## Queries, documents, terms
#
# There is one row per query. A query has documents (dim 1), and each document has the terms that it shares with the query (dim 2).
# Columns of queries have ndim 1, columns of documents ndim 2, columns of terms ndim 3.

# %%
rng = np.random.default_rng(0)
documents = rng.integers(0, 41, QUERIES)
terms = rng.integers(0, 7, documents.sum())
boost = aj.array(rng.uniform(0.5, 2.0, QUERIES))
length = aj.from_sizes(rng.lognormal(5.5, 0.5, documents.sum()), documents)
count = aj.from_sizes(rng.integers(1, 9, terms.sum()), documents, terms)
rarity = aj.from_sizes(rng.gamma(2.0, 2.0, terms.sum()), documents, terms)
print("queries, documents, terms:", count.shape)
count

# %%
axes = count.plot.sizes(axis=1)
_ = axes.set_xlabel("documents, by query")

# %% [markdown]
# ## Scores
#
# A score is a sum over the terms of a document. Its formula uses numbers of all three levels. Shapes broadcast by prefix, so the
# length of a document is repeated for each of its terms, and the boost of a query for each of its documents. Documents without a
# shared term score 0.

# %%
K1, B = 1.2, 0.75
norm = K1 * (1 - B + B * length / length.mean(axis=None))
score = (rarity * count * (K1 + 1) / (count + norm)).sum() * boost
print("one score per document:", score.shape)
score

# %% [markdown]
# ## The best ten
#
# `argsort` returns indices within each query; `take` puts other columns into the same order.

# %%
best = score.argsort(descending=True).head(BEST)
top = score.take(best)
print("best of the first query:", [round(one, 1) for one in top[0].to_list()])
assert (top.first() == score.max()).all(axis=None).as_py()

# %% [markdown]
# ## Quality of the order
#
# Graded judgements hold the true relevance of each document. The discounted gain of a list gives documents at lower ranks a lower
# weight. NDCG is this gain divided by the gain of the best possible order, and lies between 0 and 1. Queries without a relevant
# document have no NDCG and are excluded.

# %%
noise = aj.from_sizes(rng.normal(0, 15, documents.sum()), documents)
grade = np.floor((score + noise) / 25).clip(0, 3).cast("int64")


def discounted(grades: aj.JaggedArray) -> aj.JaggedArray:
    """Discounted gain of each list in the given order."""
    return ((2.0**grades - 1) / np.log2(grades.cumcount() + 1)).sum()


gain, ideal = discounted(grade.take(best)), discounted(grade.sort(descending=True).head(BEST))
relevant = ideal > 0
ndcg = gain[relevant] / ideal[relevant]
chance = discounted(grade.head(BEST))[relevant] / ideal[relevant]
print(f"NDCG@{BEST} of {len(ndcg)} queries: {ndcg.mean(axis=None).as_py():.3f}, in no order {chance.mean(axis=None).as_py():.3f}")
assert ndcg.max(axis=None).as_py() <= 1 + 1e-12

# %% [markdown]
# ## Check
#
# Nested loops in plain Python compute the same scores for some of the queries.

# %%
mean_length = float(np.mean(length.values.to_numpy()))
for query in range(50):
    by_hand = []
    for size, counts, rarities in zip(length[query].to_list(), count[query].to_list(), rarity[query].to_list(), strict=True):
        lengthened = K1 * (1 - B + B * size / mean_length)
        pairs = zip(counts, rarities, strict=True)
        by_hand.append(boost[query].as_py() * sum(rare * n * (K1 + 1) / (n + lengthened) for n, rare in pairs))
    assert np.allclose(score[query].to_list(), by_hand)
    order = sorted(range(len(by_hand)), key=lambda place: -by_hand[place])[:BEST]
    assert best[query].to_list() == order
    grades = grade[query].to_list()
    expected = sum((2 ** grades[place] - 1) / math.log2(rank + 2) for rank, place in enumerate(order))
    assert math.isclose(gain[query].as_py(), expected, abs_tol=1e-9)
print("50 queries equal plain Python")
