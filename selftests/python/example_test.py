# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the example in the documentation."""
import os
import subprocess
import sys
import unittest

import vcpc

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "examples", "requests.py")


class Example(unittest.TestCase):
    @unittest.skipUnless(vcpc.backend()[0], "perf_event_open(2) is not allowed here")
    def test_requests(self):
        """the example counts its requests"""
        result = subprocess.run([sys.executable, "-W", "error", EXAMPLE, "20"], text=True, capture_output=True, check=True)
        self.assertRegex(result.stdout, r"^task-clock(:u)?: [1-9][0-9.]* per request\npage-faults(:u)?: [0-9.]+ per request\n$")
