// SPDX-License-Identifier: GPL-2.0
/*
 * Workers in the rows: their index by batch, over epochs and beside each other, by every
 * start method, their ranks, and who is none. A loader is process 10, made of Python;
 * times are of one clock, in ms.
 */
#include "feed_run.h"

#define MS	  1000000ull
#define LOADER	  10
#define NO_WORKER (-1)

static uint64_t at(uint64_t ms)
{
	return 1000000000ull + ms * MS;
}

static struct iolat_task born(uint32_t ppid, uint32_t pid, uint64_t ms, const char *comm,
			      unsigned int flags)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, at(ms) + pid, comm);

	e.ppid = ppid;
	e.flags = flags;
	return e;
}

static void forks(struct fixture *f, uint32_t ppid, uint32_t pid, uint64_t ms)
{
	feed(f, born(ppid, pid, ms, "python3", IOLAT_TASK_FORKED));
}

/* As posix_spawn and subprocess do: by vfork. */
static void starts(struct fixture *f, uint32_t ppid, uint32_t pid, uint64_t ms, const char *comm)
{
	struct iolat_task e = born(ppid, pid, ms, "python3", 0);

	feed(f, e);
	e = a_task(IOLAT_TASK_EXEC, pid, at(ms) + pid, comm);
	feed(f, e);
}

static void facts(struct fixture *f, uint32_t pid, uint64_t ms, unsigned int flags)
{
	feed(f, some_process_facts(pid, at(ms) + pid, flags));
}

/* A child that runs Python and of which this is known at once. */
static void runs(struct fixture *f, uint32_t ppid, uint32_t pid, uint64_t ms, unsigned int flags)
{
	starts(f, ppid, pid, ms, "python3");
	facts(f, pid, ms, IOLAT_FACT_PYTHON | flags);
}

static void ranked(struct fixture *f, uint32_t pid, uint64_t ms, int32_t rank, unsigned int flags)
{
	struct iolat_process_facts e = some_process_facts(pid, at(ms) + pid, IOLAT_FACT_PYTHON);

	e.rank = rank;
	e.world_size = 4;
	e.flags |= flags;
	feed(f, e);
}

static void thread_of(struct fixture *f, uint32_t pid, uint64_t ms)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, 0, "python3");

	e.start_ns = at(0) + pid;
	e.ts_ns = e.begun_ns = at(ms);
	e.tid = pid + 1000;
	feed(f, e);
}

static void exits(struct fixture *f, uint32_t pid, uint64_t born_ms, uint64_t ms)
{
	struct iolat_task e = a_task(IOLAT_TASK_EXIT, pid, at(born_ms) + pid, "python3");

	e.ts_ns = at(ms);
	feed(f, e);
}

static void renames(struct fixture *f, uint32_t pid, uint64_t born_ms, const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_COMM, pid, at(born_ms) + pid, comm);

	e.ts_ns++;
	feed(f, e);
}

static void reads(struct fixture *f, uint32_t pid, uint64_t ms, uint32_t bytes)
{
	struct iolat_request e = a_request();

	e.tgid = e.tid = pid;
	e.end_ns = at(ms) + 100000;
	e.bytes = bytes;
	feed(f, e);
}

/* The loader is there from the beginning; its own parent is a shell. */
static struct fixture *start_loader(unsigned int by)
{
	struct fixture *f = start(by);

	feed(f, a_run());
	feed(f, a_task(IOLAT_TASK_SEEN, 1, 1, "init"));
	runs(f, 1, LOADER, 0, 0);
	return f;
}

/* The index that a process's reads count for, or NO_WORKER. */
static int index_of(struct fixture *f, uint32_t pid, uint64_t ms)
{
	const struct worker *w = NULL;

	interval(f, at(ms));
	reads(f, pid, ms, 4096);
	interval(f, at(ms) + MS);
	w = the_row(f)->subject.worker;
	if (w)
		assert_true(w->pid > 0);
	return w ? (int)w->index : NO_WORKER;
}

static const struct worker *worker_of_row(const struct fixture *f, uint64_t bytes)
{
	for (size_t i = 0; i < f->s.n_rows; i++)
		if (f->s.rows[i]->bytes == bytes)
			return f->s.rows[i]->subject.worker;
	fail_msg("no row of %llu bytes", (unsigned long long)bytes);
	return NULL;
}

#define BY_WORKERS (1u << BY_WORKER)

static void test_index_is_the_order_of_birth(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	for (uint32_t i = 0; i < 4; i++)
		forks(f, LOADER, 20 + i, 10 + i);
	/* asked in any order */
	assert_int_equal(index_of(f, 22, 50), 2);
	assert_int_equal(index_of(f, 20, 60), 0);
	assert_int_equal(index_of(f, 23, 70), 3);
	assert_int_equal(index_of(f, 21, 80), 1);
	assert_int_equal(index_of(f, LOADER, 90), NO_WORKER);
	finish(f);
}

/* Pids wrap; the kernel's time does not. */
static void test_index_after_a_pid_wrap(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 32767, 10);
	forks(f, LOADER, 300, 11);
	assert_int_equal(index_of(f, 300, 50), 1);
	assert_int_equal(index_of(f, 32767, 60), 0);
	finish(f);
}

static void test_a_new_epoch_sums_up(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);
	const struct worker *w;

	for (uint32_t i = 0; i < 2; i++)
		forks(f, LOADER, 20 + i, 10);
	thread_of(f, LOADER, 12);
	reads(f, 20, 20, 1000);
	reads(f, 21, 20, 2000);
	exits(f, 20, 10, 30);
	exits(f, 21, 10, 30);
	for (uint32_t i = 0; i < 2; i++)
		forks(f, LOADER, 30 + i, 40);
	thread_of(f, LOADER, 42);
	reads(f, 31, 50, 200);
	reads(f, 30, 50, 100);
	whole(f, at(100));
	assert_int_equal(f->s.n_rows, 2);
	w = worker_of_row(f, 1100);
	assert_int_equal(w->index, 0);
	assert_int_equal(w->pid, 30);
	assert_string_equal(w->name, "w0");
	w = worker_of_row(f, 2200);
	assert_int_equal(w->index, 1);
	assert_int_equal(w->pid, 31);
	finish(f);
}

/* Nobody asked for the first epoch's workers, and they started no threads. */
static void test_a_new_epoch_after_all_have_exited(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	forks(f, LOADER, 21, 11);
	exits(f, 20, 10, 30);
	exits(f, 21, 11, 31);
	forks(f, LOADER, 30, 32);
	forks(f, LOADER, 31, 33);
	assert_int_equal(index_of(f, 31, 50), 1);
	assert_int_equal(index_of(f, 30, 60), 0);
	finish(f);
}

/* One that crashed at once is no reason to count anew: those after it keep their numbers. */
static void test_one_exit_is_not_the_end_of_a_batch(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	forks(f, LOADER, 21, 11);
	exits(f, 20, 10, 12);
	forks(f, LOADER, 22, 13);
	assert_int_equal(index_of(f, 22, 50), 2);
	finish(f);
}

/* The exit of the first comes before the second is asked for, but after it was born. */
static void test_an_exit_after_the_next_birth(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	forks(f, LOADER, 21, 11);
	exits(f, 20, 10, 40);
	assert_int_equal(index_of(f, 21, 50), 1);
	finish(f);
}

static void test_loaders_coexist(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	for (uint32_t i = 0; i < 3; i++)
		forks(f, LOADER, 20 + i, 10);
	thread_of(f, LOADER, 12);
	for (uint32_t i = 0; i < 2; i++)
		forks(f, LOADER, 30 + i, 14);
	thread_of(f, LOADER, 16);
	/* nobody was asked for until all were there */
	assert_int_equal(index_of(f, 31, 50), 1);
	assert_int_equal(index_of(f, 30, 60), 0);
	assert_int_equal(index_of(f, 22, 70), 2);
	/* validation again, training goes on */
	exits(f, 30, 14, 80);
	exits(f, 31, 14, 80);
	forks(f, LOADER, 40, 90);
	assert_int_equal(index_of(f, 40, 95), 0);
	assert_int_equal(index_of(f, 21, 96), 1);
	finish(f);
}

static void test_a_pause_ends_a_batch_of_forks(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	forks(f, LOADER, 21, 900);
	forks(f, LOADER, 22, 2000);
	assert_int_equal(index_of(f, 22, 3000), 0);
	assert_int_equal(index_of(f, 21, 3100), 1);
	finish(f);
}

/* A thread may be told of twice: by the list of what was there at the start, and by the kernel's
 * event. */
static void test_a_thread_told_of_late_ends_nothing(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 20);
	thread_of(f, LOADER, 12);
	forks(f, LOADER, 21, 21);
	assert_int_equal(index_of(f, 21, 50), 1);
	thread_of(f, LOADER, 12);
	forks(f, LOADER, 22, 60);
	assert_int_equal(index_of(f, 22, 70), 2);
	finish(f);
}

/* The first worker by "spawn" has a resource tracker for a sibling; each imports for long. */
static void test_spawned_workers(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	runs(f, LOADER, 20, 10, IOLAT_FACT_TRACKER);
	for (uint32_t i = 0; i < 3; i++)
		runs(f, LOADER, 21 + i, 20 + 3000 * i, IOLAT_FACT_SPAWNED);
	thread_of(f, LOADER, 6100);
	starts(f, LOADER, 30, 6200, "nvidia-smi");
	runs(f, LOADER, 31, 6300, 0);
	runs(f, LOADER, 32, 6400, IOLAT_FACT_SPAWNED);
	assert_int_equal(index_of(f, 23, 9000), 2);
	assert_int_equal(index_of(f, 21, 9100), 0);
	assert_int_equal(index_of(f, 20, 9200), NO_WORKER);
	assert_int_equal(index_of(f, 30, 9300), NO_WORKER);
	assert_int_equal(index_of(f, 31, 9400), NO_WORKER);
	assert_int_equal(index_of(f, 32, 9500), 0);
	finish(f);
}

/* Their parent is the fork server, but the trainer's threads end their batches. */
static void test_workers_of_a_fork_server(void **state)
{
	enum { SERVER = 15 };
	struct fixture *f = start_loader(BY_WORKERS);

	runs(f, LOADER, 14, 5, IOLAT_FACT_TRACKER);
	runs(f, LOADER, SERVER, 6, IOLAT_FACT_FORKSERVER);
	for (uint32_t i = 0; i < 2; i++)
		forks(f, SERVER, 20 + i, 10 + i);
	thread_of(f, LOADER, 14);
	for (uint32_t i = 0; i < 2; i++)
		forks(f, SERVER, 30 + i, 20 + i);
	reads(f, 21, 50, 100);
	reads(f, 31, 50, 200);
	reads(f, SERVER, 50, 5000);
	whole(f, at(100));
	assert_int_equal(worker_of_row(f, 300)->index, 1);
	assert_int_equal(worker_of_row(f, 300)->role, ROLE_MP_SERVED);
	assert_null(worker_of_row(f, 5000));
	finish(f);
}

/* They take their name one after the other, and may be asked for before or after that. */
static void test_named_workers_of_a_fork_server(void **state)
{
	enum { SERVER = 15 };
	struct fixture *f = start_loader(BY_WORKERS);

	runs(f, LOADER, SERVER, 6, IOLAT_FACT_FORKSERVER);
	for (uint32_t i = 0; i < 3; i++)
		forks(f, SERVER, 20 + i, 10 + 2000 * i);
	renames(f, 20, 10, "pt_data_worker");
	assert_int_equal(index_of(f, 20, 5000), 0);
	assert_int_equal(index_of(f, 21, 5010), 1);
	renames(f, 21, 2010, "pt_data_worker");
	renames(f, 22, 4010, "pt_data_worker");
	assert_int_equal(index_of(f, 22, 5020), 2);
	assert_int_equal(the_row(f)->subject.worker->role, ROLE_DATALOADER_WORKER);
	assert_int_equal(index_of(f, 21, 5030), 1);
	finish(f);
}

/* Before subprocess used vfork: a fork that was taken for a worker, and then calls exec. */
static void test_a_fork_on_its_way_to_exec(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 19, 9);
	forks(f, LOADER, 20, 10);
	assert_int_equal(index_of(f, 20, 11), 1);
	feed(f, a_task(IOLAT_TASK_EXEC, 20, at(10) + 20, "ls"));
	assert_int_equal(index_of(f, 20, 13), NO_WORKER);
	forks(f, LOADER, 21, 14);
	assert_int_equal(index_of(f, 21, 15), 1);
	assert_int_equal(index_of(f, 19, 16), 0);
	finish(f);
}

/* A child by vfork shares its parent's memory until exec and is nobody's worker. */
static void test_a_child_by_vfork(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	feed(f, born(LOADER, 20, 10, "python3", 0));
	assert_int_equal(index_of(f, 20, 11), NO_WORKER);
	forks(f, LOADER, 21, 12);
	assert_int_equal(index_of(f, 21, 13), 0);
	feed(f, a_task(IOLAT_TASK_EXEC, 20, at(10) + 20, "ls"));
	assert_int_equal(index_of(f, 20, 14), NO_WORKER);
	forks(f, LOADER, 22, 15);
	assert_int_equal(index_of(f, 22, 16), 1);
	finish(f);
}

/* One that finds no program to run was called as the worker that made it, and is none. */
static void test_a_child_by_vfork_that_fails(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS | 1u << BY_PROCESS);

	forks(f, LOADER, 19, 9);
	forks(f, LOADER, 20, 10);
	renames(f, 20, 10, "pt_data_worker");
	feed(f, born(20, 30, 20, "pt_data_worker", 0));
	assert_int_equal(index_of(f, 30, 20), 1); /* it works for that one */
	exits(f, 30, 20, 23);
	forks(f, 20, 31, 24);
	assert_int_equal(index_of(f, 31, 30), 0);
	assert_int_equal(the_row(f)->subject.process->role, ROLE_MP_FORK);
	finish(f);
}

/* Forks of others are not workers, whatever they are called. */
static void test_forks_that_no_python_made(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	starts(f, 1, 40, 5, "nginx");
	feed(f, born(40, 41, 6, "nginx", IOLAT_TASK_FORKED));
	assert_int_equal(index_of(f, 41, 50), NO_WORKER);
	/* an orphan: its maker is gone, and init is no Python */
	forks(f, 1, 42, 7);
	assert_int_equal(index_of(f, 42, 60), NO_WORKER);
	finish(f);
}

/* A script by its first line: called "train.py", its program's file is Python's. */
static void test_a_trainer_with_another_name(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	starts(f, 1, 40, 5, "train.py");
	feed(f, born(40, 41, 6, "train.py", IOLAT_TASK_FORKED));
	feed(f, born(40, 42, 7, "train.py", IOLAT_TASK_FORKED));
	facts(f, 40, 5, IOLAT_FACT_PYTHON);
	facts(f, 42, 7, IOLAT_FACT_PYTHON);
	assert_int_equal(index_of(f, 42, 50), 1);
	assert_int_equal(index_of(f, 41, 60), 0);
	finish(f);
}

static void test_a_worker_s_own_commands(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	forks(f, LOADER, 21, 11);
	renames(f, 20, 10, "pt_data_worker");
	renames(f, 21, 11, "pt_data_worker");
	starts(f, 21, 30, 20, "sh");
	facts(f, 30, 20, IOLAT_FACT_SHELL_COMMAND);
	starts(f, 30, 31, 21, "cat");
	reads(f, 30, 30, 1);
	reads(f, 31, 30, 20);
	reads(f, 21, 30, 300);
	whole(f, at(100));
	assert_int_equal(the_row(f)->subject.worker->index, 1);
	assert_int_equal(the_row(f)->subject.worker->pid, 21);
	assert_int_equal(the_row(f)->subject.worker->role, ROLE_DATALOADER_WORKER);
	assert_int_equal(the_row(f)->bytes, 321);
	finish(f);
}

/* Its resource tracker works for whoever comes. */
static void test_a_worker_s_helper(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	runs(f, 20, 30, 20, IOLAT_FACT_TRACKER);
	assert_int_equal(index_of(f, 30, 30), NO_WORKER);
	finish(f);
}

static void test_role_of_a_pipe_reader(void **state)
{
	struct fixture *f = start_loader(BY_DEFAULT);

	forks(f, LOADER, 21, 11);
	renames(f, 21, 11, "pt_data_worker");
	starts(f, 21, 30, 20, "sh");
	facts(f, 30, 20, IOLAT_FACT_SHELL_COMMAND);
	reads(f, 30, 30, 1);
	whole(f, at(100));
	assert_int_equal(the_row(f)->subject.process->role, ROLE_PIPE_READER);
	assert_false(the_row(f)->subject.process->index_known);
	finish(f);
}

/* The name comes after the first read; the row is one all the same. */
static void test_a_name_that_comes_late(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	forks(f, LOADER, 20, 10);
	reads(f, 20, 20, 1000);
	renames(f, 20, 10, "pt_data_worker");
	reads(f, 20, 30, 200);
	whole(f, at(100));
	assert_int_equal(the_row(f)->bytes, 1200);
	assert_int_equal(the_row(f)->subject.worker->role, ROLE_DATALOADER_WORKER);
	finish(f);
}

static void test_ranks_are_inherited_by_forks(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS | 1u << BY_PROCESS);
	const struct process *p;

	ranked(f, LOADER, 0, 3, 0);
	forks(f, LOADER, 20, 10);
	assert_int_equal(index_of(f, 20, 50), 0);
	p = the_row(f)->subject.process;
	assert_true(p->rank_known);
	assert_int_equal(p->rank, 3);
	assert_int_equal(p->world_size, 4);
	assert_string_equal(the_row(f)->subject.worker->name, "rank 3 w0");
	/* another program has another environment */
	starts(f, LOADER, 21, 20, "ls");
	assert_int_equal(index_of(f, 21, 60), NO_WORKER);
	assert_false(the_row(f)->subject.process->rank_known);
	finish(f);
}

static void test_workers_of_two_ranks(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	for (uint32_t rank = 0; rank < 2; rank++) {
		runs(f, LOADER, 20 + rank, 10, 0);
		ranked(f, 20 + rank, 10, (int32_t)rank, 0);
		forks(f, 20 + rank, 30 + rank, 20);
		reads(f, 30 + rank, 40, 1000 + rank);
	}
	whole(f, at(100));
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(worker_of_row(f, 1000)->rank, 0);
	assert_int_equal(worker_of_row(f, 1001)->rank, 1);
	assert_int_equal(worker_of_row(f, 1001)->index, 0);
	finish(f);
}

/* Two trainers without ranks: the same index, two workers. */
static void test_workers_of_two_loaders(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	runs(f, 1, 11, 1, 0);
	forks(f, LOADER, 20, 10);
	forks(f, 11, 21, 10);
	reads(f, 20, 40, 1000);
	reads(f, 21, 40, 2000);
	whole(f, at(100));
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(worker_of_row(f, 1000)->pid, 20);
	assert_int_equal(worker_of_row(f, 2000)->pid, 21);
	finish(f);
}

/* Lightning's rank 0 sets its environment after its start; it starts the others. */
static void test_lightning_s_rank_0(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	runs(f, LOADER, 20, 10, 0);
	ranked(f, 20, 10, 1, IOLAT_FACT_LOCAL_RANK);
	forks(f, LOADER, 30, 20);
	assert_int_equal(index_of(f, 30, 50), 0);
	assert_string_equal(the_row(f)->subject.worker->name, "rank 0 w0");
	finish(f);
}

/* Under torchrun nothing is missing: the launcher has no rank. */
static void test_a_launcher_has_no_rank(void **state)
{
	struct fixture *f = start_loader(1u << BY_PROCESS);

	runs(f, LOADER, 20, 10, 0);
	ranked(f, 20, 10, 1, 0);
	reads(f, LOADER, 50, 4096);
	whole(f, at(100));
	assert_false(the_row(f)->subject.process->rank_known);
	finish(f);
}

/* They were there before iolat: found by pid and start, in the order of their starts. */
static void test_workers_that_were_there_before(void **state)
{
	struct fixture *f = start(BY_WORKERS);
	struct iolat_task e;

	feed(f, a_task(IOLAT_TASK_SEEN, 1, 1, "init"));
	e = a_task(IOLAT_TASK_SEEN, LOADER, at(0) + LOADER, "python3");
	feed(f, e);
	for (uint32_t i = 0; i < 2; i++) {
		e = born(LOADER, 25 - i, 10, "python3", IOLAT_TASK_FORKED);
		e.what = IOLAT_TASK_SEEN;
		feed(f, e);
	}
	/* and told of again by the kernel's own event */
	e.what = IOLAT_TASK_NEW;
	feed(f, e);
	forks(f, LOADER, 26, 11);
	assert_int_equal(index_of(f, 24, 50), 1);
	assert_int_equal(index_of(f, 26, 60), 2);
	finish(f);
}

/* /proc tells whole clock ticks of a start; facts of another process of the pid are not taken. */
static void test_facts_find_their_process(void **state)
{
	struct fixture *f = start_loader(1u << BY_PROCESS);
	struct iolat_process_facts e = some_process_facts(LOADER, 0, IOLAT_FACT_PYTHON);

	e.rank = 7;
	e.start_ns = (at(0) + LOADER) / 10000000 * 10000000 + 10000000;
	feed(f, e);
	reads(f, LOADER, 50, 4096);
	whole(f, at(100));
	assert_false(the_row(f)->subject.process->rank_known);
	e.start_ns -= 10000000;
	feed(f, e);
	whole(f, at(100));
	assert_int_equal(the_row(f)->subject.process->rank, 7);
	e.tgid = 4000; /* nobody */
	feed(f, e);
	finish(f);
}

/* Rows beside the workers': null where there is none, told apart by the other keys. */
static void test_rows_without_a_worker(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS | 1u << BY_OP);
	struct iolat_request e = a_request();

	forks(f, LOADER, 20, 10);
	reads(f, 20, 20, 100);
	reads(f, LOADER, 20, 1000);
	e.owner = IOLAT_OWNER_NONE;
	e.tgid = 0;
	e.bytes = 2000;
	feed(f, e);
	whole(f, at(100));
	assert_int_equal(f->s.n_rows, 2);
	assert_null(worker_of_row(f, 3000));
	finish(f);
}

/* Children of a process that many others come and go beside: all of them are forgotten in time. */
static void test_churn(void **state)
{
	struct fixture *f = start_loader(BY_WORKERS);

	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t pid = 1000 + i % 30000;

		forks(f, LOADER, pid, 10 + i);
		if (i % 3)
			exits(f, pid, 10 + i, 11 + i);
	}
	exits(f, LOADER, 0, 200000);
	reads(f, 1000, 200001, 4096);
	interval(f, at(200002));
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_index_is_the_order_of_birth),
		cmocka_unit_test(test_index_after_a_pid_wrap),
		cmocka_unit_test(test_a_new_epoch_sums_up),
		cmocka_unit_test(test_a_new_epoch_after_all_have_exited),
		cmocka_unit_test(test_one_exit_is_not_the_end_of_a_batch),
		cmocka_unit_test(test_an_exit_after_the_next_birth),
		cmocka_unit_test(test_loaders_coexist),
		cmocka_unit_test(test_a_pause_ends_a_batch_of_forks),
		cmocka_unit_test(test_a_thread_told_of_late_ends_nothing),
		cmocka_unit_test(test_spawned_workers),
		cmocka_unit_test(test_workers_of_a_fork_server),
		cmocka_unit_test(test_named_workers_of_a_fork_server),
		cmocka_unit_test(test_a_fork_on_its_way_to_exec),
		cmocka_unit_test(test_a_child_by_vfork),
		cmocka_unit_test(test_a_child_by_vfork_that_fails),
		cmocka_unit_test(test_forks_that_no_python_made),
		cmocka_unit_test(test_a_trainer_with_another_name),
		cmocka_unit_test(test_a_worker_s_own_commands),
		cmocka_unit_test(test_a_worker_s_helper),
		cmocka_unit_test(test_role_of_a_pipe_reader),
		cmocka_unit_test(test_a_name_that_comes_late),
		cmocka_unit_test(test_ranks_are_inherited_by_forks),
		cmocka_unit_test(test_workers_of_two_ranks),
		cmocka_unit_test(test_workers_of_two_loaders),
		cmocka_unit_test(test_lightning_s_rank_0),
		cmocka_unit_test(test_a_launcher_has_no_rank),
		cmocka_unit_test(test_workers_that_were_there_before),
		cmocka_unit_test(test_facts_find_their_process),
		cmocka_unit_test(test_rows_without_a_worker),
		cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
