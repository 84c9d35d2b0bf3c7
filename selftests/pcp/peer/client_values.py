#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the values printed by a client of PCP with the values printed by vcpc replay.

usage: client_values.py REPLAYED.csv FORMAT OUTPUT [live]

Prints each difference, then the number of rows and values.  A row without values may be missing.
With "live", the times of rows may differ.
"""
import csv
import datetime
import json
import re
import sys
import xml.etree.ElementTree

SAME_TIME = 2e-6    # clients round to microseconds, or convert to floating point


def moment(text):
    """Return the seconds since 1970 of a UTC time in ISO 8601, with up to 9 digits of a second."""
    whole, fraction = re.fullmatch(r"([^.+]*)(\.[0-9]*)?(?:\+00:00)?", text).groups()
    day = datetime.datetime.fromisoformat(whole.replace(" ", "T")).replace(tzinfo=datetime.timezone.utc)
    return day.timestamp() + float(fraction or 0)


def read_csv(text):
    names, *rows = csv.reader(text.splitlines())
    names = [re.sub(r" \([^)]*\)$", "", name) for name in names]
    for row in rows:
        yield moment(row[0]), {name: value for name, value in zip(names[1:], row[1:]) if value}


def leaves(tree, path=""):
    """Return the values of a JSON tree whose keys are the parts of metric names."""
    for key, value in tree.items():
        name = path + "." + key if path else key
        if "@instances" in value:
            for instance in value["@instances"]:
                yield "%s[%s]" % (name, instance["name"]), instance["value"]
        elif isinstance(value.get("value"), (str, int, float)):
            yield name, value["value"]
        else:
            yield from leaves(value, name)


def read_json(text):
    text = re.sub(r"^\{ \"//\".*\n", "", text, flags=re.M)
    for host in json.loads(text)["@pcp"]["@hosts"]:
        for row in host["@metrics"]:
            tree = {key: value for key, value in row.items() if key[0] != "@"}
            yield moment(row["@timestamp"]), dict(leaves(tree))


def elements(parent, path=""):
    for child in parent:
        name = path + "." + child.tag if path else child.tag
        if len(child):
            yield from elements(child, name)
        elif "instance-name" in child.attrib:
            yield "%s[%s]" % (name, child.attrib["instance-name"]), child.text
        else:
            yield name, child.text


def read_xml(text):
    for row in xml.etree.ElementTree.fromstring(text).iter("timestamp"):
        yield moment(row.attrib["value"]), dict(elements(row))


def by_time(values):
    rows = {}
    for time, name, value in values:
        rows.setdefault(time, {})[name] = value
    yield from sorted(rows.items())


def openmetrics_values(text):
    for line in text.splitlines():
        found = re.fullmatch(r"(\w+?)(?:_total)?\{(.*)\} (\S+)(?: (\S+))?", line)
        if found:
            instance = re.search(r'instname="([^"]*)"', found[2])
            yield float(found[4] or 0), found[1] + ("[%s]" % instance[1] if instance else ""), found[3]


def opentelemetry_values(text):
    for line in filter(None, text.splitlines()):
        for metric in json.loads(line)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]:
            for point in (metric.get("sum") or metric["gauge"])["dataPoints"]:
                about = {a["key"]: list(a["value"].values())[0] for a in point["attributes"]}
                name = metric["name"] + ("[%s]" % about["instname"] if "instname" in about else "")
                yield int(point["timeUnixNano"]) / 1e9, name, point.get("asInt", point.get("asDouble"))


def series_values(text):
    """Return the values printed by "pmseries -a" for a series, then by a query, for each metric."""
    metric, names = "", {}
    for line in text.splitlines():
        name = re.fullmatch(r"    Metric: (.*)", line)
        instance = re.fullmatch(r'    inst \[\d+ or "(.*)"\] series (\w+)', line)
        value = re.fullmatch(r"    \[\w+ (\w+ +\d+ [\d:]+)(\.\d+) (\d+)\] (\S+) (\w+)", line)
        if name:
            metric = name[1]
        elif instance:
            names[instance[2]] = "%s[%s]" % (metric, instance[1])
        elif value:
            time = datetime.datetime.strptime(value[1] + " " + value[3] + " +0000", "%b %d %H:%M:%S %Y %z")
            yield time.timestamp() + float(value[2]), names.get(value[5], metric), value[4]


FORMATS = {
    "csv": read_csv, "json": read_json, "xml": read_xml,
    "openmetrics": lambda text: by_time(openmetrics_values(text)),
    "series": lambda text: by_time(series_values(text)),
    "opentelemetry": lambda text: by_time(opentelemetry_values(text)),
}


def same(ours, theirs):
    try:
        a, b = float(ours), float(theirs)
    except (TypeError, ValueError):
        return ours == theirs
    return abs(a - b) <= 1e-6 * abs(a) + 1e-9


def pairs(ours, theirs):
    """Return pairs of rows with the same time, in order; a row without a counterpart is paired with an
    empty row."""
    ours, theirs = ours[::-1], theirs[::-1]
    while ours or theirs:
        later = ours[-1][0] - theirs[-1][0] if ours and theirs else -1 if ours else 1
        ahead, behind = later < -SAME_TIME, later > SAME_TIME
        time = theirs[-1][0] if behind else ours[-1][0]
        yield time, {} if behind else ours.pop()[1], {} if ahead else theirs.pop()[1]


def differences(ours, theirs):
    for time, values, others in pairs(ours, theirs):
        for name in sorted(values.keys() | others.keys()):
            if not same(values.get(name), others.get(name)):
                yield "%.6f %s: %s instead of %s" % (time, name, others.get(name), values.get(name))


def main(replayed, kind, output, live=None):
    with open(replayed, encoding="utf-8") as file:
        ours = [row for row in read_csv(file.read()) if row[1]]
    if kind == "openmetrics":
        ours = [(time, {re.sub(r"^[^[]*", lambda name: name[0].replace(".", "_"), name): value
                        for name, value in values.items()}) for time, values in ours]
    with open(output, encoding="utf-8") as file:
        theirs = [row for row in FORMATS[kind](file.read()) if row[1]]
    if live:
        ours, theirs = ([(i, row[1]) for i, row in enumerate(rows)] for rows in (ours, theirs))
    found = list(differences(ours, theirs))
    print(*found, sep="\n", end="\n" if found else "")
    print("%d rows, %d values" % (len(ours), sum(len(row[1]) for row in ours)))
    return bool(found) or not ours


sys.exit(main(*sys.argv[1:]))
