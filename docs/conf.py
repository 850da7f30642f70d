"""How the site is built: `make docs`. Nothing is fetched, neither while it is built nor while it is read."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from peerage._version import __version__  # noqa: E402

project, author, project_copyright = "Peerage", "The Peerage contributors", "MIT licence"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    # ours, in _ext
    "docstrings",
    "generated",
    "mathml",
    "repository",
    "strict_pages",
]
exclude_patterns = ["_ext"]
nitpicky = False  # types of NumPy and Polars have no pages here
default_role = "code"  # docstrings write `name` as Markdown does
highlight_language = "default"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

autodoc_typehints = "none"  # numpydoc's tables say the types in words
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "Peerage"
html_math_renderer = "mathml"
html_favicon = "../src/peerage_web/shared/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["peerage.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None  # the same sources, the same bytes
html_theme_options = {
    "logo": {"text": "Peerage"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 5,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}
