// SPDX-License-Identifier: GPL-2.0
/* The page as text: what stands there without scripts, that no name gets out, that it stays small.
 */
#include "render_fixture.h"

#include <stdio.h>

#include "attrib/model.h"
#include "feed.h"

#define LIMIT	 2000000 /* bytes of a page */
#define MANY	 3000	 /* rows */
#define PATH_LEN 4000

static void frame_is_summary(struct fixture *f)
{
	f->frame.type = SNAPSHOT_SUMMARY;
}

static void test_frames_write_nothing(void **state)
{
	struct fixture *f = *state;

	fixture_expect(f, "html", "");
	f->frame.type = SNAPSHOT_ASKED;
	fixture_expect(f, "html", "");
}

static void test_the_page_stands_without_scripts(void **state)
{
	struct fixture *f = *state;

	frame_is_summary(f);
	fixture_expect_part(f, "html", "<title>box: who waited on the disk</title>");
	fixture_expect_part(f, "html", "Findings were not collected.");
	fixture_expect_part(
		f, "html",
		"<td>fio</td><td>read</td><td>vda</td><td class=\"n\" data-v=\"812\">812</td>");
	fixture_expect_part(f, "html", "<td>[writeback]</td>");
	fixture_expect_part(f, "html", "Complete: every request that was seen is in the rows.");
	f->frame.command = "iolat record '<x>'";
	fixture_expect_part(
		f, "html",
		"<th scope=\"row\">command</th><td>iolat record &#39;&lt;x&gt;&#39;</td>");
	fixture_expect_part(f, "html", "<th scope=\"row\">kernel</th><td>6.1.0</td>");
	fixture_expect_part(f, "html",
			    "<th scope=\"row\">hooks missing</th><td>block_bio_queue</td>");
	fixture_expect_no_part(f, "html", "<!--[");
}

static void test_findings_stand_there_as_text(void **state)
{
	struct finding said = {.code = "worker-stuck", .subject = "<b>", .text = "worker 2 waits"};
	struct fixture *f = *state;

	frame_is_summary(f);
	f->frame.findings_known = true;
	fixture_expect_part(f, "html", "Nothing stands out in these numbers.");
	f->frame.findings = &said;
	f->frame.n_findings = 1;
	fixture_expect_part(f, "html",
			    "<p>worker 2 waits</p><code>worker-stuck: &lt;b&gt;</code></li>");
}

static void test_what_is_missing_is_said(void **state)
{
	struct fixture *f = *state;

	frame_is_summary(f);
	f->frame.coverage.tally.lost = 1;
	fixture_expect_part(f, "html", "1 request (25%) in no row");
	fixture_expect_part(f, "html", "<tr class=\"trouble\"><th scope=\"row\">lost</th>");
	fixture_expect_part(f, "html",
			    "<th scope=\"row\">missed</th><td class=\"n\">not told</td>");
}

static void test_the_data_of_the_charts(void **state)
{
	struct fixture *f = *state;

	frame_is_summary(f);
	fixture_expect_part(f, "html", "{\"run\":{\"schema\":\"iolat/1\",\"type\":\"summary\"");
	fixture_expect_part(f, "html", "\"rows\":[],");
	fixture_expect_part(f, "html", "\"rows_total\":2,\"rows\":[{\"process\":{\"pid\":812,");
	/* 60 ns, and 45015 ns in a bucket of an eighth of 32768 */
	fixture_expect_part(f, "html", "\"histogram\":[63,1,45055,1]}");
	fixture_expect_part(f, "html", "\"timeline\":null}");
}

static void test_hostile_names_stay_text(void **state)
{
	struct fixture *f = *state;

	frame_is_summary(f);
	snprintf(f->process.comm, sizeof(f->process.comm), "</script><b>&\"");
	f->frame.host = "<!--[data]--><img>";
	f->frame.kernel = "'\x1b[31m\xff";
	fixture_expect_part(f, "html", "<td>&lt;/script&gt;&lt;b&gt;&amp;&quot;</td>");
	fixture_expect_part(f, "html", "\"comm\":\"\\u003c/script>\\u003cb>&\\\"\"");
	fixture_expect_part(f, "html", "<title>&lt;!--[data]--&gt;&lt;img&gt;");
	fixture_expect_part(f, "html", "<td>&#39;?[31m\xef\xbf\xbd</td>");
	fixture_expect_no_part(f, "html", "<img>");
	fixture_expect_no_part(f, "html", "</script><b>");
	snprintf(f->process.comm, sizeof(f->process.comm), "a\xe2\x80\xae" "b");
	fixture_expect_part(f, "html", "\"comm\":\"a?b\"");
	fixture_expect_no_part(f, "html", "\xe2\x80\xae");
}

static void test_the_table_obeys_its_options(void **state)
{
	const struct column *columns[] = {column_find("device"), column_find("ios")};
	struct fixture *f = *state;

	frame_is_summary(f);
	f->options.columns = columns;
	f->options.n_columns = 2;
	f->options.sort = columns[1];
	f->options.top = 1; /* is about a screen: here all rows stand */
	fixture_expect_part(f, "html",
			    "<tr><td>vda</td><td class=\"n\" data-v=\"2\">2</td></tr>\n"
			    "<tr><td>vda</td><td class=\"n\" data-v=\"1\">1</td></tr>\n</tbody>");
}

/* --- size ------------------------------------------------------------------------- */

/* A row with something in every bucket there is, under a name that every escape makes longer. */
static struct row *heavy_row(const struct fixture *f, const struct cgroup *g)
{
	struct row *row = test_calloc(1, sizeof(*row));

	*row = f->rows[1];
	row->subject.cgroup = g;
	for (struct hist *h = &row->total; h <= &row->size; h++) {
		hist_init(h);
		for (uint64_t v = 1; v < UINT64_C(1) << 40; v += v / 32 + 1)
			assert_int_equal(hist_add(h, v), 0);
	}
	return row;
}

/* As after days of it: every number is long. */
static void lengthen(struct timeline *s)
{
	struct timeline_track **t = &s->tracks[0][0][0];
	struct timeline_bucket *b;

	for (size_t i = 0; i < sizeof(s->tracks) / sizeof(*t); i++)
		for (b = t[i] ? t[i]->buckets : NULL; b && b < t[i]->buckets + TIMELINE_BUCKETS;
		     b++) {
			b->ios *= 100003;
			b->bytes *= 10007;
			for (size_t k = 0; k < TIMELINE_LEVELS; k++)
				b->levels[k] *= 100003;
		}
}

/* Requests of every disk, operation and latency at every time. */
static void heavy_timeline(struct timeline *s)
{
	struct iolat_request e = {.bytes = UINT32_MAX};
	uint64_t random = 88172645463325252;

	timeline_init(s);
	for (uint32_t number = 1; number <= TIMELINE_DISKS; number++) {
		struct known_disk *disk = calloc(1, sizeof(*disk));

		assert_non_null(disk);
		*disk = (struct known_disk){.refs = 1, .pub = {.number = number, .name = "disk"}};
		for (size_t i = 0; i < 30000; i++) {
			next_random(&random);
			e.op = (random >> 8) % IOLAT_OP_MAX;
			e.flags = (random >> 16) % 2 ? IOLAT_RQ_COPY : 0;
			e.end_ns = (random >> 20) % (TIMELINE_WIDTH_NS * TIMELINE_BUCKETS);
			e.queue_ns = UINT64_C(1) << (random >> 50) % 37;
			assert_int_equal(timeline_add(s, disk, &e), 0);
		}
		known_disk_unref(disk);
	}
	lengthen(s);
}

static void test_any_run_is_small(void **state)
{
	static char path[PATH_LEN];
	struct cgroup g = {.key = 1, .path = path};
	struct fixture *f = *state;
	struct row *heavy;
	const struct row *rows[MANY];
	struct timeline timeline;
	char *page;

	memset(path, '<', sizeof(path) - 1);
	heavy = heavy_row(f, &g);
	heavy_timeline(&timeline);
	for (size_t i = 0; i < MANY; i++)
		rows[i] = i % 2 ? heavy : &f->rows[1];
	frame_is_summary(f);
	FIXTURE_BY(f, BY_PROCESS, BY_CGROUP, BY_DEVICE, BY_OP);
	f->frame.rows = rows;
	f->frame.n_rows = MANY;
	f->frame.timeline = &timeline;
	page = fixture_render(f, "html");
	assert_in_range(strlen(page), LIMIT / 2, LIMIT); /* the parts are used, and no more */
	assert_non_null(strstr(page, "more rows with"));
	free(page);
	for (struct hist *h = &heavy->total; h <= &heavy->size; h++)
		hist_free(h);
	test_free(heavy);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_frames_write_nothing),
		FIXTURE_TEST(test_the_page_stands_without_scripts),
		FIXTURE_TEST(test_findings_stand_there_as_text),
		FIXTURE_TEST(test_what_is_missing_is_said),
		FIXTURE_TEST(test_the_data_of_the_charts),
		FIXTURE_TEST(test_hostile_names_stay_text),
		FIXTURE_TEST(test_the_table_obeys_its_options),
		FIXTURE_TEST(test_any_run_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
