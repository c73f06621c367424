// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks from the environments that launchers leave, and the shapes of command lines: what
 * counts, what does not, and what is never taken for more than it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "collect/environ.h"

/* The assignments up to NULL. */
static struct iolat_process_facts tell(const char *const *assignments)
{
	struct iolat_process_facts e = {.flags = IOLAT_FACT_PYTHON};
	struct environ_scan s;

	environ_init(&s);
	while (*assignments)
		environ_take(&s, *assignments++);
	environ_tell(&s, &e);
	return e;
}

#define TELL(...) tell((const char *const[]){__VA_ARGS__, NULL})

#define assert_rank(want, want_world, ...)                                                         \
	do {                                                                                       \
		struct iolat_process_facts told_ = TELL(__VA_ARGS__);                              \
                                                                                                   \
		assert_int_equal(told_.rank, want);                                                \
		assert_int_equal(told_.world_size, want_world);                                    \
	} while (0)

static void test_launchers(void **state)
{
	assert_rank(5, 8, "LOCAL_RANK=1", "RANK=5", "GROUP_RANK=2", "WORLD_SIZE=8");
	assert_rank(3, 4, "PMI_RANK=3", "PMI_SIZE=4");
	assert_rank(2, 4, "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4");
	assert_rank(2, 4, "MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4");
	assert_rank(1, 2, "HOROVOD_RANK=1", "HOROVOD_LOCAL_RANK=0", "HOROVOD_SIZE=2");
	assert_rank(1, 2, "PADDLE_TRAINER_ID=1", "PADDLE_TRAINERS_NUM=2");
	assert_rank(3, 4, "PADDLE_TRAINER_ID=1", "PADDLE_GLOBAL_RANK=3", "PADDLE_TRAINERS_NUM=4");
	assert_rank(6, 8, "SLURM_PROCID=6", "SLURM_LOCALID=2", "SLURM_STEP_NUM_TASKS=8");
	assert_rank(1, 4, "LOCAL_RANK=1", "NODE_RANK=0", "WORLD_SIZE=4");
	assert_rank(-1, 0, "HOME=/root");
}

/* The one next to the process wins over those around it. */
static void test_first_match_wins(void **state)
{
	assert_rank(3, 4, "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "RANK=3", "WORLD_SIZE=4");
	assert_rank(3, 4, "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1", "RANK=3",
		    "WORLD_SIZE=4");
	/* LOCAL_RANK set by hand from the launcher's own number */
	assert_rank(6, 8, "LOCAL_RANK=2", "SLURM_PROCID=6", "SLURM_STEP_NUM_TASKS=8");
	assert_rank(6, 8, "LOCAL_RANK=2", "OMPI_COMM_WORLD_RANK=6", "OMPI_COMM_WORLD_SIZE=8");
	/* Lightning's subprocesses within the only task of a step */
	assert_rank(2, 4, "LOCAL_RANK=2", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1",
		    "WORLD_SIZE=4");
}

/* --virtual-local-rank: LOCAL_RANK is 0 everywhere. */
static void test_virtual_local_rank(void **state)
{
	assert_rank(3, 4, "LOCAL_RANK=0", "RANK=3", "WORLD_SIZE=4", "CUDA_VISIBLE_DEVICES=3");
}

/* On another node than the first, LOCAL_RANK is no rank of the job, and SLURM_PROCID the node's. */
static void test_local_rank_of_another_node(void **state)
{
	assert_rank(-1, 0, "LOCAL_RANK=1", "NODE_RANK=1", "WORLD_SIZE=8");
	assert_rank(-1, 0, "LOCAL_RANK=1", "GROUP_RANK=2", "SLURM_PROCID=1");
	assert_int_equal(TELL("LOCAL_RANK=1").flags, IOLAT_FACT_PYTHON | IOLAT_FACT_LOCAL_RANK);
	assert_int_equal(TELL("LOCAL_RANK=1", "RANK=1").flags, IOLAT_FACT_PYTHON);
}

static void test_only_whole_numbers_count(void **state)
{
	assert_rank(-1, 0, "RANK=");
	assert_rank(-1, 0, "RANK=gold");
	assert_rank(-1, 0, "RANK=-1");
	assert_rank(-1, 0, "RANK=1x");
	assert_rank(-1, 0, "RANK=4294967296");
	assert_rank(-1, 0, "RANK");
	assert_rank(-1, 0, "XRANK=1");
	assert_rank(-1, 0, "RANKS=1");
	assert_rank(-1, 0, "=1");
	assert_rank(-1, 0, "");
	assert_rank(2, 4, "RANK=gold", "PMI_RANK=2", "PMI_SIZE=4");
}

static void test_world_that_the_rank_is_not_in(void **state)
{
	assert_rank(4, 0, "RANK=4", "WORLD_SIZE=4");
	assert_rank(4, 0, "RANK=4", "WORLD_SIZE=many");
}

static void test_slurm_job(void **state)
{
	assert_int_equal(TELL("SLURM_JOB_ID=123456").slurm_job, 123456);
	assert_int_equal(TELL("SLURM_JOB_ID=x").slurm_job, 0);
	assert_int_equal(TELL("SLURM_JOB_IDS=7").slurm_job, 0);
}

static unsigned int flags_of(const char *const *args)
{
	struct command_scan s = {.n = 0};

	while (*args && command_take(&s, *args))
		args++;
	return s.flags;
}

#define FLAGS(...) flags_of((const char *const[]){__VA_ARGS__, NULL})

#define SPAWN                                                                                      \
	"from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7)"
#define FORKSERVER "from multiprocessing.forkserver import main; main(6, 7, ['__main__'], **{})"
#define TRACKER	   "from multiprocessing.resource_tracker import main;main(4)"

static void test_command_lines_of_multiprocessing(void **state)
{
	assert_int_equal(FLAGS("python3", "-c", SPAWN, "--multiprocessing-fork"),
			 IOLAT_FACT_SPAWNED);
	assert_int_equal(FLAGS("/opt/py/bin/python", "-B", "-X", "dev", "-c", SPAWN),
			 IOLAT_FACT_SPAWNED);
	assert_int_equal(FLAGS("python3", "-s", "-c", FORKSERVER), IOLAT_FACT_FORKSERVER);
	assert_int_equal(FLAGS("python3", "-c", TRACKER), IOLAT_FACT_TRACKER);
	assert_int_equal(FLAGS("python3", "-c",
			       "from multiprocessing.semaphore_tracker import main;main(4)"),
			 IOLAT_FACT_TRACKER);
	assert_int_equal(FLAGS("train", "--multiprocessing-fork", "tracker_fd=5"),
			 IOLAT_FACT_SPAWNED);
}

/* Hugging Face datasets, joblib, celery. */
static void test_its_descendants(void **state)
{
	assert_int_equal(FLAGS("python3", "-c", "from multiprocess.spawn import spawn_main; x"),
			 IOLAT_FACT_SPAWNED);
	assert_int_equal(FLAGS("python3", "-m", "joblib.externals.loky.backend.popen_loky_posix",
			       "--process-name", "LokyProcess-1"),
			 IOLAT_FACT_SPAWNED);
	assert_int_equal(
		FLAGS("python3", "-c",
		      "from joblib.externals.loky.backend.resource_tracker import main; main(4)"),
		IOLAT_FACT_TRACKER);
}

static void test_command_lines_of_others(void **state)
{
	assert_int_equal(FLAGS("python3", "train.py"), 0);
	assert_int_equal(FLAGS("python3", SPAWN), 0); /* not behind -c */
	assert_int_equal(FLAGS("python3", "-c", "from multiprocessing import spawn"), 0);
	assert_int_equal(FLAGS("python3", "-c", "from mymultiprocessing.spawn import spawn_main"),
			 0);
	assert_int_equal(FLAGS("python3", "-c", "from shop.spawn import main"), 0);
	assert_int_equal(FLAGS("python3", "-c", "from "), 0);
	assert_int_equal(FLAGS("python3", "-c", ""), 0);
	assert_int_equal(FLAGS("python3", "-c"), 0);
	assert_int_equal(FLAGS("", "", ""), 0);
}

static void test_shells(void **state)
{
	assert_int_equal(FLAGS("/bin/sh", "-c", "cat x"), IOLAT_FACT_SHELL_COMMAND);
	assert_int_equal(FLAGS("bash", "-c", "cat x"), IOLAT_FACT_SHELL_COMMAND);
	assert_int_equal(FLAGS("sh", "script", "-c"), 0);
	assert_int_equal(FLAGS("ssh", "-c", "x"), 0);
}

static void test_python_programs(void **state)
{
	assert_true(command_is_python("/usr/bin/python3.11"));
	assert_true(command_is_python("/opt/conda/bin/python3.14 (deleted)"));
	assert_true(command_is_python("/usr/bin/pypy3"));
	assert_false(command_is_python("/usr/lib/python3/helper"));
	assert_false(command_is_python("/usr/bin/cpython-docs"));
	assert_false(command_is_python(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launchers),
		cmocka_unit_test(test_first_match_wins),
		cmocka_unit_test(test_virtual_local_rank),
		cmocka_unit_test(test_local_rank_of_another_node),
		cmocka_unit_test(test_only_whole_numbers_count),
		cmocka_unit_test(test_world_that_the_rank_is_not_in),
		cmocka_unit_test(test_slurm_job),
		cmocka_unit_test(test_command_lines_of_multiprocessing),
		cmocka_unit_test(test_its_descendants),
		cmocka_unit_test(test_command_lines_of_others),
		cmocka_unit_test(test_shells),
		cmocka_unit_test(test_python_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
