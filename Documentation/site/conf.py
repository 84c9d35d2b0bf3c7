# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx's settings for the documentation's site; scripts/docs.sh calls it."""
project = "vcpc"
copyright = "the vcpc authors"
html_theme = "furo"
html_title = "vcpc " + open("VERSION").read().strip()
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_copy_source = False
highlight_language = "none"
nitpicky = True
