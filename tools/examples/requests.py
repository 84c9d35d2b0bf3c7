#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that serves requests: each request is a transaction, and their total cost is counted.

usage: requests.py [NUMBER]        e.g.  vcpc record --trace -o run python3 requests.py 1000
"""
import hashlib
import sys

import vcpc


@vcpc.transaction("request")
def serve(number):
    with vcpc.transaction("digest"):
        digest = hashlib.sha256(bytes(1000 * (1 + number % 7))).hexdigest()
    vcpc.observe("digest begins with", int(digest[:2], 16))
    return digest


def main(requests):
    try:
        with vcpc.Counters("task-clock", "page-faults") as counters:
            for number in range(requests):
                serve(number)
    except vcpc.CounterError as error:
        sys.exit(f"{error}; 'vcpc doctor' shows what is missing")
    for event, count in counters.last.items():
        print(f"{event}: {count / requests:.1f} per request")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
