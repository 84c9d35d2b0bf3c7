#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Read metrics through Cockpit's bridge, and print them as CSV like vcpc replay.

usage: cockpit_run.py SOURCE INTERVAL-MS START-MS ROWS METRIC... -- BRIDGE...

SOURCE is a directory with archives, or "pmcd".  With ROWS 0, read until the bridge closes the
channel.
"""
import csv
import datetime
import json
import subprocess
import sys


def send(bridge, channel, message):
    frame = (channel + "\n" + json.dumps(message)).encode()
    bridge.stdin.write(b"%d\n%s" % (len(frame), frame))
    bridge.stdin.flush()


def frames(bridge):
    while True:
        length = bridge.stdout.readline()
        if not length:
            return
        channel, data = bridge.stdout.read(int(length)).split(b"\n", 1)
        yield channel, json.loads(data)


def row_values(metrics, row):
    """Return the values of a row; the bridge sends False for a metric without values."""
    for metric, value in zip(metrics, row):
        if isinstance(value, list):
            for instance, of_instance in zip(metric["instances"], value):
                yield "%s[%s]" % (metric["name"], instance), of_instance
        elif value is not False:
            yield metric["name"], value


def rows(bridge, interval, limit):
    metrics, time, count = [], 0, 0
    for channel, data in frames(bridge):
        if channel == b"m" and isinstance(data, dict):
            metrics, time = data["metrics"], data["timestamp"]
        elif channel == b"m":
            for row in data:
                yield time, dict(row_values(metrics, row))
                time += interval
                count += 1
                if count == limit:
                    return
        elif data["command"] == "close":
            if data.get("problem"):
                sys.exit("cockpit_run.py: %s" % data)
            return


def main(arguments):
    split = arguments.index("--")
    source, interval, start, limit, *metrics = arguments[:split]
    with subprocess.Popen(arguments[split + 1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        send(bridge, "", {"command": "init", "version": 1, "host": "localhost"})
        about = {"command": "open", "channel": "m", "payload": "metrics1", "source": source,
                 "interval": int(interval), "metrics": [{"name": name} for name in metrics]}
        if int(start):
            about["timestamp"] = int(start)
        send(bridge, "", about)
        found = list(rows(bridge, int(interval), int(limit)))
        bridge.stdin.close()
        bridge.terminate()
    names = sorted({name for row in found for name in row[1]})
    out = csv.writer(sys.stdout)
    out.writerow(["time"] + names)
    for time, values in found:
        day = datetime.datetime.fromtimestamp(time / 1000, datetime.timezone.utc).replace(tzinfo=None)
        out.writerow([day.isoformat()] + [values.get(name, "") for name in names])


main(sys.argv[1:])
