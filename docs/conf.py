"""Settings of the site: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # pictures.py

import numpydoc.xref
import see_also

import arrowjag

numpydoc.xref.DEFAULT_LINKS.clear()  # names of numpy and Python, whose pages the build does not fetch

project = "arrowjag"
author = "The arrowjag authors"
project_copyright = "The arrowjag authors"
version = release = arrowjag.__version__

extensions = [
    "myst_nb",
    "notebooks",
    "numpydoc",
    "pictures",
    "see_also",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["build", "_templates"]
templates_path = ["_templates"]
default_role = "literal"  # single backticks in docstrings
suppress_warnings = ["config.cache"]

autosummary_generate = True
autosummary_context = {"accessors": see_also.accessors()}
autosummary_imported_members = False
autodoc_typehints = "none"  # the numpydoc sections describe them
autodoc_default_options = {"exclude-members": "__new__, __init__"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = {"JaggedArray": "arrowjag.JaggedArray", "JaggedShape": "arrowjag.JaggedShape", "Dim": "arrowjag.dims.Dim"}
numpydoc_xref_aliases |= {name: f"arrowjag.{name}" for name in arrowjag.__all__ if name.endswith(("Error", "Warning"))}
numpydoc_xref_ignore = "all"  # link the aliases only

myst_enable_extensions = ["colon_fence", "deflist"]
nb_execution_mode = "off"  # tests/test_notebooks.py runs the notebooks; the site shows the stored results
myst_heading_anchors = 3
myst_html_meta = {
    "description": "arrowjag computes with jagged columns (lists of any length in each row) of pandas, polars, Arrow and Parquet: "
    "broadcasting, reductions, indexing, sorting and transposition.",
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
viewcode_line_numbers = True

html_theme = "pydata_sphinx_theme"
html_title = f"arrowjag {version}"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["breaks.js"]
html_show_sourcelink = False
_ALONE = ("index", "first-steps", "changes", "quickstart", "examples", "performance", "policy", "glossary")
html_sidebars = {page: [] for page in _ALONE}
html_theme_options = {
    "logo": {"text": "arrowjag", "alt_text": "arrowjag"},
    "header_links_before_dropdown": 6,  # what fits at 960 pixels, the reference included; other pages are under "More"
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
}
