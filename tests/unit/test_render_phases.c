// SPDX-License-Identifier: GPL-2.0
/* Phases and GPUs in every format: what is known, what is not, and names that are hostile. */
#include "render_fixture.h"

#include <stdio.h>

static const struct phase_worker *a_worker(struct fixture *f)
{
	static struct phase_worker w;

	w = (struct phase_worker){.process = &f->process, .worker = &f->worker, .wall_ns = 1000, .blocked_ns = 250};
	return &w;
}

static void two_phases(struct fixture *f)
{
	static struct phase phases[2];
	uint64_t start = f->frame.start_wall_ns;

	phases[0] = (struct phase){
		.name = "epoch 0", .start_wall_ns = start, .end_wall_ns = start + 1000, .duration_ns = 1000, .ios = 3,
		.bytes = 12288, .reread_known = true, .reread_bytes = 4096, .p50_ns = 60, .p99_ns = 70,
		.blocked_known = true, .blocked_pct = 25, .workers = a_worker(f), .n_workers = 1,
	};
	phases[1] = (struct phase){
		.name = "a,\"<b>", .start_wall_ns = start + 1000, .end_wall_ns = start + 2000, .duration_ns = 1000, .open = true};
	f->frame.type = SNAPSHOT_SUMMARY;
	f->frame.phases_known = true;
	f->frame.phases = phases;
	f->frame.n_phases = 2;
	f->options.phases = true;
}

static void test_json(void **state)
{
	struct fixture *f = *state;

	two_phases(f);
	fixture_expect_part(f, "json", "\"phases\":[{\"name\":\"epoch 0\",\"start\":\"");
	fixture_expect_part(f, "json",
			    "\"duration_ns\":1000,\"open\":false,\"ios\":3,\"bytes\":12288,\"reread_bytes\":4096,\"p50_ns\":60,"
			    "\"p99_ns\":70,\"blocked_pct\":25,\"workers\":[{\"process\":{\"pid\":812,");
	fixture_expect_part(f, "json",
			    "\"worker\":{\"index\":2,\"rank\":1,\"pid\":814,\"role\":\"dataloader-worker\"},\"wall_ns\":1000,"
			    "\"blocked_ns\":250,\"blocked_pct\":25}]},{\"name\":\"a,\\\"<b>\"");
	fixture_expect_part(f, "json",
			    "\"open\":true,\"ios\":0,\"bytes\":0,\"reread_bytes\":null,\"p50_ns\":null,\"p99_ns\":null,"
			    "\"blocked_pct\":null,\"workers\":null}],\"gpus\":null");
	f->frame.n_phases = 0;
	fixture_expect_part(f, "json", "\"phases\":[],");
}

static void test_csv(void **state)
{
	struct fixture *f = *state;

	two_phases(f);
	fixture_expect_part(f, "csv", ",phases_name,phases_end,phases_duration_ns,phases_ios,phases_bytes,phases_reread_bytes,"
				      "phases_p50_ns,phases_p99_ns,phases_blocked_pct\n");
	fixture_expect_part(f, "csv", ",phase,,,");
	fixture_expect_part(f, "csv", ",1000,3,12288,4096,60,70,25\n");
	fixture_expect_part(f, "csv", ",\"a,\"\"<b>\",");
	fixture_expect_part(f, "csv", ",1000,0,0,,,,\n");
	f->frame.type = SNAPSHOT_INTERVAL; /* only whole ones */
	fixture_expect_no_part(f, "csv", ",phase,");
}

static void test_table(void **state)
{
	struct fixture *f = *state;

	two_phases(f);
	fixture_expect_part(f, "table", "BLOCKED%  PHASE\n");
	fixture_expect_part(f, "table", "     12K      4.0K      60ns      70ns      25.0  epoch 0\n");
	fixture_expect_part(f, "table", "-         -         -         -  a,\"<b> ...\n");
	f->options.top = 1;
	fixture_expect_part(f, "table", "... and 1 phase before these\n");
}

static void test_page(void **state)
{
	struct fixture *f = *state;

	fixture_expect_no_part(f, "html", "Phases of the training");
	two_phases(f);
	fixture_expect_part(f, "html", "<h2 id=\"phases-h\">Phases of the training</h2>");
	fixture_expect_part(f, "html", "<tr><th scope=\"row\">epoch 0</th>");
	fixture_expect_part(f, "html", "<td class=\"n\">25.0 %</td>");
	fixture_expect_part(f, "html", "<th scope=\"row\">a,&quot;&lt;b&gt; (goes on)</th>");
}

static void test_gpus(void **state)
{
	struct fixture *f = *state;
	const struct gpu_process user = {&f->process, 0};
	struct gpu gpus[] = {
		{.number = 0, .name = "H\"x", .busy_known = true, .sampled = 1000, .busy_pct = 37.5, .memory_used = 1 << 20,
		 .memory_total = 1 << 30, .compared_ns = 1000, .idle_ns = 600, .starved_ns = 300, .processes = &user,
		 .n_processes = 1},
		{.number = 1, .name = "y"},
	};

	f->frame.gpus = gpus;
	f->frame.n_gpus = 2;
	f->process.gpus = 5;
	fixture_expect_part(f, "json",
			    "\"gpus\":[{\"index\":0,\"name\":\"H\\\"x\",\"busy_pct\":37.5,\"memory_used_bytes\":1048576,"
			    "\"memory_total_bytes\":1073741824,\"idle_ns\":600,\"starved_ns\":300,\"processes\":[{\"pid\":812,"
			    "\"comm\":\"fio\",\"memory_bytes\":null}]},{\"index\":1,\"name\":\"y\",\"busy_pct\":null,"
			    "\"memory_used_bytes\":null,\"memory_total_bytes\":null,\"idle_ns\":null,\"starved_ns\":null,"
			    "\"processes\":[]}]");
	fixture_expect_part(f, "table", "GPU 0 H\"x: 38 % busy, starved of I/O for 50 % of its idle time, memory 1.0M of 1.0G, used by 812\n");
	fixture_expect_part(f, "table", "GPU 1 y: no samples\n");
	fixture_expect_part(f, "table", "0,2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_json, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_csv, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_table, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_page, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_gpus, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests_name("render_phases", tests, NULL, NULL);
}
