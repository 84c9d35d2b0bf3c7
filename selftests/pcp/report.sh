#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of vcpc report contains the archive's data, needs no other files, and is limited in
# size.  It shows any content of the archive only as text, including in a real browser.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 4
fi
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

report() {
	"$vcpc" report "$@" >"$dir/out" 2>"$dir/err"
}

# page FILE: parse the HTML and run the checks on standard input
page() {
	PAGE=$1 python3 -c '
import json, os, re
from html.parser import HTMLParser
class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.ids, self.data, self.text, self.inside = [], [], {}, "", [], None
    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [k for k, v in attrs]
        self.inside = dict(attrs).get("id") if tag == "script" else tag
    def handle_endtag(self, tag):
        self.inside = None
    def handle_data(self, data):
        if self.inside == "data":
            self.data += data
        else:
            self.text.append(data)
raw = open(os.environ["PAGE"], "rb").read()
p = Page()
p.feed(raw.decode("utf-8"))
d = json.loads(p.data)
exec(os.sys.stdin.read())
' >>"$dir/out" 2>>"$dir/err"
}

cc_shim -o "$dir/busy" "$here/peer/busy_run.c" && "$dir/busy" "$dir/a" 1200 3 && "$dir/busy" "$dir/h" 40 18 hostile &&
	"$dir/busy" "$dir/w" 30 60
result "the program that writes archives compiles"
report "$dir/a" -o "$dir/a.html"
result "a page"
page "$dir/a.html" <<'PY'
assert 256 < len(d["times"]) <= 512
for t in d["tags"]:
    assert sum(sum(c[1::2]) for c in t["heat"]) == 6 * 1199, sum(sum(c[1::2]) for c in t["heat"])
    assert all(abs(r - 600) < 1 for r in t["rate"][1:])
    n = len(t["p99"])
    middle = t["p50"][n * 5 // 8 - 20:n * 5 // 8 + 20]
    edge = t["p50"][1:41]
    assert 1.7 < sum(middle) / sum(edge) < 2.3
    assert t["p50"][9] <= t["mean"][9] * 2 and t["p99"][9] >= t["p50"][9]
    e = t["events"][0]
    assert e["name"] == "instructions" and 2.4 < e["mean"][9] / (t["mean"][9] * 1e9) < 2.7
assert [t["name"] for t in d["tags"]] == ["request_2", "request_1", "checkout"]
PY
result "the histograms include all transactions; percentiles and means are correct"
page "$dir/a.html" <<'PY'
assert [c["metric"] for c in d["charts"]][:2] == ["vcpc.count.instructions", "vcpc.count.page_faults"]
faults = d["charts"][1]["lines"]
assert [l["name"] for l in faults] == ["000077 server", "000078 worker"]
assert abs(faults[0]["values"][9] - 300) < .1 and abs(faults[1]["values"][9] - 600) < .1
text = "".join(p.text)
assert "7.19k" in text and "vcpc.transact.counted" in text
PY
result "rates, and the table"
page "$dir/a.html" <<'PY'
assert not {"src", "href"} & set(a for a in p.attributes if a != "href") and p.tags.count("link") == p.tags.count("img") == 0
assert b"default-src 'none'" in raw and b"url(" not in raw and b"@import" not in raw and len(raw) < 1000000
assert b"Permission is hereby granted" in raw
PY
result "the page loads nothing, and contains the licenses of its parts"
mkdir "$dir/two" && "$dir/busy" "$dir/two/1" 30 3 && "$dir/busy" "$dir/two/2" 30 3 later && report "$dir/two" -o "$dir/two.html" &&
	page "$dir/two.html" <<'PY' && ! grep -q 'The recording has' "$dir/a.html"
assert "The recording has 1 gap, for example between archives" in "".join(p.text)
PY
result "the page of several archives explains that the table excludes gaps"
report "$dir/h" -o "$dir/h.html" && page "$dir/h.html" <<'PY'
assert p.tags.count("script") == 3 and "b" in p.tags and p.tags.count("b") == 1 and "img" not in p.tags
assert not [a for a in p.attributes if a.startswith("on")]
assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", raw) and b"\xc2\x9b" not in raw
assert d["tags"][0]["name"].startswith("</script>")
assert d["moretags"] == 2 and len(d["tags"]) == 16
PY
result "names that end scripts, or control terminals, are text"
# If "vcpc why" recorded half of the transactions, the table and the charts show the parts and the
# stacks.
"$dir/busy" "$dir/s" 300 3 watched && printf '%s\n' 'request_2;futex, I/O;main;lock wait 100 90000' 'request_2;on CPU;main;work 20000 25000' \
	'checkout;on CPU;</script><b>x 5 1.5' >"$dir/s.folded" && report "$dir/s" -o "$dir/s.html" && page "$dir/s.html" <<'PY'
assert d["stacks"] == ["request_2;futex, I/O;main;lock wait 100 90000", "request_2;on CPU;main;work 20000 25000",
                       "checkout;on CPU;</script><b>x 5 1.5"] and d["morestacks"] == 0, d["stacks"]
for t in d["tags"]:
    for name, part in ("oncpu", .25), ("runqueue", .125), ("blocked", .625):
        assert all(abs(v - m * part) < 2e-7 for v, m in list(zip(t[name], t["mean"]))[2:]), (name, t[name][:9], t["mean"][:9])
text = " ".join("".join(p.text).split())
for row in re.findall(r'<tr><th scope="row">(?:request_|checkout).*?</tr>', raw.decode().split('id="costs"')[1].split("</table>")[0]):
    cells = re.findall("<td>(.*?)</td>", row)
    assert cells[4] == cells[5] != cells[3], cells
assert "oncpu each" in text and "Apache License" in text and "Mike Bostock" in text and "b" in p.tags and p.tags.count("b") == 1
assert b"Apache License" not in open(os.environ["PAGE"].replace("s.html", "a.html"), "rb").read()
PY
result "parts of the time, and stacks, if they were recorded; no percentile is above the maximum"
report "$dir/a" --folded "$dir/s.folded" -o "$dir/f.html" && page "$dir/f.html" <<'PY'
assert len(d["stacks"]) == 3
PY
result "stacks printed by 'vcpc why'"
for wrong in 'no numbers' 'a;b 1' ' 1 2' 'a;b 1 x' 'a;b -1 2' 'a;b 1 nan' 'a;b 1 inf'; do
	printf 'a;b 1 2\n%s\n' "$wrong" >"$dir/wrong"
	report "$dir/a" --folded "$dir/wrong" -o "$dir/f.html"
	[ $? = 1 ] && grep -q 'line 2 is not a stack' "$dir/err" || break
	wrong=
done
[ -z "$wrong" ]
result "a line that is not a stack is an error"
report "$dir/a" "$dir/h" --folded "$dir/s.folded" -o "$dir/f.html"
[ $? = 2 ] && grep -q 'single archive' "$dir/err"
result "stacks of one archive only"
report "$dir/w" -o "$dir/w.html" && [ "$(wc -c <"$dir/w.html")" -lt 5000000 ] &&
	page "$dir/w.html" <<'PY'
assert d["moretags"] == 44 and len(d["tags"]) == 16
PY
result "many transactions: the page is limited in size, and lists what it omits"
page "$dir/a.html" <<'PY'
text = " ".join("".join(p.text).split())
first = text.index("request_2: 70 us median, 344 us p99, 225 k instructions each, 7194 in 12 s.")
assert text.index("Duration11.99 s, 1200 records") < first < text.index("Over time")
table = raw.decode()[raw.index(b'id="costs"'):]
table = table[:table.index("</table>")]
rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[2:]]
assert [r[0] for r in rows] == ["request_2", "request_1", "checkout"], rows
assert rows[0][1:5] == ["7194", "600", "89.9 us", "69.6 us"] and rows[0][7] == "225.2 k", rows[0]
assert all("<polyline" in r[8] for r in rows) and rows[0][6] == "655 us", rows
PY
result "the answer comes first: the cost, as a sentence and as a table"
# The last interval lasts a tenth of a normal one.  It is merged with the one before, so that the
# chart does not drop at the end.
"$dir/busy" "$dir/cut" 100 2 cut && report "$dir/cut" -o "$dir/cut.html" && page "$dir/cut.html" <<'PY'
assert len(d["times"]) == 99 and abs(d["times"][-1] - .981) < 1e-6, d["times"][-2:]
for t in d["tags"]:
    assert sum(sum(c[1::2]) for c in t["heat"]) == 6 * 99
    assert t["rate"][-1] > 600
PY
result "a shortened last interval is merged with the previous one"
"$dir/busy" "$dir/b1" 1000 3 && "$dir/busy" "$dir/b2" 990 3 && "$dir/busy" "$dir/b3" 1010 3 &&
	"$dir/busy" "$dir/a2" 1180 3 && "$dir/busy" "$dir/a3" 1210 3 &&
	report "$dir/a,$dir/a2,$dir/a3" "$dir/b1,$dir/b2,$dir/b3" -o "$dir/ab.html" &&
	"$vcpc" compare "$dir/a,$dir/a2,$dir/a3" "$dir/b1,$dir/b2,$dir/b3" >"$dir/compared" && export COMPARED="$dir/compared" &&
	page "$dir/ab.html" <<'PY'
text = " ".join("".join(p.text).split())
assert text.index("B against A: ") < text.index("95 % interval") < text.index("Over time")
table = raw.decode()[raw.index(b'id="differences"'):]
table = table[:table.index("</table>")]
rows = [[re.sub("<.*?>", "", c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in table.split("<tr")[1:]]
rows = [" ".join(r).split() for r in rows]
wanted = [line.split() for line in open(os.environ["COMPARED"]).read().split("\n")[1:] if line]
assert [r for r in rows if "Verdict" not in r] == [w for w in wanted if "verdict" not in w], (rows, wanted)
assert any(r[-1] == "lower" for r in rows)
o = d["other"]
assert [c["metric"] for c in o["charts"]] == [c["metric"] for c in d["charts"]] and len(o["tags"]) == 3
PY
result "two sides: the output of compare comes first, and both are drawn"
page "$dir/ab.html" <<'PY'
table = raw.decode()[raw.index(b'id="all"'):]
article = [a for a in table.split("<article>") if a.startswith("<h3>trace.transact.count<")][0]
rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)[:3] for row in article.split("<tr>")[1:]]
assert rows[0] == ["Instance", "Run", "Values"], rows
assert [r[:2] for r in rows[1:3]] == [["checkout", "A"], ["checkout", "B"]] and len(rows) == 7, rows
assert rows[1][2] == "1198" and rows[2][2] == "998", rows
PY
result "... and in the table of all metrics"
rm "$dir/b3.index" && report "$dir/b3" "$dir/b2" -o "$dir/ab.html" && [ "$(grep -c 'b3 is incomplete' "$dir/err")" = 1 ]
result "... and each archive is read once"
"$vcpc" record -o "$dir/run" -e task-clock -- sh -c 'exit 0; echo "a\b"' 2>"$dir/err" && report "$dir/run" -o "$dir/run.html" &&
	page "$dir/run.html" <<'PY'
text = " ".join(" ".join(p.text).split())
assert """Command sh -c exit 0; echo "a\\b" Host """ in text and " Kernel Linux " + os.uname().release in text and " CPU" in text, text[:1500]
PY
result "data about a run from 'vcpc record': command, CPU, kernel"
if has_peer && { [ -n "$peer" ] || command -v pmdumplog >/dev/null; }; then
	run_pcp pmdumplog -e "$dir/run" >"$dir/out" 2>"$dir/err" && grep -F '{"command":"sh -c exit 0; echo \"a\\b\"","cpu":"' "$dir/out" >/dev/null &&
		run_pcp pmlogcheck "$dir/run" >>"$dir/out" 2>&1
	result "... as labels that PCP can read"
else
	skip "... as labels that PCP can read" "pmdumplog is not installed"
fi
report "$dir/a" -o "$dir/part.html" -S 3s -T 2s && page "$dir/part.html" <<'PY'
assert len(d["times"]) == 201 and d["start"] == 1700000003
PY
result "a part of the time"
"$dir/busy" "$dir/one" 1 2 && report "$dir/one" -o "$dir/one.html" && page "$dir/one.html" <<'PY'
assert len(d["times"]) == 1
PY
result "a single record"
"$dir/busy" "$dir/far" 3 1 far && report "$dir/far" -o "$dir/far.html" && page "$dir/far.html" <<'PY'
assert d["start"] == 2 ** 57, d["start"]
PY
[ $? = 0 ] && "$vcpc" label "$dir/far" >"$dir/out" && grep -q 'start *@144115188075855872\.000000000$' "$dir/out"
result "a start in a year that no clock can represent"
# A tag that was removed and added again is listed once, with the sums of its transactions, and
# comes first because it took more time than another tag.
if command -v pmlogextract >/dev/null; then
	cc_shim -o "$dir/run" "$here/peer/recorded_run.c" && "$dir/run" "$dir/l1" 7 gone 1000 5000 2000 &&
		"$dir/run" "$dir/l2" 7 gone 1000 5000 2000 2 && "$dir/run" "$dir/l3" 7 stays 1000 9000 2000 3 &&
		pmlogextract "$dir/l1" "$dir/l2" "$dir/l3" "$dir/lives" && report "$dir/lives" -o "$dir/lives.html" &&
		page "$dir/lives.html" <<'PY'
assert [t["name"] for t in d["tags"]] == ["gone", "stays"], [t["name"] for t in d["tags"]]
def number(tag):
    return sum(sum(c[1::2]) for c in tag["heat"])
assert number(d["tags"][0]) == 2000 and number(d["tags"][1]) == 1000, [number(t) for t in d["tags"]]
lines = [c for c in d["charts"] if c["metric"] == "trace.transact.count"][0]["lines"]
assert sorted(l["name"] for l in lines) == ["gone", "stays"], lines
PY
	result "a tag that was removed and added again is one tag, in its place"
else
	skip "a tag that was removed and added again is one tag, in its place" "pmlogextract is not installed"
fi
echo precious >"$dir/kept.html"
report "$dir/nothing" -o "$dir/kept.html"
[ $? = 1 ] && [ "$(cat "$dir/kept.html")" = precious ]
result "no archive: the file is unchanged"
report "$dir/a" -o /dev/full
[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
result "a full disk"
cp "$dir/a.meta" "$dir/d.meta" && cp "$dir/a.0" "$dir/d.0" && cp "$dir/a.index" "$dir/d.index" && truncate -s -7 "$dir/d.0"
report "$dir/d" -o "$dir/d.html"
[ $? = 1 ] && grep -q '<table>' "$dir/d.html"
result "a damaged archive: readable data, and status 1"
report && false
[ $? = 2 ] && ! report "$dir/a" "$dir/h" "$dir/w" && grep -q 'at most two archives' "$dir/err"
result "wrong usage"
if command -v chromium >/dev/null; then
	timeout 200 chromium --headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir="$dir/browser" \
		--virtual-time-budget=3000 --dump-dom "file://$dir/h.html" >"$dir/dom" 2>/dev/null
	[ "$(grep -o '<canvas' "$dir/dom" | wc -l)" -gt 5 ]
	result "a browser draws the charts"
	grep -q '<title>[^<]*h: vcpc report</title>' "$dir/dom" && ! grep -q '<img' "$dir/dom" &&
		grep -q '<option[^>]*>&lt;/script&gt;' "$dir/dom"
	result "... and runs no code in names"
else
	skip "a browser draws the charts" "chromium is not installed"
	skip "... and runs no code in names" "chromium is not installed"
fi
done_testing
