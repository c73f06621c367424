// The table of rows: sorted by its headers, narrowed by a search.
"use strict";

const table = $("rows"),
	body = table.tBodies[0];
const HINTS = {
	queue_pct: "share of the time spent in the queue",
	rate: "bytes moved a second",
	wait: "latencies summed",
	random: "requests that start more than 128 KiB from the end of the one before",
	size: "mean size",
};

const valueOf = (row, column, numeric) => {
	const cell = row.cells[column];
	return numeric ? (cell.dataset.v === undefined ? null : Number(cell.dataset.v)) : cell.textContent;
};

function compare(a, b, numeric) {
	if (a === null || b === null) return (a === null) - (b === null); // what is not known stays at the end
	return numeric ? a - b : a.localeCompare(b, "en", {numeric: true});
}

// Numbers start with the largest, names with the first.
function sortBy(header) {
	const numeric = header.classList.contains("n"),
		column = header.cellIndex,
		now = header.getAttribute("aria-sort");
	const falling = now ? now === "ascending" : numeric;
	[...header.parentNode.cells].forEach(h => h.removeAttribute("aria-sort"));
	header.setAttribute("aria-sort", falling ? "descending" : "ascending");
	const keyed = [...body.rows].map(row => [valueOf(row, column, numeric), row]);
	keyed.sort(([a], [b]) =>
		a === null || b === null || !falling ? compare(a, b, numeric) : compare(b, a, numeric),
	);
	body.append(...keyed.map(([, row]) => row));
	$("live").textContent = `sorted by ${header.textContent}, ${falling ? "largest" : "smallest"} first`;
}

for (const header of table.tHead.rows[0].cells) {
	const button = el("button", {type: "button", title: HINTS[header.dataset.name]}, header.textContent);
	button.addEventListener("click", () => sortBy(header));
	header.replaceChildren(button);
}

const search = el("input", {type: "search", id: "search", size: 24});
const shown = el("span", {class: "note", style: "margin:0"});
function narrow() {
	const words = search.value.toLowerCase();
	const rows = [...body.rows].filter(
		row => !(row.hidden = !row.textContent.toLowerCase().includes(words)),
	);
	shown.textContent = `${count(rows.length)} of ${count(DATA.rows_total)} rows`;
}
search.addEventListener("input", narrow);
$("table-h").after(
	el("div", {class: "tools"}, el("label", {for: "search"}, "Only rows with "), search, shown),
);
narrow();
