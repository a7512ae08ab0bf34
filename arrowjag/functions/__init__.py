"""Free functions: of several arrays, of series in rows, overlays, JSON, and plain nested lists for readers without arrowjag."""

from arrowjag.functions._combining import (
    align,
    apply,
    coalesce,
    concat,
    fold,
    map_items,
    map_rows,
    nan_to_null,
    scan,
    stack,
    to_map,
    where,
)
from arrowjag.functions._from_json import from_json
from arrowjag.functions._json_default import json_default
from arrowjag.functions._overlay import Overlay, overlay, scatter
from arrowjag.functions._products import argcartesian, cartesian, zip
from arrowjag.functions._series import asof, interp, lomb_scargle, resample
from arrowjag.functions._storage import to_storage

__all__ = [
    "Overlay",
    "align",
    "apply",
    "argcartesian",
    "asof",
    "cartesian",
    "coalesce",
    "concat",
    "fold",
    "from_json",
    "interp",
    "json_default",
    "lomb_scargle",
    "map_items",
    "map_rows",
    "nan_to_null",
    "overlay",
    "resample",
    "scan",
    "scatter",
    "stack",
    "to_map",
    "to_storage",
    "where",
    "zip",
]
