"""Settings of the site: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # pictures.py

import arrowjag

project = "arrowjag"
author = "The arrowjag authors"
project_copyright = "The arrowjag authors"
version = release = arrowjag.__version__

extensions = ["myst_parser", "numpydoc", "pictures", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["build", "_templates"]
templates_path = ["_templates"]
default_role = "literal"  # single backticks in docstrings
suppress_warnings = ["config.cache"]

autosummary_generate = True
autosummary_imported_members = False
autodoc_typehints = "none"  # numpydoc's sections say them in words
autodoc_default_options = {"exclude-members": "__new__, __init__"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"arrowjag {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "quickstart": [], "examples": [], "performance": [], "glossary": []}
html_theme_options = {
    "header_links_before_dropdown": 6,  # the reference is in sight, what few look for is under "More"
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
}
