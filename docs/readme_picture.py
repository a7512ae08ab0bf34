"""Draw the picture of README.md again: `python docs/readme_picture.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

import arrowjag as aj

PICTURE = Path(__file__).with_name("_static") / "readme.svg"


def main() -> None:
    mpl.use("agg")
    price = aj.array([[3.0, 5.0], [], None, [10.0]])
    rate = aj.array([0.5, 1.0, 1.0, 0.1])
    figure = aj.plot.steps(("price", price), ("×  rate", rate), ("=  price * rate", price * rate), width=2.4)
    with mpl.rc_context({"svg.hashsalt": "readme"}):
        figure.savefig(PICTURE, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
