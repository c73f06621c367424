// Latency histograms, a small one a row on a common logarithmic axis, percentiles marked.
"use strict";

const MARKS = [
	["p50_ns", "p50"],
	["p90_ns", "p90"],
	["p99_ns", "p99"],
	["p999_ns", "p99.9"],
	["max_ns", "max"],
];
const PARTS = {
	total: ["from submission to completion", "--c2"],
	queue: ["waiting in the queue", "--queue"],
	device: ["in the device", "--device"],
};
const view = {part: "total", counts: "linear"};

// Quarters of a power of two, which the buckets of the data nest in.
function bins(latency) {
	const out = new Map();
	for (let i = 0; i < latency.histogram.length; i += 2) {
		const le = latency.histogram[i],
			octave = Math.floor(Math.log2(Math.max(le, 1)));
		const bin = octave * 4 + Math.min(3, Math.floor((Math.max(le, 1) / 2 ** octave - 1) * 4));
		out.set(bin, (out.get(bin) ?? 0) + latency.histogram[i + 1]);
	}
	return [...out].map(([bin, n]) => ({
		lo: 2 ** (bin >> 2) * (1 + (bin & 3) / 4),
		hi: 2 ** (bin >> 2) * (1 + ((bin & 3) + 1) / 4),
		n,
	}));
}

// The same axis for every row, so that one sees who is slower.
function domain(rows) {
	const all = rows.map(r => r.latency[view.part]).filter(Boolean);
	const lo = Math.min(...all.map(l => Math.max(l.min_ns, 256))),
		hi = Math.max(...all.map(l => l.max_ns));
	return [lo / 1.3, Math.max(hi, lo * 10) * 1.3];
}

// Names of the percentiles, pushed to lower lines where they would overlap.
function marks(latency, x, top, bottom) {
	const rows = [];
	return MARKS.map(([key, name]) => {
		const at = x(latency[key]),
			width = 7 * name.length + 4;
		let row = rows.findIndex(end => at - width / 2 > end);
		row = row < 0 ? rows.length : row;
		rows[row] = at + width / 2;
		const y = top + 11 + 13 * row;
		return svg(
			"g",
			{},
			svg("line", {
				x1: at,
				x2: at,
				y1: y + 2,
				y2: bottom,
				stroke: "var(--ink)",
				"stroke-width": 1,
				"stroke-dasharray": "2 2",
				opacity: 0.7,
			}),
			svg("text", {class: "label", x: at, y, "text-anchor": "middle"}, name),
		);
	});
}

function histogram(row, [lo, hi], width) {
	const latency = row.latency[view.part],
		height = 190,
		top = 0,
		plot = 62,
		bottom = height - 20;
	const x = logarithmic(lo, hi, 4, width - 8),
		list = bins(latency),
		most = Math.max(...list.map(b => b.n));
	const y =
		view.counts === "log"
			? n => bottom - ((bottom - plot) * Math.log1p(n)) / Math.log1p(most)
			: linear(0, most, bottom, plot);
	const bars = list.map(b =>
		svg(
			"rect",
			{
				x: x(b.lo),
				width: Math.max(1, x(b.hi) - x(b.lo) - 0.6),
				y: Math.min(y(b.n), bottom - 2),
				height: Math.max(2, bottom - y(b.n)),
				fill: `var(${PARTS[view.part][1]})`,
			},
			svg("title", {}, `up to ${duration(b.hi)}: ${count(b.n)}`),
		),
	);
	return svg(
		"svg",
		{
			width,
			height,
			role: "img",
			"aria-label": `Histogram of ${who(row)} ${where(row)}: ${percentileWords(latency)}`,
		},
		bars,
		marks(latency, x, top, bottom),
		svg("line", {class: "axis", x1: 4, x2: width - 8, y1: bottom, y2: bottom}),
		decades(lo, hi).map(v =>
			svg(
				"g",
				{},
				svg("line", {class: "axis", x1: x(v), x2: x(v), y1: bottom, y2: bottom + 4}),
				svg("text", {x: x(v), y: bottom + 16, "text-anchor": "middle"}, moment(v)),
			),
		),
	);
}

const percentileWords = latency => MARKS.map(([key, name]) => `${name} ${duration(latency[key])}`).join(", ");

function histogramCard(row, shared) {
	const latency = row.latency[view.part],
		chart = el("div", {});
	const card = el(
		"figure",
		{},
		el(
			"figcaption",
			{},
			who(row),
			el(
				"small",
				{},
				[where(row), requests(row.ios)].filter(Boolean).join(", "),
			),
		),
	);
	if (!latency)
		return [
			fill(card, {}, [el("p", {class: "note"}, "Not told apart on this kind of device.")]),
			null,
		];
	card.append(
		chart,
		el(
			"p",
			{class: "percentiles"},
			MARKS.map(([key, name]) =>
				el("span", {}, `${name} `, el("b", {}, duration(latency[key]))),
			),
		),
	);
	return [card, () => draws(chart, width => histogram(row, shared, width), PAPER / 2 - 20)];
}

// A few requests have no distribution; where no row has more, they are what there is.
const FEW = 10;
const shapely = DATA.rows.filter(r => r.ios >= FEW);
const shaped = shapely.length ? shapely : DATA.rows.filter(r => r.ios);
const unshaped = DATA.rows.filter(r => r.ios).length - shaped.length;

function showHistograms(box) {
	const rows = shaped,
		shared = domain(rows),
		cards = rows.map(row => histogramCard(row, shared));
	const grid = el(
		"div",
		{class: "cards"},
		cards.map(([card]) => card),
	);
	box.replaceChildren(
		grid,
		firstOf(grid, 9) ?? "",
		unshaped ? el("p", {class: "note"}, `Of ${count(unshaped)} more ${unshaped === 1 ? "row" : "rows"} with fewer than ${FEW} requests only the table tells.`) : "",
	);
	cards.forEach(([, draw]) => draw?.());
}

if (DATA.rows.some(r => r.ios)) {
	const box = el("div", {}),
		note = el("p", {class: "lead"});
	const show = changes => {
		Object.assign(view, changes);
		note.textContent = `Time ${PARTS[view.part][0]}; rarest buckets are drawn two pixels high at least, so that none is lost.`;
		showHistograms(box);
	};
	$("spread").append(
		note,
		el(
			"div",
			{class: "choices"},
			choice(
				"Time",
				Object.keys(PARTS).map(p => [p, p]),
				"total",
				part => show({part}),
			),
			choice(
				"Counts",
				[
					["linear", "linear"],
					["log", "logarithmic"],
				],
				"linear",
				counts => show({counts}),
			),
		),
		box,
	);
	show({});
} else {
	$("spread").append(el("p", {class: "note"}, "No requests."));
}
