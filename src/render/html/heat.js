// Heat maps of latency: time across, latency up on a logarithmic axis, requests by colour; percentiles as lines.
"use strict";

const HEAT_LIGHT = [
	[222, 235, 247],
	[158, 202, 225],
	[66, 146, 198],
	[8, 81, 156],
	[5, 30, 70],
];
const HEAT_DARK = [
	[22, 48, 82],
	[36, 96, 140],
	[70, 158, 172],
	[190, 212, 130],
	[255, 248, 190],
];

function heatColor(share) {
	const stops = isDark() ? HEAT_DARK : HEAT_LIGHT,
		at = share * (stops.length - 1),
		i = Math.min(stops.length - 2, Math.floor(at));
	return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i)));
}

function heatImage(grid, lo, hi, most) {
	const canvas = el("canvas", {width: N, height: hi - lo + 1}),
		g = canvas.getContext("2d"),
		image = g.createImageData(N, hi - lo + 1);
	grid.forEach((levels, i) => {
		for (let k = lo; k <= hi; k++)
			if (levels[k])
				image.data.set(
					[...heatColor(Math.log1p(levels[k]) / Math.log1p(most)), 255],
					4 * ((hi - k) * N + i),
				);
	});
	g.putImageData(image, 0, 0);
	return canvas.toDataURL();
}

const topOf = k => S.floors[k + 1] ?? 2 * S.floors[k];
const bottomOf = k => Math.max(S.floors[k], 512);

// The percentile of each column that has requests; a gap breaks the line.
function percentilePath(grid, p, x, y) {
	let path = "",
		open = false;
	grid.forEach((levels, i) => {
		const k = percentileLevel(levels, p);
		if (k >= 0)
			path += `${open ? "L" : "M"}${x(startOf(i) + widthOf(i) / 2).toFixed(1)},${y(Math.sqrt(bottomOf(k) * topOf(k))).toFixed(1)}`;
		open = k >= 0;
	});
	return path;
}

function heatWords(op, levels) {
	const total = levels.reduce((a, b) => a + b, 0);
	if (!total) return `no ${op}`;
	const at = p => duration(topOf(percentileLevel(levels, p)));
	return `${count(total)} ${op}${total === 1 ? "" : op.endsWith("h") ? "es" : "s"}\nmedian up to ${at(0.5)}\np99 up to ${at(0.99)}\nslowest up to ${at(1)}`;
}

function percentileLine(path, color, name, at) {
	return [
		svg("path", {class: "halo", d: path}),
		svg("path", {
			class: "plot",
			d: path,
			stroke: `var(${color})`,
			"stroke-dasharray": name === "p99" ? "5 3" : null,
		}),
		at
			? svg(
					"text",
					{
						class: "label",
						x: at[0] + 6,
						y: at[1] + 4,
						style: `fill:var(${color})`,
					},
					name,
				)
			: null,
	];
}

function lastPoint(path) {
	const at = path.split(/[ML]/).at(-1);
	return at ? at.split(",").map(Number) : null;
}

function heatMap(panel, range, most, width) {
	const height = 210,
		top = 8,
		bottom = height - 24,
		x = timeScale(width),
		{lo, hi} = range,
		{op, grid} = panel;
	const y = logarithmic(bottomOf(lo), topOf(hi), bottom, top);
	const p50 = percentilePath(grid, 0.5, x, y),
		p99 = percentilePath(grid, 0.99, x, y);
	const ends = [lastPoint(p50), lastPoint(p99)];
	if (ends[0] && ends[1] && Math.abs(ends[0][1] - ends[1][1]) < 12) ends[0][1] += 12;
	const node = svg(
		"svg",
		{width, height},
		decades(bottomOf(lo), topOf(hi))
			.map(v => [
				svg("line", {
					class: "grid",
					x1: MARGIN.left,
					x2: width - MARGIN.right,
					y1: y(v),
					y2: y(v),
				}),
				svg(
					"text",
					{x: MARGIN.left - 8, y: y(v) + 4, "text-anchor": "end"},
					moment(v),
				),
			])
			.flat(),
		svg("image", {
			href: heatImage(grid, lo, hi, most),
			x: MARGIN.left,
			y: top,
			width: x(startOf(N)) - MARGIN.left,
			height: bottom - top,
			preserveAspectRatio: "none",
			style: "image-rendering:pixelated",
		}),
		percentileLine(p99, "--p99", "p99", ends[1]),
		percentileLine(p50, "--p50", "p50", ends[0]),
		timeAxis(x, width, bottom),
	);
	return steppable(node, {
		x,
		width,
		top,
		bottom,
		label: `Latency of ${op} requests over time`,
		describe: i => `${stamp(i)}\n${heatWords(op, grid[i])}`,
	});
}

function heatLegend(most) {
	const ramp = svg(
		"svg",
		{width: 120, height: 12, "aria-hidden": "true"},
		Array.from({length: 24}, (_, i) =>
			svg("rect", {
				x: 5 * i,
				y: 0,
				width: 5.2,
				height: 12,
				fill: `rgb(${heatColor(i / 23)})`,
			}),
		),
	);
	const sample = (color, dash) =>
		svg(
			"svg",
			{width: 26, height: 10, "aria-hidden": "true"},
			svg("line", {
				x1: 0,
				x2: 26,
				y1: 5,
				y2: 5,
				stroke: `var(${color})`,
				"stroke-width": 2.5,
				"stroke-dasharray": dash,
			}),
		);
	return el(
		"ul",
		{class: "legend"},
		el("li", {}, "1 request ", ramp, `${count(most)} in a cell of ${moment(S.width_ns)}`),
		el("li", {}, sample("--p50"), "median"),
		el("li", {}, sample("--p99", "5 3"), "99th percentile"),
	);
}

function heatPanels(device) {
	const panels = ["read", "write", "flush"]
		.map(op => ({op, tracks: ofDevice(device).filter(t => t.op === op)}))
		.filter(p => p.tracks.length);
	return panels.map(p => ({...p, grid: summedLevels(p.tracks)}));
}

function heatRange(panels) {
	const used = S.floors
		.map((_, k) => k)
		.filter(k => panels.some(p => p.grid.some(levels => levels[k])));
	return {lo: Math.max(0, used[0] - 1), hi: Math.min(S.floors.length - 1, used.at(-1) + 1)};
}

function showHeat(box, device) {
	const panels = heatPanels(device),
		range = heatRange(panels);
	const most = panels.reduce((m, p) => p.grid.reduce((a, levels) => Math.max(a, ...levels), m), 1);
	const legendBox = el("div", {});
	box.replaceChildren(legendBox);
	draws(legendBox, () => heatLegend(most));
	for (const panel of panels) {
		const chart = el("div", {}),
			total = summed(panel.tracks, "ios").reduce((a, b) => a + b, 0);
		box.append(
			el(
				"figure",
				{},
				el(
					"figcaption",
					{},
					{read: "Reads", write: "Writes", flush: "Flushes"}[panel.op],
					el("small", {}, requests(total)),
				),
				chart,
			),
		);
		draws(chart, width => heatMap(panel, range, most, width));
	}
	if (!panels.length) box.append(el("p", {class: "note"}, "No reads, writes or flushes there."));
}
