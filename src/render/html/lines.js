// What moved, how often and how much at once, a line a device; and the two sections over time as a whole.
"use strict";

const DASHES = [null, "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 2", "6 2 1 2 1 2"];
const perSecond = (v, i) => v / (widthOf(i) / 1e9);
const MEASURES = [
	{title: "Throughput", field: "bytes", each: perSecond, unit: rate},
	{title: "IOPS", field: "ios", each: perSecond, unit: brief},
	{
		title: "In flight",
		small: "mean number of requests in queue and device",
		field: "depth",
		each: v => v,
		unit: v => String(Number(v.toFixed(v < 1 ? 2 : 1))),
	},
];

function lineTracks(op) {
	const of = name => S.tracks.filter(t => deviceOf(t) === name && (op === "all" || t.op === op));
	const lines = DEVICES.slice(0, 7).map(name => ({name, tracks: of(name)}));
	if (DEVICES.length > 7)
		lines.push({name: `${DEVICES.length - 7} more`, tracks: DEVICES.slice(7).flatMap(of)});
	return lines.map((line, i) => ({...line, color: `var(--c${i})`, dash: DASHES[i]}));
}

function valueTicks(measure, max, y) {
	const binary = measure.field === "bytes" ? 1024 ** Math.floor(Math.log2(Math.max(max, 1)) / 10) : 1;
	return ticks(max / binary, 4)
		.map(v => v * binary)
		.map(v => [y(v), measure.unit(v)]);
}

function lineChart(measure, lines, width) {
	const height = 160,
		top = 8,
		bottom = height - 24,
		x = timeScale(width);
	const data = lines.map(line => ({
		...line,
		values: summed(line.tracks, measure.field).map(measure.each),
	}));
	// A last bucket of which the run had only a little would look like a fall, or a peak.
	const whole = N > 1 && widthOf(N - 1) < S.width_ns / 2 ? N - 1 : N;
	const max = Math.max(...data.map(d => Math.max(...d.values.slice(0, whole))), 1e-9) * 1.05,
		y = linear(0, max, bottom, top);
	const points = d =>
		d.values.slice(0, whole).map((v, i) => `${x(startOf(i) + widthOf(i) / 2).toFixed(1)},${y(v).toFixed(1)}`);
	const node = svg(
		"svg",
		{width, height},
		valueTicks(measure, max, y)
			.map(([at, text]) => [
				svg("line", {
					class: "grid",
					x1: MARGIN.left,
					x2: width - MARGIN.right,
					y1: at,
					y2: at,
				}),
				svg("text", {x: MARGIN.left - 8, y: at + 4, "text-anchor": "end"}, text),
			])
			.flat(),
		data
			.map(d => [
				data.length < 4
					? svg("path", {
							fill: d.color,
							opacity: 0.1,
							d: `M${x(widthOf(0) / 2)},${bottom}L${points(d).join("L")}L${x(startOf(whole - 1) + widthOf(whole - 1) / 2)},${bottom}Z`,
						})
					: null,
				svg("polyline", {
					class: "plot",
					points: points(d).join(" "),
					stroke: d.color,
					"stroke-dasharray": d.dash,
				}),
			])
			.flat(),
		timeAxis(x, width, bottom),
	);
	return steppable(node, {
		x,
		width,
		top,
		bottom,
		label: `${measure.title} over time by device`,
		describe: i =>
			`${stamp(i)}\n${data.map(d => `${d.name}: ${measure.unit(d.values[i])}`).join("\n")}`,
	});
}

function lineLegend(lines) {
	return el(
		"ul",
		{class: "legend"},
		lines.map(line =>
			el(
				"li",
				{},
				svg(
					"svg",
					{width: 30, height: 10, "aria-hidden": "true"},
					svg("line", {
						x1: 0,
						x2: 30,
						y1: 5,
						y2: 5,
						stroke: line.color,
						"stroke-width": 2.5,
						"stroke-dasharray": line.dash,
					}),
				),
				line.name,
			),
		),
	);
}

function showLines(box, op) {
	const lines = lineTracks(op);
	box.replaceChildren(lineLegend(lines));
	for (const measure of MEASURES) {
		const chart = el("div", {});
		box.append(
			el(
				"figure",
				{},
				el(
					"figcaption",
					{},
					measure.title,
					measure.small ? el("small", {}, measure.small) : null,
				),
				chart,
			),
		);
		draws(chart, width => lineChart(measure, lines, width));
	}
}

// --- both sections -------------------------------------------------------------------------

function section(node, controls, show, first) {
	const box = el("div", {});
	node.append(
		controls(value => show(box, value)),
		box,
	);
	show(box, first);
}

if (S) {
	const devices = [...(DEVICES.length > 1 ? [["", "all"]] : []), ...DEVICES.map(d => [d, d])];
	section(
		$("heat"),
		change => el("div", {class: "choices"}, choice("Device", devices, devices[0][0], change)),
		showHeat,
		devices[0][0],
	);
	const ops = [
		["all", "all"],
		...OPS.filter(op => S.tracks.some(t => t.op === op)).map(op => [op, op]),
	];
	section(
		$("load"),
		change => el("div", {class: "choices"}, choice("Operation", ops, "all", change)),
		showLines,
		"all",
	);
} else {
	for (const id of ["heat", "load"])
		$(id).append(el("p", {class: "note"}, "No request completed, so there is nothing to draw."));
}
