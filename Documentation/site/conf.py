# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx's settings for the documentation's site; scripts/docs.sh calls it."""
project = "vcpc"
copyright = "the vcpc authors"
master_doc = "site/index"
html_theme = "alabaster"
html_theme_options = {"description": "what a transaction costs", "fixed_sidebar": True, "page_width": "1200px",
                      "body_max_width": "960px"}
html_static_path = ["_static"]     # alabaster reads custom.css
html_show_sourcelink = False
highlight_language = "none"
nitpicky = True
