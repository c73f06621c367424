// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of real processes: children of this test with an environment and a command
 * line of its choice. Needs no privileges, for they are its own.
 */
#include "fake_host.h"
#include "feed.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/process_facts.h"

struct heard {
	struct iolat_process_facts last;
	size_t n;
};

static int hear(void *ctx, const void *data, size_t size)
{
	struct heard *h = ctx;

	assert_int_equal(size, sizeof(h->last));
	memcpy(&h->last, data, size);
	h->n++;
	return 0;
}

struct fixture {
	struct process_facts facts;
	struct heard heard;
	pid_t child;
	int end; /* the child lives until this is closed */
};

/* The kernel closes what exec closes before it sets what cmdline and environ show. Of a child that has neither that cannot
 * be seen. */
static void await_arguments(pid_t pid)
{
	char path[64], c;
	ssize_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	for (int i = 0; i < 200 && n < 1; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		n = read(fd, &c, 1);
		close(fd);
		usleep(n < 1 ? 1000 : 0);
	}
}

/* Runs `cat` with these arguments and environment, until finish(). */
static struct fixture *start_child(char *const argv[], char *const env[])
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	const struct sink sink = {hear, &f->heard};
	int input[2], running[2];
	char c;

	process_facts_init(&f->facts, "", &sink);
	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	assert_int_equal(pipe2(running, O_CLOEXEC), 0);
	f->child = fork();
	if (!f->child) {
		dup2(input[0], STDIN_FILENO);
		execve("/bin/cat", argv, env);
		_exit(127);
	}
	close(input[0]);
	close(running[1]);
	assert_int_equal(read(running[0], &c, 1), 0); /* closed by exec */
	close(running[0]);
	await_arguments(f->child);
	f->end = input[1];
	return f;
}

static void finish(struct fixture *f)
{
	close(f->end);
	waitpid(f->child, NULL, 0);
	process_facts_free(&f->facts);
	test_free(f);
}

static void read_facts(struct fixture *f)
{
	assert_int_equal(process_facts_read(&f->facts, (uint32_t)f->child, 0), 0);
}

static void told(struct fixture *f, enum iolat_task_what what, const char *comm)
{
	struct iolat_task e = a_task(what, (uint32_t)f->child, 1, comm);

	assert_int_equal(process_facts_task(&f->facts, &e), 0);
}

#define ARGS(...) ((char *const[]){__VA_ARGS__, NULL})

static void test_a_rank(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("A=1", "RANK=3", "WORLD_SIZE=4"));

	read_facts(f);
	assert_int_equal(f->heard.n, 1);
	assert_int_equal(f->heard.last.tgid, f->child);
	assert_int_equal(f->heard.last.rank, 3);
	assert_int_equal(f->heard.last.world_size, 4);
	assert_int_equal(f->heard.last.flags, 0);
	assert_true(f->heard.last.start_ns > 0);
	finish(f);
}

/* In a container the host's /proc lies below the root that is looked at. */
static void test_below_another_root(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("RANK=3"));

	f->facts.root = "/no/such/root";
	read_facts(f);
	assert_int_equal(f->heard.n, 0);
	process_facts_free(&f->facts);
	process_facts_init(&f->facts, "/proc/self/root", &(struct sink){hear, &f->heard});
	read_facts(f);
	assert_int_equal(f->heard.last.rank, 3);
	finish(f);
}

static void test_a_large_environment(void **state)
{
	const size_t size = 100000;
	char *large = test_calloc(1, size);
	struct fixture *f;

	memset(large, 'x', size - 1);
	memcpy(large, "SECRET=", 7);
	f = start_child(ARGS("cat"), ARGS(large, "RANK=5"));
	read_facts(f);
	assert_int_equal(f->heard.last.rank, 5);
	test_free(large);
	finish(f);
}

static void test_an_empty_environment(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), (char *const[]){NULL});

	read_facts(f);
	assert_int_equal(f->heard.n, 1);
	assert_int_equal(f->heard.last.rank, -1);
	finish(f);
}

static void test_a_command_line(void **state)
{
	struct fixture *f = start_child(ARGS("cat", "-", "--", "--multiprocessing-fork"), ARGS("A=1"));

	read_facts(f);
	assert_int_equal(f->heard.last.flags, IOLAT_FACT_SPAWNED);
	finish(f);
}

static void test_once_a_process_and_program(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("A=1"));
	uint32_t pid = (uint32_t)f->child;

	assert_int_equal(process_facts_io(&f->facts, pid), 0);
	assert_true(f->heard.n > 1); /* its parent's before its own */
	assert_int_equal(f->heard.last.tgid, pid);
	f->heard.n = 0;
	assert_int_equal(process_facts_io(&f->facts, pid), 0);
	assert_int_equal(process_facts_io(&f->facts, pid + PROCESS_FACTS_LATELY), 0);
	assert_int_equal(process_facts_io(&f->facts, pid), 0);
	told(f, IOLAT_TASK_COMM, "python3");
	told(f, IOLAT_TASK_EXIT, "python3");
	assert_int_equal(process_facts_io(&f->facts, pid), 0);
	assert_int_equal(f->heard.n, 0);
	told(f, IOLAT_TASK_EXEC, "cat"); /* to be read when it matters */
	assert_int_equal(f->heard.n, 0);
	assert_int_equal(process_facts_io(&f->facts, pid), 0);
	assert_int_equal(f->heard.n, 1);
	told(f, IOLAT_TASK_EXEC, "python3"); /* at once */
	assert_int_equal(f->heard.n, 2);
	told(f, IOLAT_TASK_NEW, "python3");
	assert_int_equal(f->heard.n, 2);
	finish(f);
}

/* Of one that has ended and is not waited for, /proc has a start but nothing else. */
static void test_a_process_that_has_ended(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("RANK=3"));
	siginfo_t info;

	kill(f->child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)f->child, &info, WEXITED | WNOWAIT), 0);
	read_facts(f);
	assert_int_equal(f->heard.n, 0);
	finish(f);
}

/* A process chooses what stands in these files, and how much (prctl(2), PR_SET_MM_MAP): no more is read than such texts have, and
 * what is cut there is no number. */
static void test_an_environment_without_end(void **state)
{
	static const char stat[] = "7 (x) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n";
	struct heard heard = {.n = 0};
	struct process_facts facts;
	char root[FAKE_HOST_ROOT];
	FILE *f;

	fake_host_make(root);
	fake_host_write(root, "/proc/7/task/7/stat", stat, strlen(stat));
	fake_host_write(root, "/proc/7/cmdline", "python3", 8);
	f = fake_host_open(root, "/proc/7/environ", "w");
	fwrite("SLURM_JOB_ID=8\0", 15, 1, f);
	for (int i = 0; i < 5 << 20; i++)
		putc('x', f);
	fwrite("\0RANK=3", 8, 1, f);
	assert_int_equal(fclose(f), 0);

	process_facts_init(&facts, root, &(struct sink){hear, &heard});
	assert_int_equal(process_facts_read(&facts, 7, 0), 0);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.last.slurm_job, 8);
	assert_int_equal(heard.last.rank, -1);
	process_facts_free(&facts);
	fake_host_remove(root);
}

static void test_nobody(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("A=1"));

	assert_int_equal(process_facts_read(&f->facts, 0x7fffffff, 2), 0);
	assert_int_equal(process_facts_io(&f->facts, 0), 0);
	assert_int_equal(f->heard.n, 0);
	finish(f);
}

/* The name stands in brackets before the numbers in /proc/PID/stat, and may have some itself. */
static void test_a_name_with_brackets(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("A=1"));
	char before[IOLAT_COMM_LEN];
	uint64_t start;

	assert_int_equal(process_facts_read(&f->facts, (uint32_t)getpid(), 0), 0);
	start = f->heard.last.start_ns;
	prctl(PR_GET_NAME, before);
	prctl(PR_SET_NAME, "x) R 7 8 9 10 (");
	map_clear(&f->facts.read);
	f->heard.last.start_ns = 0;
	assert_int_equal(process_facts_read(&f->facts, (uint32_t)getpid(), 0), 0);
	prctl(PR_SET_NAME, before);
	assert_int_equal(f->heard.last.start_ns, start);
	finish(f);
}

/* In a turn only so many are read, be they gone or not; the others when they are met again. */
static void test_only_so_many_in_a_turn(void **state)
{
	struct fixture *f = start_child(ARGS("cat"), ARGS("A=1"));

	process_facts_turn(&f->facts);
	for (uint32_t pid = 0; pid < PROCESS_FACTS_A_TURN; pid++)
		assert_int_equal(process_facts_read(&f->facts, 0x7fff0000 + pid, 0), 0);
	read_facts(f);
	assert_int_equal(f->heard.n, 0);
	process_facts_turn(&f->facts);
	read_facts(f);
	assert_int_equal(f->heard.n, 1);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_so_many_in_a_turn),
		cmocka_unit_test(test_a_rank),
		cmocka_unit_test(test_below_another_root),
		cmocka_unit_test(test_a_large_environment),
		cmocka_unit_test(test_an_empty_environment),
		cmocka_unit_test(test_a_command_line),
		cmocka_unit_test(test_once_a_process_and_program),
		cmocka_unit_test(test_a_process_that_has_ended),
		cmocka_unit_test(test_an_environment_without_end),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_a_name_with_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
