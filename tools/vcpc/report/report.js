// SPDX-License-Identifier: GPL-2.0-or-later
// Draw the report's charts with uPlot from the data in the page.  Names are inserted only as text, never as HTML.
(function () {
	"use strict";

	const data = JSON.parse(document.getElementById("data").textContent);
	const live = document.getElementById("live");
	const HEIGHT = 230;
	const ROWS = 64;
	const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 4], [3, 6]];
	const LIGHT = ["#0b62b8", "#b3400a", "#1a7f4b", "#7d3fb2", "#8a6a00", "#b0246f"];
	const DARK = ["#6db3ff", "#ffab70", "#6fdc9f", "#cfa6ff", "#e6c84f", "#ff8dc2"];
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const charts = [];	// all charts that are shown
	const flames = [];	// functions, each of which draws a flame graph
	let range = null;	// the displayed part of the time, or null for all

	const isPaper = () => document.documentElement.classList.contains("paper");
	const isDark = () => dark.matches && !isPaper();
	const color = i => (isDark() ? DARK : LIGHT)[i % LIGHT.length];
	const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

	function element(name, text, parent, attributes) {
		const e = document.createElement(name);

		if (text !== null)
			e.textContent = text;
		for (const key in attributes || {})
			e.setAttribute(key, attributes[key]);
		if (parent)
			parent.appendChild(e);
		return e;
	}

	// Format a number with three digits and a prefix: "12.3k".
	function number(v) {
		if (v === null || v === undefined)
			return "-";
		const a = Math.abs(v);
		const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

		for (const [size, name] of steps)
			if (a >= size)
				return Number((v / size).toPrecision(3)) + name;
		return String(Number(v.toPrecision(3)));
	}

	// Format seconds with three digits and a suitable unit.
	function time(v) {
		if (v === null || v === undefined)
			return "-";
		const steps = [[1, "s"], [1e-3, "ms"], [1e-6, "us"]];

		for (const [size, name] of steps)
			if (Math.abs(v) >= size)
				return Number((v / size).toPrecision(3)) + " " + name;
		return Number((v * 1e9).toPrecision(3)) + " ns";
	}

	const stamp = t => new Date((data.start + t) * 1000).toISOString().slice(11, 23);

	// The runs to draw: one, or two to compare, both of which then begin at 0
	const runs = data.other ? [data, data.other] : [data];
	const SIDES = ["A", "B"];
	const PARTS = [["blocked", "blocked"], ["runqueue", "waiting for a CPU"], ["oncpu", "on CPU"]];

	// Insert a position -1 at each gap.  Values become null there, which interrupts the line, and undefined where a record
	// lacks a value, which does not.
	for (const run of runs) {
		const gaps = new Set(run.gaps), start = run.start;

		run.positions = [];
		run.times.forEach((t, i) => {
			if (gaps.has(i) && i)
				run.positions.push(-1);
			run.positions.push(i);
		});
		run.start = data.other ? 0 : start;
		run.x = run.positions.map((at, i) => run.start + (at >= 0 ? run.times[at] :
			(run.times[run.positions[i - 1]] + run.times[run.positions[i + 1]]) / 2));
	}
	const spread = l => runs[l.run].positions.map(at => at < 0 ? null : l.values[at] === null ? undefined : l.values[at]);
	const times = [...new Set(runs.flatMap(run => run.x))].sort((a, b) => a - b);

	// Put lines on one time axis.  Their runs may have points at different times.
	function joined(list) {
		const tables = runs.map((run, r) => [run.x].concat(list.filter(l => l.run === r).map(spread))).filter(t => t.length > 1);

		return tables.length === 1 && runs.length === 1 ? tables[0] : uPlot.join(tables.concat([[times]]));
	}

	// Format times of day as precisely as the axis is divided.
	function clock(u, splits, axis, space, increment) {
		const [from, to] = increment >= 86400 ? [0, 10] : increment >= 60 ? [11, 16] : increment >= 1 ? [11, 19] : [11, 23];

		return splits.map(t => new Date(t * 1000).toISOString().slice(from, to));
	}

	// Choose a few labeled lines of a logarithmic axis: powers of ten, and lines between these if they are few.
	function decades(u, axis, min, max) {
		const low = Math.floor(Math.log10(min)), high = Math.ceil(Math.log10(max)), list = [];
		const step = Math.ceil((high - low) / 5), parts = high - low > 3 ? [1] : high - low > 1 ? [1, 3] : [1, 2, 5];

		for (let e = low; e <= high; e += step)
			for (const part of parts)
				if (part * 10 ** e >= min * 0.999 && part * 10 ** e <= max * 1.001)
					list.push(Number((part * 10 ** e).toPrecision(1)));
		return list.length > 1 ? list : [min, max];
	}

	// Find the point with a value that is nearest to the mouse, so that each point of each line can be read.
	function nearest(u, series, at, x) {
		const xs = u.data[0], ys = u.data[series];
		let best = null;

		if (!series || typeof ys[at] === "number")
			return at;
		for (let by = 1; by < xs.length && best === null; by++)
			for (const i of [at - by, at + by])
				if (typeof ys[i] === "number" && (best === null || Math.abs(xs[i] - x) < Math.abs(xs[best] - x)))
					best = i;
		return best;
	}

	const lastOf = values => values.reduce((last, v) => typeof v === "number" ? v : last, null);

	// Show the last values in the legend while the mouse is outside the chart.
	function showLast(u, format, values) {
		if (u.cursor.idx !== null && u.cursor.idx !== undefined)
			return;
		u.root.querySelectorAll(".u-legend .u-value").forEach((cell, i) => {
			cell.textContent = i ? format(lastOf(values[i])) : "last";
		});
	}

	function axes(format, isTime, isLog) {
		const style = { stroke: css("--ink"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };

		return [
			Object.assign({ space: isTime ? 95 : 70, values: isTime ? clock : (u, splits) => splits.map(time) }, style),
			Object.assign({ size: 62, splits: isLog ? decades : undefined, filter: (u, splits) => splits, values: (u, splits) => splits.map(v => v === null ? "" : format(v)) }, style),
		];
	}

	function zoom(chart, min, max) {
		if (chart.isTime)
			zoomAll(min, max);
		else
			chart.plot.setScale("x", { min, max });
	}

	let zooming = false;

	function zoomAll(min, max) {
		const first = times[0], last = times[times.length - 1];

		if (zooming)
			return;
		zooming = true;
		range = min <= first && max >= last ? null : [min, max];
		for (const c of charts)
			if (c.isTime)
				c.plot.setScale("x", { min, max });
		zooming = false;
	}

	// Return the values that lines represent.  In a stacked chart, lines are drawn at the sums of several values.
	const valuesOf = (chart, u) => chart.own ? chart.own() : u.data;

	// Return the whole range of a chart's x axis, for the key 0 and for zooming out.
	function whole(chart) {
		const x = chart.plot.data[0];

		return [x[0], x[x.length - 1]];
	}

	function move(chart, by) {
		const u = chart.plot, x = u.data[0];
		const at = u.cursor.idx === null || u.cursor.idx === undefined ? (by > 0 ? -1 : x.length) : u.cursor.idx;
		const next = Math.min(Math.max(at + by, 0), x.length - 1);
		const names = u.series.slice(1).map((s, i) => s.label + " " + chart.format(valuesOf(chart, u)[i + 1][next]));

		u.setCursor({ left: u.valToPos(x[next], "x"), top: u.over.clientHeight / 2 });
		live.textContent = (chart.isTime ? stamp(x[next] - data.start) : time(x[next])) + ": " +
			(chart.read ? chart.read(next) : names.join(", "));
	}

	function scaleBy(chart, factor) {
		const s = chart.plot.scales.x, [first, last] = whole(chart);
		const middle = (s.min + s.max) / 2, half = (s.max - s.min) / 2 * factor;

		zoom(chart, Math.max(first, middle - half), Math.min(last, middle + half));
	}

	function onKey(chart, event) {
		const keys = {
			ArrowLeft: () => move(chart, -1), ArrowRight: () => move(chart, 1),
			"+": () => scaleBy(chart, 0.5), "=": () => scaleBy(chart, 0.5), "-": () => scaleBy(chart, 2),
			0: () => zoom(chart, ...whole(chart)),
		};

		if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
			return;
		keys[event.key]();
		event.preventDefault();
	}

	// Fill the table of values for users who cannot see the chart: at most ROWS rows, at regular intervals.
	function fillTable(chart, details) {
		if (details.querySelector("table"))
			return;
		const box = element("div", null, details, { class: "wide", tabindex: 0, role: "region", "aria-label": "Values" });
		const table = element("table", null, box), x = chart.plot.data[0];
		const row = element("tr", null, element("thead", null, table)), body = element("tbody", null, table);
		const step = Math.max(1, Math.ceil(x.length / ROWS));

		element("th", chart.isTime ? "Time" : "Mean time", row, { scope: "col" });
		chart.plot.series.slice(1).forEach(s => element("th", s.label, row, { scope: "col" }));
		for (let i = 0; i < x.length; i += step) {
			const tr = element("tr", null, body);

			element("th", chart.isTime ? stamp(x[i] - data.start) : time(x[i]), tr, { scope: "row" });
			if (chart.read)
				element("td", chart.read(i), tr);
			else
				valuesOf(chart, chart.plot).slice(1).forEach(v => element("td", chart.format(v[i]), tr));
		}
	}

	// Describe the minimum and the maximum in the chart's accessible name.
	function extent(chart) {
		let least = Infinity, most = -Infinity;

		for (const line of valuesOf(chart, chart.plot).slice(1))
			for (const v of line)
				if (typeof v === "number") {
					least = Math.min(least, v);
					most = Math.max(most, v);
				}
		return least > most ? "no values" : "from " + chart.format(least) + " to " + chart.format(most);
	}

	const widthOf = box => Math.max(200, isPaper() ? 680 : box.clientWidth);

	function build(chart) {
		const options = chart.options(), old = chart.plot ? chart.plot.scales.x : null;

		options.width = widthOf(chart.box);
		options.height = HEIGHT;
		options.tzDate = ts => uPlot.tzDate(new Date(ts * 1e3), "Etc/UTC");
		options.cursor = Object.assign({ focus: { prox: 24 }, dataIdx: nearest }, chart.isTime ? { sync: { key: "time" } } : {});
		options.hooks = Object.assign({ setScale: [(u, key) => {
			if (key === "x" && chart.isTime && chart.plot === u)
				zoomAll(u.scales.x.min, u.scales.x.max);
		}], setLegend: chart.read ? [] : [u => showLast(u, chart.format, valuesOf(chart, u))],
			ready: chart.read ? [] : [u => showLast(u, chart.format, valuesOf(chart, u))] }, options.hooks);
		if (chart.plot)
			chart.plot.destroy();
		chart.plot = new uPlot(options, chart.data(), chart.box);
		if (chart.isTime && range)
			chart.plot.setScale("x", { min: range[0], max: range[1] });
		else if (!chart.isTime && old)
			chart.plot.setScale("x", { min: old.min, max: old.max });
	}

	function add(parent, chart, title, note) {
		const figure = element("figure", null, parent);

		element("figcaption", title, figure);
		if (note)
			element("p", note, figure, { class: "note" });
		chart.box = element("div", null, figure, { class: "plot", tabindex: 0, role: "application",
			"aria-roledescription": "chart" });
		build(chart);
		chart.box.setAttribute("aria-label", title + ": " + (chart.read ? "heat map" : extent(chart)) +
			". Left and right move from value to value, plus and minus zoom, 0 shows the whole time span.");
		chart.box.addEventListener("keydown", event => onKey(chart, event));
		const details = element("details", null, figure);

		element("summary", "Values as a table", details);
		details.addEventListener("toggle", () => fillTable(chart, details));
		charts.push(chart);
		return figure;
	}

	// Return whether two lines have the same values, in which case one hides the other.
	const isSame = (a, b) => a.values.length === b.values.length && a.values.every((v, i) => v === b.values[i]);

	function labels(list, unit) {
		return list.map((l, i) => {
			const name = l.name || unit || "value", before = list.slice(0, i).find(o => isSame(l, o));

			return name + (before ? " (same as " + (before.name || unit || "value") + ")" : "");
		});
	}

	// Make a chart of lines over time from a list of { name, values, run }.
	function lines(list, format, unit, logarithmic) {
		const byRun = list.slice().sort((a, b) => a.run - b.run), names = labels(byRun, unit);
		const each = runs.length > 1 ? byRun.filter(l => l.run === 0).length : 0;
		// Draw B's lines dashed, over A's wider lines, so that no line hides another.
		const dash = i => each ? DASHES[i < each ? 0 : 1] : DASHES[i % DASHES.length];

		return {
			isTime: true, format,
			data: () => joined(byRun),
			options: () => ({
				scales: { x: { time: true }, y: logarithmic ? { distr: 3 } : { range: (u, min, max) =>
					uPlot.rangeNum(Math.min(0, min), max > min || max > 0 ? max : 1, 0.1, true) } },
				axes: axes(format, true, logarithmic),
				series: [{ value: (u, v) => v === null || v === undefined ? "-" : stamp(v - data.start) }]
					.concat(byRun.map((l, i) => ({
						label: names[i], stroke: color(i), width: (each ? i < each : !i) && list.length > 1 ? 3 : 1.5, dash: dash(i),
						points: { show: times.length < 40 }, value: (u, v) => format(v),
					}))),
			}),
		};
	}

	// Make a stacked chart of the parts of the time of a run's transactions, with the first part on top.
	function stacked(tag, run) {
		const parts = PARTS.filter(p => tag[p[0]]);
		const own = joined(parts.map(p => ({ values: tag[p[0]], run })));
		const sums = own.slice(1).map((v, part) => v.map((x, i) => typeof x !== "number" ? x :
			own.slice(1 + part).reduce((sum, o) => sum + (o[i] || 0), 0)));

		return {
			isTime: true, format: time,
			own: () => own,
			data: () => [own[0]].concat(sums),
			options: () => ({
				scales: { x: { time: true }, y: { range: (u, min, max) => uPlot.rangeNum(0, max > 0 ? max : 1, 0.1, true) } },
				axes: axes(time, true),
				series: [{ value: (u, v) => v === null || v === undefined ? "-" : stamp(v - data.start) }]
					.concat(parts.map((p, i) => ({ label: p[1], stroke: color(i), fill: color(i), width: 1,
						points: { show: times.length < 40 }, value: (u, v, s, at) => time(own[s][at]) }))),
			}),
		};
	}

	// Get the stacks of a tag, in seconds per transaction: a list of { frames, typical, slow }.  The first frame is the tag,
	// the second one the reason.
	function stacksOf(run, name) {
		const parsed = (run.stacks || []).map(line => {
			const words = line.split(" "), slow = words.pop() / 1e9, typical = words.pop() / 1e9;

			return { frames: words.join(" ").split(";"), typical, slow };
		});
		// Compare names as 'vcpc why' writes them, first with and then without the user that a label may contain.
		const of = wanted => parsed.filter(s => s.frames[0] === wanted.replace(/[;\x00-\x1f]/g, "_"));
		const same = of(name);

		return same.length ? same : of(name.replace(/@\d+$/, ""));
	}

	function treeOf(name, stacks) {
		const root = { name, value: 0, typical: 0, children: [], byName: new Map() };

		for (const stack of stacks) {
			let at = root;

			for (const frame of [null].concat(stack.frames.slice(1))) {
				if (frame !== null && !at.byName.has(frame)) {
					at.byName.set(frame, { name: frame, value: 0, typical: 0, children: [], byName: new Map() });
					at.children.push(at.byName.get(frame));
				}
				at = frame === null ? at : at.byName.get(frame);
				at.value += stack.slow;
				at.typical += stack.typical;
			}
		}
		return root;
	}

	// Red: slow transactions spend more time in the function; blue: less time.  The text on it is black.
	function flameColor(frame) {
		const { value, typical } = frame.data, part = value + typical > 0 ? (value - typical) / (value + typical) : 0;
		const end = part > 0 ? [255, 105, 90] : [110, 170, 255];

		return "rgb(" + end.map(v => Math.round(222 + (v - 222) * Math.abs(part))).join(",") + ")";
	}

	function drawFlame(box, said, name, stacks) {
		const width = widthOf(box), chart = flamegraph().width(width).cellHeight(20).minFrameSize(1).transitionDuration(0)
			.sort(true).setColorMapper(flameColor).setDetailsElement(said)
			.setLabelHandler(f => f.data.name + ": " + time(f.data.value) + " per slow transaction, " +
				time(f.data.typical) + " per typical one");

		box.textContent = "";
		d3.select(box).datum(treeOf(name, stacks)).call(chart);
		const svg = box.querySelector("svg");

		svg.setAttribute("viewBox", "0 0 " + width + " " + svg.getAttribute("height"));
	}

	function flameTable(details, stacks) {
		const box = element("div", null, details, { class: "wide", tabindex: 0, role: "region", "aria-label": "Stacks" });
		const table = element("table", null, box), row = element("tr", null, element("thead", null, table));
		const body = element("tbody", null, table), list = stacks.slice().sort((a, b) => b.slow - b.typical - a.slow + a.typical);

		["Stack, innermost first", "Slow", "Typical"].forEach(t => element("th", t, row, { scope: "col" }));
		for (const stack of list.slice(0, ROWS)) {
			const tr = element("tr", null, body);

			element("th", stack.frames[1] + ": " + stack.frames.slice(2).reverse().join(", "), tr, { scope: "row" });
			element("td", time(stack.slow), tr);
			element("td", time(stack.typical), tr);
		}
	}

	function addFlame(parent, run, tag, side) {
		const stacks = stacksOf(run, tag.name), title = tag.name + ": stacks of slow transactions" + side;

		if (!stacks.length)
			return;
		const figure = element("figure", null, parent);

		element("figcaption", title, figure);
		element("p", "The width of a function is its time per slow transaction. Red: more than in typical ones, blue: less. " +
			"Click on a function to enlarge it, on the lowest one to show all." +
			(run.morestacks ? " " + run.morestacks + " stacks with less time are omitted." : ""), figure, { class: "note" });
		const box = element("div", null, figure, { class: "flame", role: "img", "aria-label": title + ", as in the table below" });
		const said = element("p", null, figure, { class: "said screen", "aria-hidden": "true" });
		const details = element("details", null, figure);

		element("summary", "Stacks as a table", details);
		flameTable(details, stacks);
		drawFlame(box, said, tag.name, stacks);
		flames.push(() => drawFlame(box, said, tag.name, stacks));
	}

	// Get the lines of all runs.  @pick returns the lines of one run.
	const ofRuns = pick => runs.flatMap((run, r) => (pick(run) || []).map(l =>
		Object.assign({}, l, { run: r, name: runs.length > 1 ? (SIDES[r] + " " + (l.name || "")).trim() : l.name })));

	const tagOf = (run, name) => run.tags.find(t => t.name === name);

	// Make a chart of a transaction's counts against its durations, with one point per step.
	function dots(tag, event) {
		const list = tag.mean.map((t, i) => [t, event.mean[i]]).filter(p => p[0] !== null && p[1] !== null)
			.sort((a, b) => a[0] - b[0]);

		return list.length < 2 ? null : {
			isTime: false, format: number,
			data: () => [list.map(p => p[0]), list.map(p => p[1])],
			options: () => ({
				scales: { x: { time: false } },
				axes: axes(number, false),
				series: [{ label: "mean time", value: (u, v) => time(v) },
					{ label: event.name, stroke: color(0), paths: () => null,
						points: { show: true, size: 6, fill: color(0) }, value: (u, v) => number(v) }],
			}),
		};
	}

	// Choose a color for @n of at most @most transactions, on a logarithmic scale.
	function heatColor(n, most) {
		const part = most > 1 ? Math.log(1 + n) / Math.log(1 + most) : 1;
		const stops = isDark() ? [[38, 50, 78], [190, 84, 120], [255, 224, 130]] : [[214, 230, 248], [88, 132, 200], [40, 18, 92]];
		const at = part * 2, low = Math.min(1, Math.floor(at)), f = at - low;

		return "rgb(" + stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * f)).join(",") + ")";
	}

	function mostOf(tag) {
		let most = 0;

		for (const column of tag.heat)
			for (let i = 1; i < column.length; i += 2)
				most = Math.max(most, column[i]);
		return most;
	}

	function paintHeat(u, tag, ends, begins, most) {
		const ctx = u.ctx, box = u.bbox;

		ctx.save();
		ctx.beginPath();
		ctx.rect(box.left, box.top, box.width, box.height);
		ctx.clip();
		tag.heat.forEach((column, at) => {
			const left = u.valToPos(begins[at], "x", true), right = u.valToPos(ends[at], "x", true);

			for (let i = 0; i < column.length; i += 2) {
				const floor = tag.floors[column[i]], ceiling = tag.floors[column[i] + 1];
				const top = u.valToPos(ceiling, "y", true), bottom = u.valToPos(floor, "y", true);

				ctx.fillStyle = heatColor(column[i + 1], most);
				ctx.fillRect(left, top, Math.max(1, right - left + 0.5), Math.max(1, bottom - top + 0.5));
			}
		});
		ctx.restore();
	}

	function readHeat(tag, at) {
		const column = tag.heat[at], best = { n: 0, slot: 0 };
		let all = 0;

		for (let i = 0; i < column.length; i += 2) {
			all += column[i + 1];
			if (column[i + 1] > best.n)
				Object.assign(best, { n: column[i + 1], slot: column[i] });
		}
		return !all ? "none" : number(all) + " transactions, most (" + number(best.n) + ") from " +
			time(tag.floors[best.slot]) + " to " + time(tag.floors[best.slot + 1]);
	}

	// Describe the transactions at the cursor for the legend.
	function underCursor(u, tag, at) {
		const column = at === null || at === undefined ? [] : tag.heat[at] || [];
		const took = u.cursor.top >= 0 ? u.posToVal(u.cursor.top, "y") : 0;

		for (let i = 0; i < column.length; i += 2)
			if (took >= tag.floors[column[i]] && took < tag.floors[column[i] + 1])
				return number(column[i + 1]) + " from " + time(tag.floors[column[i]]) + " to " +
					time(tag.floors[column[i] + 1]);
		return column.length ? "no transactions of this duration" : "-";
	}

	function heat(tag) {
		const run = runs.find(r => r.tags.includes(tag));
		const ends = tag.heat.map((c, i) => run.start + run.times[Math.min((i + 1) * tag.each, run.times.length) - 1]);
		const begins = ends.map((e, i) => i ? ends[i - 1] : run.start);
		const floors = tag.floors, most = mostOf(tag);

		return {
			isTime: true, format: time,
			read: at => readHeat(tag, at),
			data: () => [ends, ends.map(() => floors[0])],
			options: () => ({
				scales: { x: { time: true, range: (u, min, max) => [range ? min : Math.min(min, data.start), max] },
					y: { distr: 3, range: () => [Math.max(floors[0], 1e-9), floors[floors.length - 1]] } },
				axes: axes(time, true, true),
				series: [{ value: (u, v) => v === null || v === undefined ? "-" : stamp(v - data.start) },
					{ label: "transactions", stroke: color(0), paths: () => null, points: { show: false },
						value: (u, v, s, at) => underCursor(u, tag, at) }],
				// Update the legend when y changes, because uPlot does so only for x.
				hooks: { draw: [u => paintHeat(u, tag, ends, begins, most)],
					setCursor: [u => u.setLegend({ idx: u.cursor.idx })] },
			}),
			most,
		};
	}

	function addHeat(parent, tag, side) {
		const chart = heat(tag), figure = add(parent, chart, "Durations of " + tag.name + " over time" + side);
		const key = element("p", "one ", null, { class: "note" }), strip = element("span", null, key, { class: "scale" });

		key.appendChild(document.createTextNode(" " + number(chart.most) + " transactions"));
		chart.recolor = () => {
			strip.style.background = "linear-gradient(to right," + [0, 0.25, 0.5, 0.75, 1].map(p =>
				heatColor(Math.pow(1 + chart.most, p) - 1, chart.most)).join(",") + ")";
		};
		chart.recolor();
		figure.insertBefore(key, figure.querySelector("details"));
	}

	function showTag(tag) {
		const parent = document.getElementById("tag-charts");

		charts.filter(c => parent.contains(c.box)).forEach(c => {
			c.plot.destroy();
			charts.splice(charts.indexOf(c), 1);
		});
		flames.length = 0;
		parent.textContent = "";
		const sides = runs.map(run => tagOf(run, tag.name));
		const had = (runs.length > 1 ? ["p50", "p99"] : ["p50", "p90", "p99"]).filter(p => sides.some(t => t && t[p] && t[p].some(v => v !== null)));
		const of = name => ofRuns(run => {
			const t = tagOf(run, tag.name);

			return t && t[name] && t[name].some(v => v !== null) ? [{ name: name === "rate" ? "per second" : name, values: t[name] }] : [];
		});

		if (of("rate").length)
			add(parent, lines(of("rate"), number), tag.name + ": transactions per second");
		if (had.length)
			add(parent, lines(had.flatMap(of), time, "", true), tag.name + ": percentiles of durations",
				"Each point covers the transactions that ended in one step; from the histogram, accurate to 1/16.");
		sides.forEach((t, r) => {
			const side = runs.length > 1 ? ", " + SIDES[r] : "";

			if (t && PARTS.some(p => t[p[0]]))
				add(parent, stacked(t, r), tag.name + ": where the time goes" + side,
					"The mean of the transactions that ended in one step; the parts add up to their duration.");
			if (t)
				addFlame(parent, runs[r], t, side);
			if (t && t.heat)
				addHeat(parent, t, side);
			for (const event of t && t.mean ? t.events : []) {
				const chart = event.mean ? dots(t, event) : null;

				if (chart)
					add(parent, chart, tag.name + ": " + event.name + " per transaction, against its duration" + side,
						"Each point is the mean of all transactions in one step.");
			}
		});
	}

	function showTags() {
		const select = document.getElementById("tag"), first = runs[0].tags;
		const tags = runs.length > 1 ? first.concat(runs[1].tags.filter(t => !tagOf(runs[0], t.name))) : first;

		if (!tags.length)
			return;
		document.getElementById("transactions").hidden = false;
		tags.forEach((tag, i) => element("option", tag.name, select, { value: i }));
		if (data.moretags)
			document.getElementById("more").textContent = data.moretags + " more, with a shorter total duration, are in the table";
		select.addEventListener("change", () => showTag(tags[select.value]));
		showTag(tags[0]);
	}

	function showChart(parent, chart) {
		const unit = chart.unit ? " (" + chart.unit + ")" : "";
		const list = ofRuns(run => (run.charts.find(c => c.metric === chart.metric) || {}).lines);

		add(parent, lines(list, number, chart.unit), chart.metric + unit,
			chart.more ? chart.more + " more instances are in the table" : "");
	}

	function showCharts() {
		const parent = document.getElementById("charts"), first = runs[0].charts;
		const all = runs.length > 1 ? first.concat(runs[1].charts.filter(c => !first.some(o => o.metric === c.metric))) : first;

		all.forEach(chart => showChart(parent, chart));
		if (!all.length)
			element("p", "There are no values to draw.", parent);
		else if (data.morecharts)
			element("p", data.morecharts + " more values are in the table.", parent, { class: "note" });
	}

	function rebuild() {
		for (const chart of charts) {
			build(chart);
			if (chart.recolor)
				chart.recolor();
		}
	}

	function paper(on) {
		document.documentElement.classList.toggle("paper", on);
		rebuild();
	}

	let width = 0;

	function onResize() {
		const now = document.documentElement.clientWidth;

		if (now === width || isPaper())
			return;
		width = now;
		for (const chart of charts)
			chart.plot.setSize({ width: widthOf(chart.box), height: HEIGHT });
		flames.forEach(draw => draw());
	}

	showTags();
	showCharts();
	width = document.documentElement.clientWidth;
	addEventListener("resize", onResize);
	dark.addEventListener("change", rebuild);
	addEventListener("beforeprint", () => paper(true));
	addEventListener("afterprint", () => paper(false));
})();
