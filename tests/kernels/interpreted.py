"""Loops that Python runs in place of machine code: a stand-in for `find_loop`, which needs no numba and compiles nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import Nulls, Variant, wide_type
from arrowjag._kernels.compiled.loops import loop_named


class Loops:
    """Finds every loop that there is for a type but those that are missing, and remembers which were looked for."""

    def __init__(self, *missing: str) -> None:
        self.missing = set(missing)
        self.sought = dict[str, int]()
        """By variant, the number of values that it was last looked for with."""
        self.often = dict[str, bool]()
        """By variant, whether it was last looked for as one that few values take too."""

    def __call__(
        self, name: str, dtype: np.dtype[Any], nulls: Nulls, n_values: int, often: bool = False
    ) -> Callable[..., int] | None:
        assert isinstance(nulls, bool) or nulls == "bits"
        variant = Variant(name, f"{dtype.kind}{dtype.itemsize}", nulls)
        self.sought[str(variant)], self.often[str(variant)] = n_values, often
        loop = loop_named(name)
        if str(variant) in self.missing or variant.type not in loop.types:
            return None
        function = loop.make(dtype.kind, nulls)

        def run(*arguments: Any) -> int:
            check_arguments(variant, arguments)
            with np.errstate(all="ignore"):
                return function(*arguments)

        return run


def check_arguments(variant: Variant, arguments: tuple[Any, ...]) -> None:
    """Loops read arrays by their address, whatever these hold; those that move words take items of any type of their width."""
    loop = loop_named(variant.name)
    moves_words = all(type[0] == "u" for type in loop.types)
    named = {"item": variant.type, "wide": wide_type(variant.type), "b1": "u1"}
    for kind, argument in zip(loop.arguments, arguments, strict=True):
        code = kind.removesuffix("*")
        code = named.get(code, code)
        if not kind.endswith("*"):
            assert isinstance(argument, float if code[0] == "f" else int | np.integer), (kind, argument)
        elif argument is not None:
            assert argument.flags.c_contiguous
            is_word = argument.dtype.kind == "b" or (moves_words and kind == "item*")
            found = f"{'u' if is_word else argument.dtype.kind}{argument.itemsize}"
            assert found == code.replace("b", "u"), (kind, argument.dtype)
