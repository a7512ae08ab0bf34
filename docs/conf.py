"""Settings of the site: `make docs`."""

from __future__ import annotations

import arrowjag

project = "arrowjag"
author = "The arrowjag authors"
version = release = arrowjag.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["build"]
nitpicky = False
numpydoc_show_class_members = False

# Pages are executed, and a failing cell fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"arrowjag {version}"
html_theme_options = {"show_toc_level": 2}
