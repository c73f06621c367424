"""`iolat report -f html`: real recordings as pages, opened in a browser."""
import os
import pathlib
import re

import pytest

from lib import base, browser, trace

LIMIT = 2_000_000  # bytes of any page


@pytest.fixture
def record(start_iolat, run_iolat, folder):
    """record(loads, disks) -> the file of a run over those loads."""
    def make(loads, disks):
        out = folder() / "run.iolat"
        selection = [w for d in disks for w in ("-d", d.name)]
        tracer = start_iolat("record", "-o", out, *selection)
        for load in loads:
            load.go()
        for load in loads:
            load.wait()
            assert load.proc.returncode == 0, load.stderr
        tracer.stop()
        trace.objects(run_iolat("report", out, "-f", "json", rc=0).stdout)  # notes what the kernel hid
        return out
    return make


@pytest.fixture
def page_of(run_iolat, folder):
    """page_of(recording, ...) -> the file of its page."""
    def make(recording, *args):
        out = folder() / "page.html"
        done = run_iolat("report", recording, "-f", "html", "-o", out, *args, rc=0)
        assert (done.stdout, done.stderr) == ("", "")
        assert out.stat().st_size < LIMIT
        return out
    return make


@pytest.fixture
def show(stack, folder):
    """show(file): in a browser; what must hold for every page is checked at once."""
    def make(file, **how):
        page = browser.Page(stack, folder(), file, **how)
        assert page.said == []
        assert [u for u in page.asked_for if not u.startswith("data:")] == [f"file://{file}"]
        assert not re.search(r"object Object|\bNaN\b|\bundefined\b", page.text("main"))
        return page
    return make


def named(held, folder, disk, name, count, direction="if"):
    """dd under another name, held."""
    program = folder() / name.replace("/", "\u2215")
    program.write_bytes(pathlib.Path("/bin/dd").read_bytes())
    program.chmod(0o755)
    other = {"if": "of=/dev/null", "of": "if=/dev/zero"}[direction]
    flag = {"if": "iflag=direct", "of": "oflag=direct"}[direction]
    return held(program, f"{direction}={disk.path}", other, flag, "bs=4k", f"count={count}")


@pytest.fixture
def two_loads(record, loop_disk, slow_disk, held, folder):
    """A recording of a reader of a slow disk and a writer of a fast one."""
    slow, fast = slow_disk(read_ms=10), loop_disk()
    loads = [named(held, folder, slow, "slow-worker", 30), named(held, folder, fast, "quick-writer", 400, "of")]
    return record(loads, [slow, fast]), loads, (slow, fast)


def names(page):
    """The first column of the table, as sorted."""
    return page.js("[...document.querySelectorAll('#rows tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].innerText)")


def column(page, name):
    return page.js(f"[...document.querySelectorAll('#rows tbody tr')].map(r => r.cells[document.querySelector("
                   f"'#rows th[data-name={name}]').cellIndex].innerText)")


# --- what it shows -----------------------------------------------------------------------

def test_who_waited_stands_on_top(two_loads, page_of, show):
    """The slow worker leads the bars with its disk, and every section has something."""
    recording, loads, (slow, fast) = two_loads
    page = show(page_of(recording))
    first = page.text("#who .bars li")
    assert f"slow-worker {loads[0].pid}" in first and f"{slow.name} read 30" in first
    assert "quick-writer" in page.text("#who") and page.text("#findings")
    for section, what in {"heat": "svg image", "load": "svg polyline", "spread": "svg rect", "pattern": "svg circle"}.items():
        assert page.js(f"document.querySelectorAll('#{section} {what}').length") > 0, section
    assert page.js("document.querySelectorAll('#heat figure').length") == 2, "reads and writes apart"
    assert {slow.name, fast.name} <= set(page.text("#load .legend").split())


def test_the_page_says_what_json_says(two_loads, page_of, show, run_iolat):
    """Rows, counts and completeness of the table are those of -f json; the timeline adds up to them."""
    recording, _, _ = two_loads
    page = show(page_of(recording))
    summary = trace.objects(run_iolat("report", recording, "-f", "json", rc=0).stdout)[-1]
    assert sorted(map(int, column(page, "ios"))) == sorted(r["ios"] for r in summary["rows"])
    assert sorted(column(page, "pid")) == sorted(str(r["process"]["pid"]) for r in summary["rows"])
    data = page.js("DATA")
    assert data["run"]["coverage"] == summary["coverage"]
    for field in ("ios", "bytes"):
        assert sum(sum(t[field]) for t in data["timeline"]["tracks"]) == trace.total(summary["rows"], field)
    counts = sum(sum(levels[1:]) for t in data["timeline"]["tracks"] for levels in t["levels"])
    assert counts == trace.total(summary["rows"], "ios")


def test_time_in_flight(two_loads, page_of, show):
    """The depth over time, summed, is the time that requests took."""
    page = show(page_of(two_loads[0]))
    depth, waited = page.js("[S.tracks.flatMap(t => t.depth.map((d, i) => d * widthOf(i))).reduce((a, b) => a + b),"
                            " DATA.rows.map(r => r.latency.total.mean_ns * r.ios).reduce((a, b) => a + b)]")
    assert depth == pytest.approx(waited, rel=0.05)


def test_how_it_was_made(two_loads, page_of, show):
    """The command that recorded, the host, the kernel, the devices."""
    recording, _, disks = two_loads
    made = show(page_of(recording)).text("#made")
    assert f"record -o {recording}" in made and f"-d {disks[0].name}" in made
    assert os.uname().nodename in made and os.uname().release in made and "block_rq_complete" in made
    assert all(re.search(rf"{d.name}\s.*none", made) for d in disks), "with their scheduler"


def test_a_hostile_name(record, loop_disk, held, folder, page_of, show):
    """A process may call itself anything; on the page it is text."""
    disk = loop_disk()
    script = "import os,sys,ctypes,mmap\nctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)\n" \
             "os.preadv(os.open(sys.argv[2], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 4096)], 0)\n"
    hostile = ["</script><b>", "<!--<script>", "<img src=x:>", "\"'><svg/a=1>", "]]>&lt;\u202eabc"]
    loads = [held(base.PYTHON, "-c", script, name, disk.path) for name in hostile]
    page = show(page_of(record(loads, [disk])))
    assert set(hostile[:4]) <= set(names(page)), names(page)
    assert all(name in page.text("#who") for name in hostile[:4])
    assert page.js("document.querySelectorAll('b b, img, td svg, table b').length") == 0
    assert "\u202e" not in page.text("body"), "what turns a line around does not reach it"


def test_without_scripts(two_loads, page_of, show):
    """Findings, table, completeness and facts stand there; no empty charts."""
    recording, loads, (slow, _) = two_loads
    page = show(page_of(recording), scripts=False)
    text = page.text("body")
    for what in ("slow-worker", str(loads[0].pid), slow.name, "Findings", "requests", "counted in the rows", os.uname().release,
                 "The charts need JavaScript"):
        assert what in text, what
    assert "Latency over time" not in text and "Theme" not in text


def test_findings_and_tasks(start_iolat, slow_disk, loop_disk, ext4, held, folder, page_of, show, run_iolat):
    """Of a loader's four workers one has a slow disk: that leads the page, with its numbers, and the bars of tasks."""
    points = [ext4(loop_disk()), ext4(slow_disk(read_ms=20))]
    for point in points:
        for i in range(20):
            (point / f"{i}.jpg").write_bytes(os.urandom(24 << 10))
        base.sh("sync", "-f", point)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    loader = held(base.PYTHON, base.TESTS / "demo" / "loader.py", *points)
    out = folder() / "run.iolat"
    tracer = start_iolat("record", "-o", out, "--pid", loader.pid, "-D", "3s")
    loader.go()
    tracer.wait()
    summary = trace.objects(run_iolat("report", out, "-f", "json", rc=0).stdout)[-1]
    said, task = trace.finding(summary, "worker-stuck"), summary["tasks"][0]
    for scripts in (True, False):
        page = show(page_of(out), scripts=scripts)
        assert said["text"] in page.text("#findings .finding") and said["code"] in page.text("#findings .finding")
    page = show(page_of(out))
    assert "blocked {:.1f}%".format(said["evidence"]["blocked_pct"]) in " ".join(page.text("#findings dl").split())
    bar = page.text("#who .bars li")
    assert task["worker"]["index"] == 2
    assert "worker 2" in bar and str(task["process"]["pid"]) in bar and "of its time" in bar and "disk" in bar


def test_what_hung_before(pausable_disk, doio, start_iolat, folder, page_of, show):
    """Whose it is nobody knows, whatever the rows go by; its disk and how long stand there."""
    disk, out = pausable_disk(), folder() / "run.iolat"
    disk.pause()
    load = doio("read", disk).go()
    base.wait_until("a request in flight", disk.in_flight)
    tracer = start_iolat("record", "-o", out, "-d", disk.name, "-D", "1200ms")
    tracer.wait()
    disk.resume()
    load.wait()
    for by in ("process,device", "device"):
        hung = show(page_of(out, "--by", by)).text("#findings ol:last-of-type")
        assert re.search(rf"^an unknown process: read on {disk.name}, \S+ in flight, device$", hung, re.M), hung


# --- how it is used -----------------------------------------------------------------------

def test_sorting_by_keyboard(two_loads, page_of, show):
    """Tab to a header, Enter sorts, again turns round; a screen reader is told."""
    page = show(page_of(two_loads[0]))
    page.tab_to("e.closest('th')?.dataset.name === 'ios'")
    page.press("Enter")
    header = "document.querySelector('#rows th[data-name=ios]').getAttribute('aria-sort')"
    assert (column(page, "ios"), page.js(header)) == (["400", "30"], "descending")
    assert "sorted by IOS" in page.js("document.getElementById('live').textContent")
    page.press("Enter")
    assert (column(page, "ios"), page.js(header)) == (["30", "400"], "ascending")
    page.tab_to("e.closest('th')?.dataset.name === 'rate'")
    page.press(" ")
    assert page.js(header) is None, "one column sorts"
    rates = list(map(float, column(page, "rate")))
    assert rates == sorted(rates, reverse=True)


def test_search(two_loads, page_of, show):
    page = show(page_of(two_loads[0]))
    page.js("(s => { s.value = 'SLOW'; s.dispatchEvent(new Event('input')); })(document.getElementById('search'))")
    assert names(page) == ["slow-worker"] and "1 of 2 rows" in page.text("#table")


def test_themes(two_loads, page_of, show):
    """As the system says, and by keyboard as the reader says; both readable, the heat map too."""
    page = show(page_of(two_loads[0]))
    ground = "getComputedStyle(document.body).backgroundColor"
    image = "document.querySelector('#heat image').getAttribute('href')"
    page.prefer(prefers_color_scheme="light")
    light, light_image = page.js(ground), page.js(image)
    page.prefer(prefers_color_scheme="dark")
    dark = page.js(ground)
    assert light != dark and base.wait_until("the heat map in dark", lambda: page.js(image) != light_image)
    page.tab_to("e.id === 'theme'")
    page.press("Enter")
    assert page.js(ground) == light and page.text("#theme") == "Theme: light" and page.js(image) == light_image
    page.press("Enter")
    page.prefer(prefers_color_scheme="light")
    assert page.js(ground) == dark and page.text("#theme") == "Theme: dark"
    assert page.said == []


CONTRAST = """
(() => {
	const light = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
	const bad = [];
	for (const e of document.querySelectorAll('main *, header *')) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length || e.closest('.quiet'))
			continue;
		const style = getComputedStyle(e), a = light(e.closest('svg') ? style.fill : style.color), b = light(ground(e));
		if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5)
			bad.push(e.tagName + ' ' + e.textContent.slice(0, 30));
	}
	return bad;
})()
"""


def test_contrast(two_loads, page_of, show):
    """Every text stands out from its ground by 4.5 to 1 (WCAG AA)."""
    page = show(page_of(two_loads[0]))
    for scheme in ("light", "dark"):
        page.prefer(prefers_color_scheme=scheme)
        assert page.js(CONTRAST) == [], scheme


def test_charts_by_keyboard(two_loads, page_of, show):
    """A chart is a slider: the arrows step through the run and what stands there is said."""
    page = show(page_of(two_loads[0]))
    page.tab_to("e.closest('#heat svg')")
    page.press("ArrowRight", 2)
    at = "document.activeElement.getAttribute('aria-valuenow')"
    assert page.js(at) == "1"
    page.press("End")
    assert page.js(at) == page.js("document.activeElement.getAttribute('aria-valuemax')")
    assert re.search(r"\d\d:\d\d:\d\d.*(read|no read)", page.js("document.activeElement.getAttribute('aria-valuetext')"), re.S)
    assert page.js("[...document.querySelectorAll('line.cursor')].filter(l => l.getAttribute('visibility') === 'visible').length") > 3
    page.tab_to("e.closest('#load svg')")
    page.press("Home")
    assert "MiB/s" in page.js("document.activeElement.getAttribute('aria-valuetext')") or page.js(at) == "0"


def test_everything_has_a_name(two_loads, page_of, show):
    """What can be focused or is a picture says what it is; headings have an order; ids are unique."""
    page = show(page_of(two_loads[0]))
    nameless = page.js("[...document.querySelectorAll('a, button, input, select, [tabindex=\"0\"], [role=img]')].filter(e => "
                       "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML.slice(0, 80))")
    assert nameless == []
    levels = page.js("[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:]))
    assert page.js("(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))") == 0
    assert page.js("document.documentElement.lang") == "en"


def test_nothing_is_wider_than_the_window(two_loads, page_of, show):
    """Also after the window became narrower."""
    page = show(page_of(two_loads[0]))
    for width in (1280, 480, 320):
        page.resize(width)
        base.wait_until("charts of that width",
                        lambda: page.js("document.querySelector('#heat figure svg').clientWidth") < width)
        assert page.js("document.documentElement.scrollWidth") <= width


# --- any run ---------------------------------------------------------------------------------

def test_many_processes(record, loop_disk, held, folder, page_of, show):
    """Hundreds of processes: small, all in the table, the charts on request."""
    disk = loop_disk()
    many = held("sh", "-c", f"for i in $(seq 400); do dd if={disk.path} of=/dev/null iflag=direct bs=4k count=3 2> /dev/null; done")
    page = show(page_of(record([many], [disk])))
    assert len(names(page)) >= 400
    assert page.js("[...document.querySelectorAll('#spread figure')].filter(f => !f.hidden).length") == 9
    page.js("document.querySelector('#spread .more').click()")
    assert page.js("[...document.querySelectorAll('#spread figure')].filter(f => !f.hidden).length") == page.js("DATA.rows.length")
    assert page.js("document.querySelectorAll('#spread figure:last-of-type svg').length") == 1, "also drawn"


def test_an_empty_run(record, loop_disk, page_of, show):
    """Nothing happened: a page that says so."""
    page = show(page_of(record([], [loop_disk()])))
    assert names(page) == [] and "No requests." in page.text("#spread")


@pytest.mark.parametrize("by", ["op", "thread,cgroup,device"])
def test_other_rows(two_loads, page_of, show, by):
    """Whatever the rows stand for, each has a bar, a histogram and a line in the table."""
    recording, _, _ = two_loads
    page = show(page_of(recording, "--by", by))
    rows = page.js("DATA.rows.length")
    assert rows >= 2 and len(names(page)) == rows
    assert page.js("document.querySelectorAll('#spread figure').length") == rows
    assert page.js("document.querySelectorAll('#who .bars li').length") >= 1


def test_only_reports_are_pages(run_iolat):
    done = run_iolat("-f", "html", "-D", "10ms", rc=2)
    assert re.fullmatch("iolat: --format 'html': not a format of 'iolat'; .*--help.*\n", done.stderr), done.stderr
