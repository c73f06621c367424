// Findings, who waited on what, and what the requests looked like: lists with bars, which are text as well.
"use strict";

// --- findings -----------------------------------------------------------------------

const UNITS = {_ns: [duration, "time"], _pct: [percent, "share"], _bytes: [bytes, "bytes"]};
const unitOf = name => Object.keys(UNITS).find(u => name.endsWith(u)) ?? "";
const bare = name => name.slice(0, name.length - unitOf(name).length);

// The value has its unit; the name tells it only where two would be called alike.
function withUnit(name, value, names) {
	const [format, what] = UNITS[unitOf(name)] ?? [/id$/.test(name) ? String : v => v.toLocaleString("en-US"), ""];
	const alike = names.filter(n => bare(n) === bare(name)).length > 1;
	return [alike ? `${bare(name)} ${what}` : bare(name), typeof value === "number" ? format(value) : String(value)];
}

function files(list) {
	return el(
		"ul",
		{class: "files"},
		list.map(f =>
			el("li", {}, el("span", {}, NAMES.file(f)), f.wait_ns ? el("b", {}, ` ${duration(f.wait_ns)}`) : null),
		),
	);
}

function finding(f) {
	const {files: list, ...rest} = f.evidence ?? {};
	const evidence = Object.entries(rest).map(([name, value]) => withUnit(name, value, Object.keys(rest)));
	return el(
		"li",
		{class: "finding"},
		el("p", {}, f.text),
		evidence.length
			? el(
					"dl",
					{},
					evidence.map(([name, value]) =>
						el(
							"div",
							{},
							el("dt", {}, name.replaceAll("_", " ")),
							el("dd", {}, value),
						),
					),
				)
			: null,
		list ? files(list) : null,
		el("code", {}, f.subject ? `${f.code}: ${f.subject}` : f.code),
	);
}

if (RUN.findings) {
	$("plain-findings").remove();
	$("findings-h").after(
		RUN.findings.length
			? el("ol", {class: "findings"}, RUN.findings.map(finding))
			: el("p", {}, "Nothing stands out in these numbers."),
	);
}

function stuck(s) {
	const what = [s.op, where({device: s.device})].filter(Boolean).join(" on ");
	const whose = s.process || s.via || s.container ? who(s) : "an unknown process";
	return el(
		"li",
		{class: "finding"},
		el("p", {}, `${whose}: ${what}, ${duration(s.age_ns)} in flight, ${s.stage}`),
	);
}
if (RUN.stuck?.length)
	$("findings").append(
		el("h3", {}, "Still in flight at the end"),
		el("ol", {class: "findings"}, RUN.stuck.map(stuck)),
	);

// --- bars -----------------------------------------------------------------------------

const REASONS = {
	disk: ["disk", "--c0"],
	throttle: ["its cgroup's limit", "--c1"],
	network_fs: ["network file system", "--c2"],
	fuse: ["FUSE", "--c3"],
	page_fault: ["page faults", "--c4"],
	other: ["other", "--c7"],
};
const STAGES = {
	queue: ["in the queue", "--queue", true],
	device: ["in the device", "--device"],
	whole: ["not told apart", "--c7"],
};

const share = ns => {
	const part = ns / RUN.duration_ns;
	return part > 1.005 ? `${part.toFixed(1)} at a time` : `${percent(100 * part)} of the run`;
};

function segments(parts, kinds, scale) {
	return el(
		"span",
		{class: "bar", "aria-hidden": "true"},
		Object.entries(kinds).map(([key, [label, color, hatched]]) =>
			parts[key] > 0
				? el("span", {
						class: hatched ? "hatched" : null,
						title: `${label}: ${duration(parts[key])}`,
						style: `width:${(100 * parts[key]) / scale}%;background-color:var(${color})`,
					})
				: null,
		),
	);
}
const inWords = (parts, kinds) =>
	Object.entries(kinds)
		.filter(([key]) => parts[key] > 0)
		.map(([key, [label]]) => `${duration(parts[key])} ${label}`)
		.join(", ");

function barList(entries, kinds) {
	const scale = Math.max(...entries.map(e => e.total), 1);
	return el(
		"ol",
		{class: "bars"},
		entries.map(e =>
			el(
				"li",
				{},
				el("span", {}, el("b", {}, e.name), el("small", {}, e.note)),
				segments(e.parts, kinds, scale),
				el("span", {class: "value"}, duration(e.total), el("small", {}, e.share)),
				el("span", {class: "quiet"}, inWords(e.parts, kinds)),
			),
		),
	);
}

function legend(kinds, used) {
	return el(
		"ul",
		{class: "legend"},
		Object.entries(kinds)
			.filter(([key]) => used.has(key))
			.map(([, [label, color, hatched]]) =>
				el(
					"li",
					{},
					el("i", {
						class: hatched ? "hatched" : null,
						style: `background-color:var(${color})`,
					}),
					label,
				),
			),
	);
}

function barChart(section, title, lead, entries, kinds) {
	const used = new Set(entries.flatMap(e => Object.keys(e.parts).filter(k => e.parts[k] > 0)));
	const list = barList(entries, kinds);
	section.append(
		el("h3", {}, title),
		el("p", {class: "lead"}, lead),
		legend(kinds, used),
		list,
		firstOf(list, 12) ?? "",
	);
}

// --- tasks: why they were blocked -------------------------------------------------------

function taskEntry(t) {
	const thread = t.thread && t.thread.tid !== t.process?.pid ? t.thread : null;
	const names = ["worker", "process", "thread", "container"]
		.filter(k => (k === "thread" ? thread : t[k]))
		.map(k => NAMES[k](t[k]));
	return {
		name: names[0] ?? who(t),
		note: names.slice(1).join(" · "),
		total: t.blocked_ns,
		parts: t.reasons,
		share: `${percent(t.blocked_pct)} of its time`,
	};
}

// --- requests: where their time went -------------------------------------------------------

const timeIn = latency => (latency ? latency.mean_ns * latency.count : 0);

function partsOf(row) {
	const {total, queue, device} = row.latency;
	return queue || device
		? {queue: timeIn(queue), device: timeIn(device), whole: 0}
		: {queue: 0, device: 0, whole: timeIn(total)};
}

function ownerEntries() {
	const owners = new Map();
	for (const row of DATA.rows) {
		const name = who(row),
			parts = partsOf(row);
		const e = owners.get(name) ?? {
			name,
			places: new Map(),
			ios: 0,
			total: 0,
			parts: {queue: 0, device: 0, whole: 0},
		};
		for (const key in parts) ((e.parts[key] += parts[key]), (e.total += parts[key]));
		e.ios += row.ios;
		e.places.set(where(row), (e.places.get(where(row)) ?? 0) + row.ios);
		owners.set(name, e);
	}
	return [...owners.values()].sort((a, b) => b.total - a.total);
}

function noted(e) {
	const places = [...e.places].filter(([place]) => place).sort((a, b) => b[1] - a[1]);
	const named = places.slice(0, 2).map(([place, n]) => `${place} ${count(n)}`);
	if (places.length > 2) named.push(`${places.length - 2} more`);
	return {...e, note: named.join(" · ") || requests(e.ios), share: share(e.total)};
}

// Those that waited for a thousandth of their time or of what the longest did.
const LONGEST = RUN.tasks?.[0]?.blocked_ns ?? 0;
const WAITING = (RUN.tasks ?? []).filter(t => t.blocked_ns && (t.blocked_pct >= 0.1 || t.blocked_ns > LONGEST / 1000));

if (WAITING.length) {
	barChart(
		$("who"),
		"Time blocked, by reason",
		"How long each task could not run because it waited for I/O.",
		WAITING.slice(0, 100).map(taskEntry),
		REASONS,
	);
	if (WAITING.length < RUN.tasks.length)
		$("who").append(
			el("p", {class: "note"}, `${count(RUN.tasks.length - WAITING.length)} more tasks hardly waited.`),
		);
} else if (RUN.tasks) {
	$("who").append(el("p", {}, "No task waited for I/O."));
} else
	$("who").append(
		el(
			"p",
			{class: "note"},
			"Why tasks waited (network, page faults, limits) was not collected; requests tell where their time went.",
		),
	);
barChart(
	$("who"),
	"Time in requests",
	"Latencies of all requests, summed. What several had in flight at once counts for each.",
	ownerEntries().map(noted),
	STAGES,
);
if (DATA.rows.length < DATA.rows_total)
	$("who").append(
		el(
			"p",
			{class: "note"},
			`From the first ${count(DATA.rows.length)} of ${count(DATA.rows_total)} rows.`,
		),
	);

// --- sizes ------------------------------------------------------------------------------

const SIZE_LO = 512;
const sized = DATA.rows.filter(r => r.size.mean_bytes);
const sizeHi = Math.max(4 * 1048576, ...sized.map(r => r.size.max_bytes));

function sizePlot(width, row) {
	const x = logarithmic(SIZE_LO, sizeHi, 6, width - 6),
		{min_bytes, mean_bytes, max_bytes} = row.size;
	return svg(
		"svg",
		{width, height: 18, "aria-hidden": "true"},
		[4096, 65536, 1048576].map(v =>
			svg("line", {class: "grid", x1: x(v), x2: x(v), y1: 0, y2: 18}),
		),
		svg("line", {
			x1: x(min_bytes),
			x2: Math.max(x(max_bytes), x(min_bytes) + 1),
			y1: 9,
			y2: 9,
			stroke: "var(--c0)",
			"stroke-width": 6,
			"stroke-linecap": "round",
			opacity: 0.4,
		}),
		svg("circle", {cx: x(mean_bytes), cy: 9, r: 5, fill: "var(--c0)"}),
	);
}
function sizeAxis(width) {
	const x = logarithmic(SIZE_LO, sizeHi, 6, width - 6);
	return svg(
		"svg",
		{width, height: 16, "aria-hidden": "true"},
		[4096, 65536, 1048576].map(v =>
			svg("text", {x: x(v), y: 12, "text-anchor": "middle"}, bytes(v)),
		),
	);
}
function randomness(row) {
	if (row.random_pct === null) return el("span", {class: "random"}, "–");
	return el(
		"span",
		{class: "random"},
		el(
			"span",
			{class: "bar", "aria-hidden": "true"},
			el("span", {
				style: `width:${row.random_pct}%;background-color:var(--c1)`,
			}),
		),
		el("span", {}, `${percent(row.random_pct)} random`),
	);
}
function sizeItem(row) {
	const plot = el("div", {}),
		s = row.size;
	const item = el(
		"li",
		{},
		el("span", {}, el("b", {}, who(row)), el("small", {}, where(row))),
		el(
			"div",
			{},
			plot,
			el(
				"small",
				{},
				s.min_bytes === s.max_bytes
					? `always ${bytes(s.min_bytes)}`
					: `${bytes(s.min_bytes)} to ${bytes(s.max_bytes)}, mean ${bytes(s.mean_bytes)}`,
			),
		),
		randomness(row),
	);
	return [item, plot, row];
}

if (sized.length) {
	const items = sized.map(sizeItem),
		axis = el("div", {}),
		list = el(
			"ol",
			{class: "sizes"},
			items.map(([item]) => item),
		);
	$("pattern").append(
		el(
			"p",
			{class: "lead"},
			"The range of sizes with the mean as a dot, and how many requests start more than 128 KiB from the end of the one before.",
		),
		el(
			"div",
			{class: "sizes"},
			el("li", {class: "axis", role: "presentation"}, el("span", {}), axis, el("span", {})),
		),
		list,
		firstOf(list, 12) ?? "",
	);
	draws(axis, sizeAxis, PAPER / 2);
	items.forEach(([, plot, row]) => draws(plot, width => sizePlot(width, row), PAPER / 2));
} else {
	$("pattern").append(el("p", {class: "note"}, "No request moved data."));
}
