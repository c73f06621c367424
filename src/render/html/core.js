// What every chart needs: the data, elements, numbers with units, scales, the theme, the tip.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const RUN = DATA.run;
const $ = id => document.getElementById(id);

// --- elements ---------------------------------------------------------------------
// Texts go in as text nodes: nothing that a process called itself is ever parsed.

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? "" : value);
	node.append(...children.flat().filter(c => c !== null && c !== undefined));
	return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// --- numbers ----------------------------------------------------------------------

const count = n => Math.round(n).toLocaleString("en-US");

// Three significant digits, as in the tables; `brief` for axes: nothing behind the point that is nothing.
function scaled(v, units, base, brief) {
	let i = 0;
	while (i + 1 < units.length && v >= base * 0.9995) ((v /= base), i++);
	const text = v.toFixed(v >= 99.95 || (i === 0 && Number.isInteger(v)) ? 0 : v >= 9.995 ? 1 : 2);
	return (brief ? String(Number(text)) : text) + units[i];
}

function duration(ns, brief) {
	if (ns < 1e9) return scaled(ns, ["ns", "us", "ms"], 1000, brief);
	const s = ns / 1e9;
	return s < 600
		? scaled(s, ["s"], 1e9, brief)
		: s < 36000
			? scaled(s / 60, ["m"], 1e9, brief)
			: scaled(s / 3600, ["h"], 1e9, brief);
}
const requests = n => `${count(n)} ${n === 1 ? "request" : "requests"}`;
const moment = ns => (ns ? duration(ns, true) : "0");
const bytes = n => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], 1024, true);
const rate = n => (n ? bytes(n) + "/s" : "0");
const brief = n => scaled(n, ["", "k", "M", "G"], 1000, true);
const percent = v => (v > 0 && v < 0.05 ? "<0.1" : v >= 99.95 || v === 0 ? v.toFixed(0) : v.toFixed(1)) + "%";

// The wall clock at ns after the start, in the zone of the recording.
function clock(ns) {
	const zone = /([+-])(\d\d):(\d\d)$/.exec(RUN.start);
	const shift = zone ? (zone[1] + "1") * (zone[2] * 60 + +zone[3]) * 60000 : 0;
	const at = new Date(Date.parse(RUN.start) + shift + ns / 1e6);
	return at.toISOString().slice(11, RUN.duration_ns < 600e9 ? 21 : 19);
}

// --- names ------------------------------------------------------------------------

const processName = p => `${p.comm ?? "?"} ${p.pid}`;
const workerName = w =>
	`worker ${w.index ?? "?"}${w.rank === null || w.rank === undefined ? "" : `, rank ${w.rank}`}`;
const NAMES = {
	host: h => h.name ?? h,
	job: j => `job ${j.id}`,
	pod: p => `${p.namespace}/${p.name}`,
	container: c => c.name ?? `${c.runtime}:${/^[0-9a-f]{64}$/.test(c.id) ? c.id.slice(0, 12) : c.id}`,
	worker: workerName,
	process: processName,
	thread: t => `thread ${t.comm ?? "?"} ${t.tid}`,
	cgroup: c => c.path ?? `cgroup ${c.id}`,
	file: f => f.path ?? `inode ${f.inode}`,
	fs: f => `${f.type} ${f.source}`,
};

// Workers by process: the tasks tell them, whatever the rows go by.
const WORKERS = new Map((RUN.tasks ?? []).filter(t => t.worker && t.process).map(t => [t.process.pid, t.worker]));

// Whom a row or a task is about, without its device and operation.
function who(o) {
	const subject = o.process && !o.worker ? {...o, worker: WORKERS.get(o.process.pid)} : o;
	const names = Object.keys(NAMES)
		.filter(k => subject[k])
		.map(k => NAMES[k](subject[k]));
	if (o.via) names.push(`[${o.via}]`);
	if (names.length) return names.join(" · ");
	return RUN.by.some(k => k in NAMES) ? "nobody known" : "everybody";
}
const where = o => [o.device?.name, o.op].filter(Boolean).join(" ");

// --- scales -----------------------------------------------------------------------

const linear = (d0, d1, r0, r1) => v => r0 + ((v - d0) / (d1 - d0 || 1)) * (r1 - r0);
const logarithmic = (d0, d1, r0, r1) => {
	const f = linear(Math.log(d0), Math.log(d1), r0, r1);
	return v => f(Math.log(Math.max(v, d0)));
};

function niceStep(span, n, steps = [1, 2, 5]) {
	const power = 10 ** Math.floor(Math.log10(span / n || 1));
	return [...steps.map(s => s * power), 10 * power].find(s => span / s <= n) ?? 10 * power;
}
function ticks(max, n) {
	const step = niceStep(max, n),
		out = [];
	for (let i = 0; i * step <= max * 1.0001; i++) out.push(i * step);
	return out;
}
function timeTicks(span, n) {
	const steps = [
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
		172800,
	];
	const s = span / 1e9,
		step = s / n < 1 ? niceStep(s, n) : (steps.find(t => s / t <= n) ?? niceStep(s, n)),
		out = [];
	for (let i = 0; i * step <= s * 1.0001; i++) out.push(i * step * 1e9);
	return out;
}
// Powers of ten of a latency, fewer where there is no room.
function decades(lo, hi) {
	const out = [];
	for (let v = 10 ** Math.ceil(Math.log10(lo) - 1e-9); v <= hi * 1.0001; v *= 10) out.push(v);
	return out;
}

// --- charts are drawn anew when the width or the theme changes -----------------------

const PAPER = 700; // the width of a page
let drawn = [],
	printing = false;
function draws(box, draw, paper = PAPER) {
	drawn.push({box, draw, paper, width: 0});
	redraw(drawn.at(-1));
}
function redraw(chart) {
	const width = Math.min(chart.box.clientWidth, printing ? chart.paper : Infinity);
	if (width <= 0) return; // not on show
	const node = chart.draw(width);
	if (node.hasAttribute("width"))
		node.setAttribute("viewBox", `0 0 ${width} ${node.getAttribute("height")}`);
	chart.width = width;
	chart.box.replaceChildren(node);
}
function redrawAll() {
	drawn = drawn.filter(chart => chart.box.isConnected);
	drawn.forEach(redraw);
}
addEventListener("resize", () =>
	drawn.forEach(chart => chart.box.clientWidth !== chart.width && redraw(chart)),
);

// --- controls ---------------------------------------------------------------------

let choices = 0;
function choice(title, options, chosen, change) {
	const name = `choice-${choices++}`;
	return el(
		"fieldset",
		{class: "choice"},
		el("legend", {}, title),
		options
			.map(([value, label], i) => {
				const input = el("input", {
					type: "radio",
					name,
					id: `${name}-${i}`,
					value,
					checked: value === chosen,
				});
				input.addEventListener("change", () => change(value));
				return [input, el("label", {for: `${name}-${i}`}, label)];
			})
			.flat(),
	);
}

// A list of which the first n stand there, the rest on request.
function firstOf(list, n) {
	const rest = [...list.children].slice(n);
	rest.forEach(item => {
		item.hidden = true;
	});
	if (!rest.length) return null;
	const button = el("button", {type: "button", class: "more"}, `Show ${count(rest.length)} more`);
	button.addEventListener("click", () => {
		rest.forEach(item => {
			item.hidden = false;
		});
		button.remove();
		redrawAll();
		rest[0].setAttribute("tabindex", "-1");
		rest[0].focus();
	});
	return button;
}

function showTip(text, x, y) {
	const tip = $("tip");
	tip.textContent = text;
	tip.hidden = false;
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(4, x + 14 + box.width > innerWidth ? x - box.width - 14 : x + 14)}px`;
	tip.style.top = `${Math.max(4, Math.min(y + 12, innerHeight - box.height - 4))}px`;
}
const hideTip = () => {
	$("tip").hidden = true;
};
addEventListener("scroll", hideTip, {passive: true});

// --- theme ------------------------------------------------------------------------

const THEMES = ["auto", "light", "dark"];
const darkWanted = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";

const isDark = () => theme === "dark" || (theme === "auto" && darkWanted.matches);
function setTheme(next) {
	theme = next;
	if (theme === "auto") document.documentElement.removeAttribute("data-theme");
	else document.documentElement.dataset.theme = theme;
	$("theme").textContent = `Theme: ${theme}`;
	redrawAll();
}
function remember() {
	try {
		localStorage.setItem("iolat-theme", theme);
	} catch {
		/* files may have no storage */
	}
}
function remembered() {
	try {
		return THEMES.find(t => t === localStorage.getItem("iolat-theme")) ?? "auto";
	} catch {
		return "auto";
	}
}
$("theme").addEventListener("click", () => {
	setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
	remember();
});
darkWanted.addEventListener("change", () => redrawAll());
document.querySelectorAll(".js").forEach(node => {
	node.hidden = false;
});
setTheme(remembered());

let before = "auto";
addEventListener("beforeprint", () => {
	before = theme;
	printing = true;
	setTheme("light");
});
addEventListener("afterprint", () => {
	printing = false;
	setTheme(before);
});

// --- where one is in the page -------------------------------------------------------

const links = new Map([...document.querySelectorAll("nav a")].map(a => [a.hash.slice(1), a]));
const spy = new IntersectionObserver(
	entries =>
		entries
			.filter(e => e.isIntersecting)
			.forEach(e => {
				links.forEach(a => a.removeAttribute("aria-current"));
				links.get(e.target.id)?.setAttribute("aria-current", "true");
			}),
	{rootMargin: "-20% 0px -70% 0px"},
);
document.querySelectorAll("section").forEach(section => spy.observe(section));
