# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the metrics, rows and time windows of archives with the output of 'vcpc dump'."""
import datetime
import gc
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import vcpc

HERE = os.path.dirname(os.path.abspath(__file__))
START = 10 ** 18
SECOND = 10 ** 9
try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None


def setUpModule():
    global folder, made
    folder = tempfile.TemporaryDirectory()
    made = {name: os.path.join(folder.name, name) for name in ("vectors", "notes", "random", "marked")}
    maker = os.path.join(folder.name, "make_archive")
    subprocess.run(["gcc", "-o", maker, f"-I{HERE}/../../user/include", f"{HERE}/../pcp/peer/make_archive.c"], check=True)
    for name, path in made.items():
        subprocess.run([maker, path, "3", name] + ["7"] * (name in ("random", "marked")), check=True)


def tearDownModule():
    folder.cleanup()


def dump(path):
    """Return [(time of day, {(metric, instance): text})] from the output of 'vcpc dump --records'."""
    text = subprocess.run([os.path.join(os.environ["VCPC_BUILD"], "bin", "vcpc"), "dump", "--records", "-Z", "UTC", path],
                          text=True, capture_output=True, check=True).stdout
    rows = []
    for line in text.splitlines():
        if re.match(r"\d\d:", line):
            rows.append((line.strip(), {}))
            continue
        parts = re.fullmatch(r"  ([\w.]+)(?:\[([^]]*)\])?: (.*)", line)
        if parts:
            rows[-1][1][parts[1], parts[2]] = parts[3]
    return rows


def time_of_day(ns):
    return "{:%H:%M:%S}.{:09}".format(datetime.datetime.fromtimestamp(ns // SECOND, datetime.timezone.utc), ns % SECOND)


def same(value, text):
    if isinstance(value, str):
        return text == f'"{value}"'
    if isinstance(value, float):
        return abs(float(text) - value) <= abs(value) * 1e-6
    return str(value) == text


class Reading(unittest.TestCase):
    def compare(self, name):
        with vcpc.Archive(made[name]) as archive:
            rows = list(archive.rows(archive.metrics()))
        expected = [(time, values) for time, values in dump(made[name]) if values]
        self.assertGreater(len(rows), 4)
        self.assertEqual([time_of_day(row.time) for row in rows], [time for time, _ in expected])
        for row, (time, values) in zip(rows, expected):
            found = dict(row.values) | {(metric, None): str(error).split(": ")[1] for metric, error in row.errors.items()}
            self.assertEqual(set(found), set(values), time)
            for key, text in values.items():
                self.assertTrue(found[key] == text or same(found[key], text), (time, key, found[key], text))

    def test_vectors(self):
        """values of each type, and errors in place of values, match 'vcpc dump'"""
        self.compare("vectors")

    def test_random(self):
        """every record of random archives matches 'vcpc dump'"""
        self.compare("random")
        self.compare("marked")

    def test_metrics(self):
        """names, types, semantics, units, texts, instances"""
        with vcpc.Archive(made["notes"]) as archive:
            self.assertEqual((archive.host, archive.timezone, archive.start), ("testhost", "UTC", START))
            self.assertEqual(archive.end, START + 50 * SECOND)
            self.assertIn("v.cu64", archive.names())
            self.assertEqual(archive.names("w"), ["w.errors", "w.late", "w.never"])
            one = archive.metric("v.cu64")
            self.assertEqual((one.type, one.semantics, one.units, one.indom, one.instances()), ("U64", "counter", "Kbyte", None, {}))
            self.assertEqual(archive.metric("v.set").instances(), {0: "i0", 1: "i1"})
            self.assertEqual(archive.metric("v.c32").text, "only one line")
            self.assertIsNone(archive.metric("v.c64").text)
        with vcpc.Archive(made["vectors"]) as archive:
            self.assertEqual({(metric.text, metric.help) for metric in archive.metrics()}, {(None, None)})

    def test_interpolated(self):
        """values at each interval lie between the records' values"""
        with vcpc.Archive(made["vectors"]) as archive:
            rows = list(archive.rows("v.cu32", interval=2.5))
            self.assertEqual([row.time for row in rows], [START + i * 5 * SECOND // 2 for i in range(21)])
            self.assertEqual(rows[2].values["v.cu32", None], 7)
            for interval in ("2500msec", "2500ms", "2 sec 500 ms", datetime.timedelta(seconds=2.5)):
                self.assertEqual(list(archive.rows("v.cu32", interval=interval)), rows)

    def test_window(self):
        """a start and an end, in each form"""
        at = datetime.datetime.fromtimestamp(START // SECOND + 10, datetime.timezone.utc)
        with vcpc.Archive(made["vectors"]) as archive:
            all_rows = list(archive.rows("v.cu32"))
            self.assertEqual(len(all_rows), 6)
            for start in ("10s", "10000ms", "@Sun Sep  9 01:46:50 2001", START + 10 * SECOND, at):
                self.assertEqual(list(archive.rows("v.cu32", start=start)), all_rows[1:], start)
            for end in ("20s", START + 20 * SECOND, at + datetime.timedelta(seconds=10)):
                self.assertEqual(list(archive.rows("v.cu32", end=end)), all_rows[:3], end)
            self.assertEqual(list(archive.rows("v.cu32", start="10s", end=START + 20 * SECOND)), all_rows[1:3])
            self.assertEqual(list(archive.rows("v.cu32", start=START + 100 * SECOND)), [])

    def test_values(self):
        """tuples of several metrics and of groups"""
        with vcpc.Archive(made["vectors"]) as archive:
            values = list(archive.values(["v.set", archive.metric("v.inst")]))
            self.assertEqual(values[:3], [(START, "v.set", "i0", 0), (START, "v.set", "i1", 1), (START, "v.inst", None, 100)])
            self.assertEqual({value[1] for value in archive.values("w")}, {"w.errors", "w.late"})

    def test_derived(self):
        """a derived metric of a nonexistent metric does not exist"""
        program = "import vcpc; a = vcpc.Archive(%r); print(a.names('here'), list(a.values('here.twice'))[1][3])" % made["vectors"]
        definitions = os.path.join(folder.name, "definitions")
        with open(definitions, "w") as file:
            file.write("here.twice = 2 * v.cu32\nhere.none = 2 * no.such\n")
        result = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PCP_DERIVED_CONFIG": definitions}, text=True,
                                capture_output=True, check=True)
        self.assertEqual(result.stdout, "['here.twice'] 26\n")

    def test_several(self):
        """a directory of archives is one archive"""
        with vcpc.Archive(folder.name + "/vectors," + folder.name + "/vectors") as archive:
            self.assertEqual(len(list(archive.rows("v.cu32"))), 6)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_numpy(self):
        """arrays have the metric's own type"""
        with vcpc.Archive(made["vectors"]) as archive:
            columns = archive.to_numpy(["v.cu64", "v.cflt", "v.set"])
        times, values = columns["v.cu64", None]
        self.assertEqual((str(times.dtype), str(values.dtype), values[1]), ("datetime64[ns]", "uint64", 8589934597))
        self.assertEqual(str(columns["v.cflt", None][1].dtype), "float32")
        self.assertLess(len(columns["v.set", "i1"][0]), len(columns["v.set", "i0"][0]))

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_pandas(self):
        """a DataFrame has a row for each time, and NA where there is no value"""
        with vcpc.Archive(made["vectors"]) as archive:
            frame = archive.to_pandas(["v.cu64", "v.set"])
        self.assertEqual(len(frame), 6)
        self.assertEqual(frame["v.cu64"][None].iloc[1] if None in frame["v.cu64"] else frame.iloc[1, 0], 8589934597)
        self.assertTrue(frame.isna().to_numpy().any())


class Wrong(unittest.TestCase):
    def test_archives(self):
        """files that are not archives"""
        for path in ("/nonexistent", folder.name + "/make_archive", ""):
            with self.assertRaisesRegex(vcpc.ArchiveError, f"'{path}' not found" if path else "name is empty"):
                vcpc.Archive(path)
        with self.assertRaises(ValueError):
            vcpc.Archive("a\0b")
        with self.assertRaises(TypeError):
            vcpc.Archive(None)

    def test_questions(self):
        """metrics that an archive does not have, and invalid times"""
        with vcpc.Archive(made["vectors"]) as archive:
            for call in (lambda: archive.metric("no.such"), lambda: archive.rows("no.such"), lambda: archive.names("no.such"),
                         lambda: archive.metric("v")):
                with self.assertRaises(vcpc.ArchiveError):
                    call()
            for wrong in ({"interval": 0}, {"interval": "often"}, {"interval": -1}, {"start": "yesterday?"},
                          {"start": datetime.datetime(2001, 9, 9)}):
                with self.assertRaisesRegex(ValueError, "interval|time"):
                    archive.rows("v.cu32", **wrong)
            with self.assertRaises(TypeError):
                archive.rows("v.cu32", start=1.5)
            with self.assertRaises(ValueError):
                archive.rows([])

    def test_closed(self):
        """a closed archive cannot be read, even by rows that were begun before"""
        archive = vcpc.Archive(made["vectors"])
        metric = archive.metric("v.c32")
        rows = archive.rows("v.cu32")
        next(rows)
        archive.close()
        archive.close()
        for call in (archive.names, lambda: next(rows), lambda: metric.text, lambda: archive.end, lambda: archive.rows(metric)):
            with self.assertRaises(ValueError):
                call()

    def test_damaged(self):
        """a volume with arbitrary bytes returns rows or an error"""
        with open(made["vectors"] + ".0", "rb") as file:
            good = file.read()
        path = os.path.join(folder.name, "damaged")
        for suffix in (".meta", ".index"):
            os.link(made["vectors"] + suffix, path + suffix)
        seen = set()
        for at in range(132, len(good), 211):
            with open(path + ".0", "wb") as file:
                file.write(good[:at] + bytes([good[at] ^ 0xff]) + good[at + 1:])
            try:
                with vcpc.Archive(path) as archive:
                    list(archive.rows(archive.metrics()))
                seen.add("rows")
            except vcpc.ArchiveError:
                seen.add("error")
        self.assertEqual(seen, {"rows", "error"})

    def test_descriptors(self):
        """nothing stays open, whether closed, collected or refused"""
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            with vcpc.Archive(made["vectors"]) as archive:
                next(archive.rows("v.cu32"))
            next(vcpc.Archive(made["vectors"]).rows("v.cu32"))
            with self.assertRaises(vcpc.ArchiveError):
                vcpc.Archive("/nonexistent")
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_threads(self):
        """threads that share an archive, and one that closes it"""
        archive = vcpc.Archive(made["random"])
        names = archive.names()
        expected = list(archive.values(names))
        seen, failed = [], []

        def read():
            try:
                seen.append(list(archive.values(names)) == expected)
            except ValueError:
                seen.append(True)
            except Exception as error:
                failed.append(error)
        for closing in (False, True):
            threads = [threading.Thread(target=read) for _ in range(3)]
            for thread in threads:
                thread.start()
            if closing:
                archive.close()
            for thread in threads:
                thread.join()
        self.assertEqual((seen, failed), ([True] * 6, []))

    def test_fork(self):
        """after fork(), child and parent continue to read independently"""
        archive = vcpc.Archive(made["vectors"])
        rows = archive.rows("v.cu32")
        first = next(rows)
        child = os.fork()
        if child == 0:
            try:
                ok = len(list(rows)) == 5 and len(list(archive.rows("v.cu32"))) == 6
                archive.close()
                os._exit(not ok)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual([first, *rows], list(archive.rows("v.cu32")))
        archive.close()
