"""A job for ranking: it scores the documents of each query, keeps the best ones, and writes dense batches for training.

There is one row per query. A query has documents (dim 1), and each document has the terms that it shares with the query (dim 2):

    boost     one number per query              ndim 1
    length    one number per document           ndim 2
    clicked   one bool per document             ndim 2
    count     one number per term               ndim 3
    rarity    one number per term               ndim 3

The score of a document is BM25: a sum over its terms, in which the length of the document and the boost of the query are broadcast
by prefix. The job keeps the best documents of each query with four features each. The training loop reads them in batches, as dense
arrays of shape (queries, documents, features).

    python examples/ranking_job.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

import arrowjag as aj

BEST = 10
K1, B, MEAN_LENGTH = 1.2, 0.75, 300.0
FEATURES = ["score", "terms", "rarest", "length"]


def write_input(folder: Path, files: int = 4, queries: int = 2500) -> None:
    """Queries with 0 to 40 documents, each with 0 to 6 terms."""
    folder.mkdir(parents=True)
    for number in range(files):
        rng = np.random.default_rng(number)
        documents = rng.integers(0, 41, queries)
        terms = rng.integers(0, 7, documents.sum())
        length = aj.from_sizes(rng.lognormal(5.5, 0.5, documents.sum()), documents)
        count = aj.from_sizes(rng.integers(1, 9, terms.sum()), documents, terms)
        rarity = aj.from_sizes(rng.gamma(2.0, 2.0, terms.sum()), documents, terms)
        boost = aj.array(rng.uniform(0.5, 2.0, queries))
        # Users click documents with rare terms.
        liked = (count * rarity).sum() + aj.from_sizes(rng.normal(0, 4, documents.sum()), documents)
        frame = {
            "query": np.arange(queries) + number * queries,
            "boost": boost.to_arrow(),
            "document": aj.from_sizes(rng.integers(0, 10**9, documents.sum()), documents),
            "length": length,
            "clicked": liked > liked.mean() + 8,
            "count": count,
            "rarity": rarity,
        }
        aj.write_parquet(frame, folder / f"part{number}.parquet", row_group_size=500)


def rank(frame: pl.DataFrame) -> pl.DataFrame:
    """The function of the job: select the best documents of each query, with their features and clicks."""
    count, rarity, length = (pl.col(name).jag for name in ("count", "rarity", "length"))
    weight = count * (K1 + 1) / (count + K1 * (1 - B + B * length / MEAN_LENGTH))
    scored = frame.with_columns(
        score=(weight * rarity * pl.col("boost")).jag.sum(),
        terms=count.lengths(),
        rarest=rarity.max().jag.fill_null(0.0),
    )
    best = scored.with_columns(best=pl.col("score").jag.argsort(descending=True).jag.head(BEST))
    names = ["document", "clicked", *FEATURES]
    return best.select("query", *(pl.col(name).jag.take(pl.col("best")).alias(name) for name in names))


def dense_batches(folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield features (queries, BEST, 4), clicks and a mask (queries, BEST) for each batch of the results."""
    for file in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(1000):
            columns = [aj.from_arrow(batch[name]).cast("float64") for name in FEATURES]
            features = np.stack([column.to_dense([BEST]) for column in columns], axis=-1)
            clicked = aj.from_arrow(batch["clicked"]).cast("float64")
            yield features, clicked.to_dense([BEST]), (clicked * 0 + 1).to_dense([BEST])


def train(folder: Path, epochs: int = 20) -> list[float]:
    """Fit a logistic model of clicks by gradient descent, and return the loss after each epoch."""
    weights, bias, losses = np.zeros(len(FEATURES)), 0.0, []
    scale = np.array([20.0, 3.0, 5.0, MEAN_LENGTH])
    for _ in range(epochs):
        total = documents = 0.0
        for features, clicked, mask in dense_batches(folder):
            scaled = features / scale
            chance = 1 / (1 + np.exp(-(scaled @ weights + bias)))
            total -= (mask * np.log(np.where(clicked == 1, chance, 1 - chance) + 1e-12)).sum()
            documents += mask.sum()
            error = (chance - clicked) * mask / mask.sum()
            weights -= np.einsum("qd,qdf->f", error, scaled)
            bias -= error.sum()
        losses.append(total / documents)
    return losses


def check(source: Path, sink: Path) -> None:
    """Compare some queries with plain Python."""
    raw = aj.read_parquet(source / "part0.parquet", to="polars").head(50)
    ranked = aj.read_parquet(sink, to="polars").filter(pl.col("query") < 50)
    columns = {name: raw[name].jag.to_list() for name in ("document", "length", "count", "rarity")}
    for row in range(50):
        scores = []
        for length, counts, rarities in zip(*(columns[name][row] for name in ("length", "count", "rarity")), strict=True):
            norm = K1 * (1 - B + B * length / MEAN_LENGTH)
            pairs = zip(counts, rarities, strict=True)
            scores.append(sum(n * (K1 + 1) / (n + norm) * rare for n, rare in pairs) * raw["boost"][row])
        order = sorted(range(len(scores)), key=lambda place: -scores[place])[:BEST]
        assert ranked["document"].jag.to_list()[row] == [columns["document"][row][place] for place in order]
        assert np.allclose(ranked["score"].jag.to_list()[row], [scores[place] for place in order])


def main(folder: Path) -> None:
    source, sink = folder / "in", folder / "out"
    if not source.exists():
        write_input(source)
    print(aj.etl.run(rank, source, sink, mode="resume", workers=2))
    check(source, sink)
    losses = train(sink)
    print(f"loss {losses[0]:.3f} after the first epoch, {losses[-1]:.3f} after {len(losses)}")
    assert losses[-1] < losses[0]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
