# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of archives as numpy arrays and pandas DataFrames, if these packages are installed."""

# PCP's numeric types: numpy's name, and pandas' if values are missing
_TYPES = {
    "32": ("int32", "Int32"), "U32": ("uint32", "UInt32"), "64": ("int64", "Int64"), "U64": ("uint64", "UInt64"),
    "FLOAT": ("float32", "float32"), "DOUBLE": ("float64", "float64"),
}


def _types(metrics):
    return {metric.name: _TYPES.get(metric.type, ("object", "object")) for metric in metrics}


def arrays(metrics, values):
    """Convert tuples (time, metric, instance, value) to {(metric, instance): (times, values)}."""
    import numpy

    types = _types(metrics)
    columns = {}
    for time, metric, instance, value in values:
        times, column = columns.setdefault((metric, instance), ([], []))
        times.append(time)
        column.append(value)
    return {
        key: (numpy.array(times, dtype="int64").view("datetime64[ns]"), numpy.array(column, dtype=types[key[0]][0]))
        for key, (times, column) in columns.items()
    }


def frame(metrics, rows):
    """Return a DataFrame of Rows."""
    import pandas

    types = _types(metrics)
    times, columns = [], {}
    for n, row in enumerate(rows):
        times.append(row.time)
        for key, value in row.values.items():
            columns.setdefault(key, {})[n] = value
    index = pandas.DatetimeIndex(pandas.array(times, dtype="int64"), tz="UTC", name="time")
    table = {}
    for key, column in columns.items():
        whole, missing = types[key[0]]
        values = [column.get(n) for n in range(len(times))]
        table[key] = pandas.Series(values, index=index, dtype=whole if len(column) == len(times) else missing)
    result = pandas.DataFrame(table, index=index)
    result.columns = pandas.MultiIndex.from_tuples(table, names=["metric", "instance"])
    return result
