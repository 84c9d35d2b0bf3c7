# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the unittest files *_test.py of a directory, and print TAP.

usage: tap.py FOLDER
"""
import sys
import unittest


class Results(unittest.TestResult):
    """Print a line for each test, with the first line of its documentation."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def _say(self, word, test, more=""):
        self.n += 1
        print(f"{word} {self.n} - {test.shortDescription() or test.id()}{more}", flush=True)

    def addSuccess(self, test):
        self._say("ok", test)

    def addSkip(self, test, reason):
        self._say("ok", test, f" # SKIP {reason}")

    def _failed(self, test, error):
        self._say("not ok", test)
        for line in self._exc_info_to_string(error, test).splitlines():
            print(f"# {line}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)


results = Results()
tests = unittest.defaultTestLoader.discover(sys.argv[1], "*_test.py")
tests.run(results)
print(f"1..{results.n}")
sys.exit(not results.wasSuccessful() or not results.n)
