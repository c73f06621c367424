// What the charts over time share: sums of the timeline, the time axis, and one cursor for all, which the pointer
// or the arrow keys move.
"use strict";

const S = DATA.timeline;
const N = S ? Math.max(...S.tracks.map(t => t.ios.length)) : 0;
const MARGIN = {left: 66, right: 46};
const OPS = ["read", "write", "flush", "discard", "other"];
const deviceOf = track => track.device ?? "other devices";

// The last bucket may end with the run.
const startOf = i => i * S.width_ns;
const widthOf = i => Math.max(Math.min(S.width_ns, RUN.duration_ns - startOf(i)), S.width_ns / 100);
const span = () => Math.max(RUN.duration_ns, startOf(N - 1) + 1);

// --- sums of tracks -------------------------------------------------------------------

function summed(tracks, field) {
	const out = new Array(N).fill(0);
	for (const t of tracks)
		t[field].forEach((v, i) => {
			out[i] += v;
		});
	return out;
}
function summedLevels(tracks) {
	const out = Array.from({length: N}, () => new Float64Array(S.floors.length));
	for (const t of tracks)
		t.levels.forEach(([first, ...counts], i) =>
			counts.forEach((n, k) => {
				out[i][first + k] += n;
			}),
		);
	return out;
}
function percentileLevel(levels, p) {
	const total = levels.reduce((a, b) => a + b, 0);
	let left = Math.ceil(p * total);
	return total ? levels.findIndex(n => (left -= n) <= 0) : -1;
}
// Copies below a stacked device are the same I/O again: they count with their device alone.
const ofDevice = name => S.tracks.filter(t => (name ? deviceOf(t) === name : !t.copy));

const DEVICES = S
	? [...new Set(S.tracks.map(deviceOf))]
			.map(name => ({
				name,
				busy: summed(ofDevice(name), "depth").reduce((a, b) => a + b, 0),
			}))
			.sort((a, b) => b.busy - a.busy)
			.map(d => d.name)
	: [];

// --- the cursor ----------------------------------------------------------------------

let cursors = []; // {line, x} of every chart on show
let cursor = null;

function moveCursor(i) {
	cursor = i;
	cursors = cursors.filter(c => c.line.isConnected);
	for (const c of cursors) {
		c.line.setAttribute("visibility", i === null ? "hidden" : "visible");
		if (i !== null)
			["x1", "x2"].forEach(a => c.line.setAttribute(a, c.x(startOf(i) + widthOf(i) / 2)));
	}
}

// Makes a chart a slider over time: the pointer and the keys step, what stands there is told.
function steppable(node, {x, width, top, bottom, label, describe}) {
	const line = svg("line", {class: "cursor", y1: top, y2: bottom, visibility: "hidden"});
	cursors.push({line, x});
	fill(
		node,
		{
			tabindex: 0,
			role: "slider",
			"aria-label": label,
			"aria-valuemin": 0,
			"aria-valuemax": N - 1,
			"aria-valuenow": 0,
			"aria-valuetext": "use the arrow keys to step through the run",
		},
		[line],
	);
	const go = (i, at) => {
		moveCursor(i);
		node.setAttribute("aria-valuenow", i);
		node.setAttribute("aria-valuetext", describe(i));
		showTip(describe(i), ...at);
	};
	const bucketAt = px =>
		Math.min(
			N - 1,
			Math.max(
				0,
				Math.floor(
					(((px - MARGIN.left) / (width - MARGIN.left - MARGIN.right)) *
						span()) /
						S.width_ns,
				),
			),
		);
	node.addEventListener("pointermove", e => {
		const px = e.clientX - node.getBoundingClientRect().left;
		if (px >= MARGIN.left && px <= width - MARGIN.right) go(bucketAt(px), [e.clientX, e.clientY]);
	});
	node.addEventListener("pointerleave", () => {
		moveCursor(null);
		hideTip();
	});
	node.addEventListener("blur", () => {
		moveCursor(null);
		hideTip();
	});
	node.addEventListener("keydown", e => {
		const now = cursor ?? 0,
			page = Math.ceil(N / 20);
		const next = {
			ArrowLeft: now - 1,
			ArrowRight: cursor === null ? 0 : now + 1,
			ArrowDown: now - 1,
			ArrowUp: now + 1,
			PageDown: now - page,
			PageUp: now + page,
			Home: 0,
			End: N - 1,
		}[e.key];
		if (next === undefined) return;
		e.preventDefault();
		const i = Math.min(N - 1, Math.max(0, next)),
			box = node.getBoundingClientRect();
		go(i, [box.left + x(startOf(i)), box.top + top + 8]);
	});
	return node;
}

function timeAxis(x, width, y) {
	const labels = timeTicks(span(), width < 560 ? 5 : 10).map(t => [
		svg("line", {class: "axis", x1: x(t), x2: x(t), y1: y, y2: y + 4}),
		svg("text", {x: x(t), y: y + 17, "text-anchor": "middle"}, moment(t)),
	]);
	return svg("g", {}, svg("line", {class: "axis", x1: x(0), x2: x(span()), y1: y, y2: y}), labels.flat());
}
const timeScale = width => linear(0, span(), MARGIN.left, width - MARGIN.right);
const stamp = i => `${clock(startOf(i))} (+${moment(startOf(i))})`;
