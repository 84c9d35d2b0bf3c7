# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx's settings for the documentation's site; scripts/docs.sh calls it."""
project = "vcpc"
copyright = "the vcpc authors"
master_doc = "site/index"
html_theme = "alabaster"
html_theme_options = {"description": "what a transaction costs", "fixed_sidebar": True}
html_show_sourcelink = False
highlight_language = "none"
nitpicky = True
