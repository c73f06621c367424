// SPDX-License-Identifier: GPL-2.0
/* GPUs: how busy, whose, and how much of their idle time is their workers' waiting; AMD's from sysfs. */
#include "feed_waits.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/gpu.h"
#include "stats/gpus.h"

static void sample(struct fixture *f, uint64_t ms, uint32_t busy_pct)
{
	feed(f, a_gpu(0, T0 + MS(ms), busy_pct));
}

static void test_none(void **state)
{
	struct fixture *f = start_waits();

	whole(f, T0 + MS(100));
	assert_int_equal(f->s.n_gpus, 0);
	finish(f);
}

static void test_busy(void **state)
{
	struct fixture *f = start_waits();

	sample(f, 0, 77); /* of the time before the run */
	sample(f, 500, 100);
	sample(f, 1000, 50);
	interval(f, T0 + MS(1000));
	assert_int_equal(f->s.n_gpus, 1);
	assert_string_equal(f->s.gpus[0].name, "a GPU");
	assert_true(f->s.gpus[0].busy_pct == 75);
	assert_int_equal(f->s.gpus[0].memory_total, 1 << 30);
	sample(f, 2000, 0);
	interval(f, T0 + MS(2000));
	assert_true(f->s.gpus[0].busy_pct == 0);
	whole(f, T0 + MS(2000));
	assert_true(f->s.gpus[0].busy_pct == 37.5);
	assert_ms(f->s.gpus[0].compared_ns, 2000);
	assert_ms(f->s.gpus[0].idle_ns, 1250);
	assert_int_equal(f->s.gpus[0].n_samples, 3);
	finish(f);
}

/* Both workers wait for all of the second half. */
static struct fixture *train(uint32_t first_pct, uint32_t then_pct)
{
	struct fixture *f = start_waits();

	make_task(f, 101, "pt_data_worker");
	make_task(f, 102, "pt_data_worker");
	sample(f, 0, 0);
	feed(f, a_gpu_process(0, T0, 101));
	read_and_wait(f, 101, 1000, 2000);
	read_and_wait(f, 102, 1000, 2000);
	sample(f, 1000, first_pct);
	sample(f, 2000, then_pct);
	feed(f, a_gpu_process(0, T0 + MS(2000), 101));
	whole(f, T0 + MS(2000));
	return f;
}

static void test_starved(void **state)
{
	struct fixture *f = train(100, 0);
	const struct finding *g = finding_of(f, "gpu-starved");

	assert_non_null(g);
	assert_ms(f->s.gpus[0].idle_ns, 1000);
	assert_ms(f->s.gpus[0].starved_ns, 1000);
	assert_true(evidence_of(g, "idle_pct") == 50);
	assert_true(evidence_of(g, "explained_pct") == 100);
	assert_string_equal(finding_of(f, "gpu-starved")->subject, "GPU 0 (a GPU)");
	assert_int_equal(f->s.gpus[0].n_processes, 1);
	assert_int_equal(f->s.gpus[0].processes[0].process->pid, 101);
	assert_int_equal(f->s.gpus[0].processes[0].process->gpus, 1);
	finish(f);
}

/* Idle at other times than the workers wait: something else keeps it waiting. */
static void test_idle_but_not_starved(void **state)
{
	struct fixture *f = train(0, 100);

	assert_ms(f->s.gpus[0].idle_ns, 1000);
	assert_int_equal(f->s.gpus[0].starved_ns, 0);
	assert_not_found(f, "gpu-starved");
	finish(f);
}

static void test_busy_all_the_same(void **state)
{
	struct fixture *f = train(100, 90);

	assert_not_found(f, "gpu-starved");
	finish(f);
}

static void test_odd_samples(void **state)
{
	struct fixture *f = start_waits();

	sample(f, 100, 10);
	sample(f, 100, 10);
	sample(f, 50, 10);
	sample(f, 60, IOLAT_GPU_UNKNOWN);
	feed(f, a_gpu(GPUS_MAX, T0, 1));
	feed(f, a_gpu(~0u, T0, 1));
	feed(f, a_gpu_process(0, T0, 9999)); /* nobody that is known */
	feed(f, a_gpu(5, T0, IOLAT_GPU_UNKNOWN));
	whole(f, T0 + MS(200));
	assert_int_equal(f->s.n_gpus, 2);
	assert_int_equal(f->s.gpus[0].sampled, 0);
	assert_int_equal(f->s.gpus[0].n_processes, 0);
	assert_false(f->s.gpus[1].busy_known);
	finish(f);
}

/* A long run is kept coarser, and whole. */
static void test_many_samples(void **state)
{
	struct fixture *f = start_waits();
	const struct gpu *g;
	uint64_t ns = 0;

	for (uint64_t i = 0; i <= 10000; i++)
		sample(f, i * 500, 40);
	whole(f, T0 + MS(10000 * 500));
	g = &f->s.gpus[0];
	assert_in_range(g->n_samples, GPU_SAMPLES / 4, GPU_SAMPLES);
	for (size_t i = 0; i < g->n_samples; i++) {
		assert_int_equal(g->samples[i].busy_pct, 40);
		ns += g->samples[i].to_ns - g->samples[i].from_ns;
	}
	assert_ms(ns, 10000 * 500);
	assert_true(g->busy_pct == 40);
	finish(f);
}

/* --- AMD's ------------------------------------------------------------------------------ */

static void put(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int take(void *ctx, const void *data, size_t size)
{
	struct iolat_gpu *out = ctx;
	const struct iolat_gpu *e = data;

	assert_int_equal(size, sizeof(*e));
	assert_in_range(e->number, 0, 1);
	out[e->number] = *e;
	return 0;
}

static void test_sysfs(void **state)
{
	char drm[] = "/tmp/iolat-drm-XXXXXX", folder[200], command[64];
	struct iolat_gpu got[2] = {{.number = 9}, {.number = 9}};
	struct gpus *g;

	assert_non_null(mkdtemp(drm));
	assert_null(gpus_open(drm));
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = {"card1", "card0", "card0-DP-1", "renderD128"};

		snprintf(folder, sizeof(folder), "%s/%s", drm, names[i]);
		assert_int_equal(mkdir(folder, 0755), 0);
		strcat(folder, "/device");
		assert_int_equal(mkdir(folder, 0755), 0);
		put(folder, "gpu_busy_percent", i ? "33\n" : "250\n");
		if (i == 1) {
			put(folder, "product_name", "Instinct\n");
			put(folder, "mem_info_vram_used", "1000\n");
			put(folder, "mem_info_vram_total", "4000\n");
		}
	}
	g = gpus_open(drm);
	assert_non_null(g);
	assert_int_equal(gpus_sample(g, 5, &(struct sink){take, got}), 0);
	assert_string_equal(got[0].name, "Instinct");
	assert_int_equal(got[0].busy_pct, 33);
	assert_int_equal(got[0].memory_used, 1000);
	assert_int_equal(got[0].memory_total, 4000);
	assert_string_equal(got[1].name, "AMD");
	assert_int_equal(got[1].busy_pct, 100);
	assert_int_equal(got[1].memory_total, 0);
	gpus_close(g);
	snprintf(command, sizeof(command), "rm -r %s", drm);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_idle_but_not_starved),
		cmocka_unit_test(test_busy_all_the_same),
		cmocka_unit_test(test_odd_samples),
		cmocka_unit_test(test_many_samples),
		cmocka_unit_test(test_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
