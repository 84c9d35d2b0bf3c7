#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Parse pages of Documentation/ and print their errors.  The exit status is 1 if there are any."""
import io
import sys

import docutils.core

WARNING = 2
NEVER = 5


def complaints(path):
    stream = io.StringIO()
    with open(path, encoding="utf-8") as page:
        docutils.core.publish_doctree(page.read(), source_path=path, settings_overrides={
            "report_level": WARNING, "halt_level": NEVER, "warning_stream": stream})
    return stream.getvalue()


bad = "".join(map(complaints, sys.argv[1:]))
sys.stderr.write(bad)
sys.exit(bool(bad))
