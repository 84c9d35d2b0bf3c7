# SPDX-License-Identifier: GPL-2.0-or-later
"""Use a page of vcpc report like its readers: with mouse, keys, and screen reader, in a narrow window,
dark, and on paper.

usage: report_used.py CHROMIUM FOLDER PAGE HOSTILE-PAGE COMPARISON WATCHED; the pages are of
busy_run's archives of 1,200 records, of hostile names, of two runs of 1,200 and of 1,000 records,
and of a run with stacks
"""
import sys

from browser import Browser

PLOT = ("(i => { const e = document.querySelectorAll('.u-over')[i].getBoundingClientRect(); "
        "return [e.left, e.top, e.width, e.height]; })(%d)")
# The entries of a chart's legend; the first is "time"
LEGEND = ("(i => [...document.querySelectorAll('.u-legend')[i].querySelectorAll('.u-value')].map(e => e.textContent))(%d)")
RANGE = 12      # duration of the archive in seconds

failed = count = 0


def result(what, good, *evidence):
    global failed, count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        failed = 1
        for e in evidence:
            print("#", repr(e)[:600])


def seconds(stamp):
    h, m, s = stamp.split(":")
    return int(h) * 3600 + int(m) * 60 + float(s)


def show(b, chart):
    b.run("document.querySelectorAll('.u-over')[%d].scrollIntoView({ block: 'center' })" % chart)
    b.settle()
    return b.run(PLOT % chart)


def shown_range(b, chart):
    """Return the times at a chart's ends, in seconds, as shown by the legend under the mouse."""
    left, top, width, height = show(b, chart)
    ends = []
    for part in (0.001, 0.999):
        b.hover(left + width * part, top + height / 2)
        ends.append(seconds(b.run(LEGEND % chart)[0]))
    return ends


def about(value, wanted, off):
    return abs(value - wanted) <= off


def with_mouse(b):
    rate, last = 0, b.run("document.querySelectorAll('.u-over').length") - 1
    all_of_it = shown_range(b, rate)
    result("a chart shows the whole time", about(all_of_it[1] - all_of_it[0], RANGE, 0.2), all_of_it)
    left, top, width, height = show(b, rate)
    b.hover(left + width / 2, top + height / 2)
    middle = b.run(LEGEND % rate)
    result("the legend shows time and values under the mouse", about(seconds(middle[0]) - all_of_it[0], RANGE / 2, 0.2) and
           about(float(middle[1]), 600, 5), middle)
    b.drag(left + width * 0.25, left + width * 0.5, top + height / 2)
    part = shown_range(b, rate)
    result("dragging zooms into the dragged range", about(part[0] - all_of_it[0], RANGE / 4, 0.2) and
           about(part[1] - all_of_it[0], RANGE / 2, 0.2), part)
    other = shown_range(b, last)
    result("all charts over time follow", about(other[0], part[0], 0.2) and about(other[1], part[1], 0.2), other)
    left, top, width, height = show(b, rate)
    b.click(left + width / 2, top + height / 2, times=2)
    result("a double click resets the zoom", about(shown_range(b, rate)[1], all_of_it[1], 0.1))
    return all_of_it


def with_keys(b, all_of_it):
    b.run("document.querySelectorAll('.plot')[0].focus()")
    b.key("0")
    b.hover(1, 1)
    b.key("ArrowRight", 5)
    said = b.run("document.getElementById('live').textContent")
    b.key("ArrowRight")
    result("arrow keys select values one after the other",
           said != b.run("document.getElementById('live').textContent") and "per second" in said and ":" in said, said)
    b.key("+", 2)
    quarter = shown_range(b, 0)
    b.run("document.querySelectorAll('.plot')[0].focus()")
    result("plus zooms in", about(quarter[1] - quarter[0], RANGE / 4, 0.3), quarter)
    b.key("-")
    half = shown_range(b, 0)
    result("minus zooms out", about(half[1] - half[0], RANGE / 2, 0.3), half)
    b.run("document.querySelectorAll('.plot')[0].focus()")
    b.key("0")
    result("0 resets the zoom", about(shown_range(b, 0)[1], all_of_it[1], 0.1))
    # The Tab key moves to each chart and out of it again.
    b.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = []
    for _ in range(60):
        b.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        b.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", windowsVirtualKeyCode=9)
        seen.append(b.run("document.activeElement.className || document.activeElement.tagName"))
    charts = b.run("document.querySelectorAll('.plot').length")
    result("Tab moves to each chart, to the selection of a tag and to the tables", seen.count("plot") >= charts and
           "SELECT" in seen and seen.count("SUMMARY") >= charts, charts, seen)


def heat_map(b):
    index = b.run("[...document.querySelectorAll('.plot')].findIndex(e => /heat map/.test(e.getAttribute('aria-label')))")
    left, top, width, height = show(b, index)
    said = set()
    for y in range(1, int(height), 3):
        b.hover(left + width / 2, top + y)
        said.add(b.run(LEGEND % index)[1])
    result("the heat map shows numbers and durations", any(" from " in s for s in said) and len(said) > 1, said)


def other_tag(b):
    before = b.run("document.querySelector('#tag-charts figcaption').textContent")
    b.run("(e => { e.value = 1; e.dispatchEvent(new Event('change')); })(document.getElementById('tag'))")
    b.settle()
    after = b.run("document.querySelector('#tag-charts figcaption').textContent")
    result("charts of another tag", before != after and
           b.run("document.querySelectorAll('.plot').length == document.querySelectorAll('.u-over').length"), before, after)


def tables(b):
    result("values are available as a table", b.run("""(d => { d.open = true; d.scrollIntoView(); return new Promise(done => setTimeout(() =>
        done(d.querySelectorAll('tbody tr').length), 100)); })(document.querySelectorAll('figure details')[0])""") > 10)


def read_aloud(b):
    nodes = b.call("Accessibility.getFullAXTree")["nodes"]
    value = lambda node, key: str(node.get(key, {}).get("value", ""))
    charts = [value(n, "name") for n in nodes if value(n, "role") == "application"]
    result("a screen reader can describe each chart", len(charts) == b.run("document.querySelectorAll('.plot').length") and
           all(" plus and minus zoom" in c and len(c) > 60 for c in charts), charts)
    nameless = [value(n, "role") for n in nodes if value(n, "role") in ("button", "combobox", "link", "table", "region") and
                not value(n, "name") and value(n, "role") != "table"]
    headings = [value(n, "name") for n in nodes if value(n, "role") == "heading"]
    result("controls have names, and there are headings", not nameless and len(headings) >= 2, nameless, headings)


# The darkest and the lightest pixel of the drawing
INK = """(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let least = 255, most = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 250) { const v = (d[i] + d[i + 1] + d[i + 2]) / 3;
    least = Math.min(least, v); most = Math.max(most, v); } return [least, most]; })(document.querySelector('#charts canvas'))"""


def surfaces(b, folder):
    light = b.run("getComputedStyle(document.body).backgroundColor")
    b.media(prefers_color_scheme="dark")
    dark = b.run("getComputedStyle(document.body).backgroundColor")
    ink = b.run(INK)
    luminance = lambda c: sum(int(v) for v in c[c.index("(") + 1:-1].split(",")[:3]) / 3
    result("dark mode: light lines on a dark background", luminance(dark) < 60 < 200 < luminance(light) and ink[1] > 180, light, dark, ink)
    b.media(prefers_color_scheme="light")
    ink = b.run(INK)
    result("light mode again", b.run("getComputedStyle(document.body).backgroundColor") == light and ink[0] < 80, ink)
    b.size(375, 700)
    wide = b.run("[document.documentElement.scrollWidth, Math.max(...[...document.querySelectorAll('.u-over')]"
                 ".map(e => e.getBoundingClientRect().right))]")
    result("375 wide: nothing is cut off", wide[0] <= 375 and wide[1] <= 375, wide)
    b.picture(folder + "/narrow.png")
    b.size(1200, 900)
    pdf = b.call("Page.printToPDF", printBackground=True)["data"]
    result("paper", len(pdf) > 30000 and not b.run("document.documentElement.classList.contains('paper')"), len(pdf))


def first_screen(b, width, height):
    """Return the distances from the top to the sentence and to the table of costs."""
    b.size(width, height)
    return b.run("""['.answer', '#costs,#differences'].map(s => { const e = document.querySelector(s).getBoundingClientRect();
        return [Math.round(e.top + scrollY), Math.round(e.bottom + scrollY)]; })""")


BROKEN = """[...document.querySelectorAll('#costs tr > :first-child, #differences tr > :first-child')].filter(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return e.textContent.length <= 12 && range.getClientRects().length > 1; }).map(e => e.textContent)"""


def answers(b, folder, name):
    for width, height in ((1280, 800), (375, 700)):
        for scheme in ("light", "dark"):
            b.media(prefers_color_scheme=scheme)
            b.run("window.scrollTo(0, 0)")
            sentence, table = first_screen(b, width, height)
            wide = b.run("document.documentElement.scrollWidth")
            result(f"{name}, {width} wide, {scheme}: the first screen has the answer, and nothing is cut off",
                   sentence[1] < height and table[0] < height - 40 and wide <= width, sentence, table, wide)
            b.picture(f"{folder}/{name}-{width}-{scheme}.png")
        broken = b.run(BROKEN)
        result(f"{name}, {width} wide: no short name is split over two lines", not broken, broken)
    b.media(prefers_color_scheme="light")
    b.size(1200, 900)


LAST = "[...document.querySelectorAll('.u-legend')].map(l => [...l.querySelectorAll('.u-value')].map(e => e.textContent))"
# From here on, record the texts that the page draws.
KEEP = """window.kept = []; (real => { CanvasRenderingContext2D.prototype.fillText = function (s) {
    window.kept.push([this.canvas, s]); return real.apply(this, arguments); }; })(CanvasRenderingContext2D.prototype.fillText); 0"""
# Labels of the duration axis of the percentiles, which is logarithmic
TICKS = """[...document.querySelectorAll('figure')].filter(f => /percentiles/.test(f.textContent)).map(f =>
    window.kept.filter(s => s[0] === f.querySelector('canvas') && / (ns|us|ms|s)$/.test(s[1])).map(s => s[1]))[0]"""


def both_runs(b):
    b.hover(1, 1)
    legends = b.run(LAST)
    labels = b.run("[...document.querySelectorAll('.u-legend')].map(l => [...l.querySelectorAll('.u-label')].map(e => e.textContent))")
    pairs = [l for l in labels if any(n.startswith("A") for n in l)]
    result("each chart over time has both runs", len(pairs) >= 4 and all(any(n.startswith("B") for n in l) for l in pairs), labels)
    rates = legends[0]
    result("the legend has the last value of each line, also of the shorter run", rates[0] == "last" and
           all(about(float(v), 600, 5) for v in rates[1:3]), legends[:2])
    left, top, width, height = show(b, 0)
    said = []
    for i in range(1, 40):
        b.hover(left + width * i / 50, top + height / 2)
        said.append(b.run(LEGEND % 0))
    result("the value of each point of both lines can be read", all(about(float(v), 600, 5) for row in said for v in row[1:3]), said)


def identical(b):
    labels = b.run("[...document.querySelectorAll('.u-legend .u-label')].map(e => e.textContent)")
    result("a line that coincides with another is marked", any(" (same as " in l for l in labels), labels)
    b.run(KEEP)
    b.size(1100, 900)
    b.settle()
    ticks = b.run(TICKS)
    result("a logarithmic axis has few labels", 2 <= len(set(ticks)) <= 7, ticks)


# The frames of the flame graph: name, width, and color
FRAMES = """[...document.querySelectorAll('.flame g.frame')].map(g => [g.querySelector('title').textContent.split(': ')[0],
    g.querySelector('rect').getBoundingClientRect().width, g.querySelector('rect').getAttribute('fill')])"""


def flame(b, folder):
    frames = {name: (width, color) for name, width, color in b.run(FRAMES)}
    parts = [frames[n][0] / frames["request_2"][0] for n in ("futex", "on CPU", "read, I/O")]
    result("widths in the flame graph are times of slow transactions", about(parts[0], 400 / 533, 0.01) and
           about(parts[1], 43 / 533, 0.01) and about(parts[2], 90 / 533, 0.01), parts)
    red, blue = ([int(v) for v in frames[n][1][4:-1].split(",")] for n in ("futex", "hash"))
    result("red means more than typical, blue less", red[0] > red[2] + 80 and blue[2] > blue[0] + 20, red, blue)
    b.run("[...document.querySelectorAll('.flame g.frame')].find(g => /^read, I/.test(g.textContent)).dispatchEvent("
          "new MouseEvent('click', { bubbles: true }))")
    b.settle()
    wide = {name: width for name, width, color in b.run(FRAMES)}
    result("a click enlarges a function", wide["load"] > 0.98 * frames["request_2"][0], wide)
    result("the stacks are in a table", b.run("""[...document.querySelectorAll('.flame ~ details')][0]
        .querySelector('tbody').textContent""").startswith("futex: futex_wait, __x64_sys_futex, pthread_mutex_lock"))
    stacked = b.run("[...document.querySelectorAll('figure')].filter(f => /where the time goes/.test(f.textContent))"
                    ".map(f => [...f.querySelectorAll('.u-legend .u-label')].map(e => e.textContent))")
    result("the parts of the time are stacked", stacked == [["Time", "blocked", "waiting for a CPU", "on CPU"]], stacked)
    index = b.run("[...document.querySelectorAll('.u-over')].findIndex(e => /where the time goes/.test(e.closest('figure').textContent))")
    left, top, width, height = show(b, index)
    b.hover(left + width / 4, top + height / 2)
    said = [float(v.split()[0]) for v in b.run(LEGEND % index)[1:]]
    result("the legend has each part, not the sum", about(said[0] / said[2], 2.5, 0.1) and about(said[2] / said[1], 2, 0.1), said)
    for size in (1280, 375):
        for scheme in ("light", "dark"):
            b.media(prefers_color_scheme=scheme)
            b.size(size, 800)
            b.settle()
            b.run("document.querySelector('.flame').scrollIntoView({ block: 'center' })")
            ends = b.run("[document.documentElement.scrollWidth, Math.max(...[...document.querySelectorAll('.flame svg, .u-over')]"
                         ".map(e => e.getBoundingClientRect().right))]")
            result(f"flame graph, {size} wide, {scheme}: nothing is cut off", ends[0] <= size and ends[1] <= size, ends)
            b.picture(f"{folder}/flame-{size}-{scheme}.png")
    b.media(prefers_color_scheme="light")
    b.size(1200, 900)
    b.run("(e => { e.value = 2; e.dispatchEvent(new Event('change')); })(document.getElementById('tag'))")
    b.settle()
    result("a name in a stack is displayed as text", b.run("document.querySelectorAll('.flame').length == 1 && window.hit === undefined && "
           "!document.querySelector('img')") and not b.complaints(), b.complaints())


def main():
    chromium, folder, page, hostile, comparison, watched = sys.argv[1:7]
    with Browser(chromium, folder + "/browser") as b:
        b.size(1200, 900)
        b.open(page)
        result("the page is drawn", b.run("document.querySelectorAll('canvas').length") > 4)
        all_of_it = with_mouse(b)
        with_keys(b, all_of_it)
        heat_map(b)
        other_tag(b)
        tables(b)
        read_aloud(b)
        surfaces(b, folder)
        result("no errors are logged, and nothing is requested from the network", not b.complaints(), b.complaints())
        identical(b)
        answers(b, folder, "run")
        b.open(comparison)
        both_runs(b)
        answers(b, folder, "comparison")
        result("no errors are logged for two runs", not b.complaints(), b.complaints())
        b.open(watched)
        flame(b, folder)
        b.open(hostile)
        result("hostile names: charts are drawn, and no code in a name runs", b.run("document.querySelectorAll('canvas').length") > 4 and
               b.run("window.hit === undefined && !document.querySelector('img')") and not b.complaints(), b.complaints())
        for i in range(min(4, b.run("document.querySelectorAll('.u-over').length"))):
            left, top, width, height = show(b, i)
            b.hover(left + width / 2, top + height / 2)
        result("... nor when a name is selected", b.run("window.hit === undefined && !document.querySelector('img')") and
               not b.complaints(), b.complaints())
    print(f"1..{count}")
    return failed


sys.exit(main())
