"""expand_to."""

from __future__ import annotations

from hypothesis import given

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((1, 3), leaf)))
def test_expand_to_agrees_with_the_oracle(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, target = pair
    expected = ref.expand_to(ref.Jag(x.to_list(), x.ndim), ref.Jag(target.to_list(), target.ndim))
    assert_lists_equal(x.expand_to(target).to_list(), expected, rel_tol=0, abs_tol=0)
