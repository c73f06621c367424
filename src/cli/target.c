// SPDX-License-Identifier: GPL-2.0
/*
 * Looks the selection up on this host: pids and their namespaces, users, cgroups, disks.
 * Fills the knobs for the kernel side and the selection for the analysis.
 */
#include "cli/target.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/units.h"
#include "collect/blockdev.h"
#include "collect/procfs.h"

/* --- processes -------------------------------------------------------------------- */

static bool is_root(const struct target *t, uint32_t pid)
{
	for (size_t i = 0; i < t->n_pids; i++)
		if (t->pids[i] == pid)
			return true;
	return false;
}

static int add_pid(struct target *t, uint32_t pid)
{
	uint32_t *pids = realloc(t->pids, (t->n_pids + 1) * sizeof(*pids));

	if (!pids) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	t->pids = pids;
	t->pids[t->n_pids++] = pid;
	return EXIT_OK;
}

static int refuse_ambiguous(const char *word, const uint32_t *pids, size_t n, size_t shown)
{
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < shown && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%u", i ? ", " : "", pids[i]);
	log_error("--pid %s: no such process here, and %zu processes have that pid in their own "
		  "namespace: %s%s; give one of these", word, n, list, n > shown ? ", ..." : "");
	return EXIT_USAGE;
}

/* A pid that only another namespace has is taken if only one process can be meant. */
static int add_ns_pid(struct target *t, const char *word, uint32_t pid)
{
	uint32_t found[8];
	size_t n = procfs_find_ns_pid(pid, found, 8);
	struct proc_status st;

	if (!n) {
		log_error("--pid %s: no such process%s", word,
			  procfs_is_host() ? "" : " in this container's PID namespace; to name the "
						  "host's, run it with --pid=host");
		return EXIT_USAGE;
	}
	if (n > 1)
		return refuse_ambiguous(word, found, n, n < 8 ? n : 8);
	procfs_status("", found[0], &st);
	log_warn("--pid %s: taken as process %u (%s), whose pid in its own namespace it is", word,
		 found[0], st.comm);
	return add_pid(t, found[0]);
}

static int resolve_pids(struct target *t, const struct options *o)
{
	int status = EXIT_OK;
	struct proc_status st;
	uint64_t pid;

	for (size_t i = 0; status == EXIT_OK && i < o->pids.n; i++) {
		if (parse_u64(o->pids.at[i], &pid))
			return EXIT_USAGE;
		if (procfs_status("", pid, &st))
			status = add_pid(t, st.tgid);
		else
			status = add_ns_pid(t, o->pids.at[i], pid);
	}
	return status;
}

static uint64_t ticks(uint64_t start_ns)
{
	return start_ns / (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Loading takes a while, in which a parent may end: then nothing would tell that its children are descendants. */
static int note_descendants(struct target *t, const struct proc_entry *all, size_t n)
{
	bool grew = true;
	int err = 0;

	while (!err && grew) {
		grew = false;
		for (size_t i = 0; !err && i < n; i++) {
			const struct proc_entry *e = &all[i];

			if (map_get(&t->early, &e->pid) || !(is_root(t, e->stat.ppid) || map_get(&t->early, &e->stat.ppid)))
				continue;
			err = map_put(&t->early, &e->pid, (void *)(uintptr_t)(ticks(e->stat.start_ns) + 1));
			grew = true;
		}
	}
	return err;
}

static int resolve_descendants(struct target *t)
{
	AUTO_FREE struct proc_entry *all = NULL;
	size_t n;

	if (!t->n_pids || t->knobs.no_children)
		return EXIT_OK;
	if (!procfs_all(&all, &n) && !note_descendants(t, all, n))
		return EXIT_OK;
	log_error("out of memory");
	return EXIT_FAILED;
}

static int resolve_names(struct target *t, const struct options *o)
{
	char why[128];
	int err;

	for (size_t i = 0; i < o->names.n; i++) {
		err = select_add_name(&t->selection, o->names.at[i], why, sizeof(why));
		if (!err)
			continue;
		log_error("--name '%s': %s", o->names.at[i], err == -ENOMEM ? "out of memory" : why);
		return err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	return EXIT_OK;
}

static int resolve_users(struct target *t, const struct options *o)
{
	for (size_t i = 0; i < o->users.n; i++) {
		const struct passwd *pw = getpwnam(o->users.at[i]);
		uint64_t uid;

		if (pw)
			uid = pw->pw_uid;
		else if (parse_u64(o->users.at[i], &uid) || uid > UINT32_MAX) {
			log_error("--user %s: no such user", o->users.at[i]);
			return EXIT_USAGE;
		}
		if (select_add_uid(&t->selection, uid)) {
			log_error("out of memory");
			return EXIT_FAILED;
		}
	}
	return EXIT_OK;
}

/* --- cgroups and disks ------------------------------------------------------------ */

static const char *cgroup_problem(int err)
{
	if (err == -EXDEV)
		return "cannot be placed from inside a cgroup namespace; run iolat in the host's";
	if (err == -E2BIG)
		return "too many cgroups; select one that holds them";
	return "no such cgroup";
}

static int resolve_cgroups(struct target *t, const struct options *o, const struct cgroupfs *cgroups)
{
	struct iolat_knobs *k = &t->knobs;

	for (size_t i = 0; i < o->cgroups.n; i++) {
		int n = cgroupfs_filters(cgroups, o->cgroups.at[i], k->cgroups + k->n_cgroups,
					 IOLAT_MAX_FILTERS - k->n_cgroups);

		if (n < 0) {
			log_error("--cgroup %s: %s", o->cgroups.at[i], cgroup_problem(n));
			return EXIT_USAGE;
		}
		k->n_cgroups += n;
	}
	return EXIT_OK;
}

static const char *device_problem(int err)
{
	if (err == -ENODEV)
		return "lies on no block device (a network or memory file system?)";
	if (err == -E2BIG)
		return "too many devices";
	return "no such device or path";
}

static int resolve_devices(struct target *t, const struct options *o)
{
	struct iolat_knobs *k = &t->knobs;

	for (size_t i = 0; i < o->devices.n; i++) {
		int n = blockdev_find(o->devices.at[i], k->disks + k->n_disks,
				      IOLAT_MAX_FILTERS - k->n_disks);

		if (n < 0) {
			log_error("--device %s: %s", o->devices.at[i], device_problem(n));
			return EXIT_USAGE;
		}
		k->n_disks += n;
	}
	return EXIT_OK;
}

static int add_words(struct select_words *to, const struct words *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		err = select_add_word(to, from->at[i]);
	return err;
}

/* Judged by the analysis, from what each cgroup turns out to be. */
static int resolve_places(struct target *t, const struct options *o)
{
	struct selection *s = &t->selection;

	if (!add_words(&s->containers, &o->containers) && !add_words(&s->pods, &o->pods) &&
	    !add_words(&s->jobs, &o->jobs))
		return EXIT_OK;
	log_error("out of memory");
	return EXIT_FAILED;
}

static bool selects_something(const struct options *o)
{
	return o->pids.n || o->names.n || o->users.n || o->cgroups.n || o->devices.n ||
	       o->containers.n || o->pods.n || o->jobs.n;
}

/* Waits are the tasks' own, whatever disk they are for. */
static bool selects_tasks(const struct target *t, const struct options *o)
{
	return t->n_pids || o->names.n || o->users.n || t->knobs.n_cgroups ||
	       select_has_places(&t->selection);
}

int target_resolve(struct target *t, const struct options *o, const struct cgroupfs *cgroups,
		   uint32_t child)
{
	int status;

	memset(t, 0, sizeof(*t));
	map_init(&t->early, sizeof(uint32_t));
	t->knobs.blkio_v1 = cgroups->mount[IOLAT_TREE_BLKIO] != NULL;
	t->knobs.memory_v1 = cgroups->mount[IOLAT_TREE_MEMORY] != NULL;
	t->knobs.op_mask = o->op_mask;
	t->knobs.min_latency_ns = o->min_latency_ns;
	t->knobs.no_children = o->no_children;
	status = resolve_pids(t, o);
	status = status ?: resolve_descendants(t);
	status = status ?: resolve_names(t, o);
	status = status ?: resolve_users(t, o);
	status = status ?: resolve_cgroups(t, o, cgroups);
	status = status ?: resolve_devices(t, o);
	status = status ?: resolve_places(t, o);
	if (status == EXIT_OK && child && !selects_something(o))
		status = add_pid(t, child);
	t->knobs.aggregate_only = o->command == COMMAND_SERVE && !o->stream;
	/* Who is selected by the analysis has to be told from the others. */
	t->knobs.coarse = t->knobs.aggregate_only && !o->names.n && !o->users.n;
	t->knobs.by_task = t->n_pids > 0;
	t->knobs.files = o->keep_files || by_has(&o->by, BY_FILE) || by_has(&o->by, BY_FS);
	t->knobs.waits = o->waits || (!o->no_waits && (selects_tasks(t, o) || by_has(&o->by, BY_FS)));
	return status;
}

void target_free(struct target *t)
{
	select_free(&t->selection);
	free(t->pids);
	t->pids = NULL;
	map_free(&t->early);
}

/* --- the process tree ------------------------------------------------------------- */

struct tree {
	const struct target *target;
	struct tracer *tracer;
	struct map selected;	/* by tgid */
	bool grew;
};

/* The user speaks of the pids seen from here, the kernel side of the host's. */
static bool is_meant(const struct target *t, const struct iolat_task *e)
{
	uintptr_t early = (uintptr_t)map_get(&t->early, &e->here);

	return is_root(t, e->here) || (early && early == ticks(e->start_ns) + 1);
}

static int visit_task(void *ctx, const void *data, size_t size)
{
	const struct iolat_task *e = data;
	struct tree *tree = ctx;
	bool below = !tree->target->knobs.no_children && map_get(&tree->selected, &e->ppid);

	if (map_get(&tree->selected, &e->tgid) || !(below || is_meant(tree->target, e)))
		return 0;
	tree->grew = true;
	return map_put(&tree->selected, &e->tgid, tree) ?:
	       tracer_select(tree->tracer, e->tgid, e->start_ns);
}

/* The same without the task iterator: the roots alone; children follow by fork. */
static int select_roots(const struct target *t, struct tracer *tracer)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->n_pids; i++)
		err = tracer_select(tracer, t->pids[i], 0);
	return err;
}

int target_tree(const struct target *t, struct tracer *tracer)
{
	struct tree tree = {.target = t, .tracer = tracer, .grew = true};
	const struct sink sink = {visit_task, &tree};
	int err = 0;

	if (!t->n_pids)
		return 0;
	map_init(&tree.selected, sizeof(uint32_t));
	/* A child may be listed before its parent, or be forked between two looks. */
	while (!err && tree.grew) {
		tree.grew = false;
		err = tracer_tasks(tracer, &sink);
	}
	map_free(&tree.selected);
	return err == -ENOTSUP ? select_roots(t, tracer) : err;
}

bool target_alive(const struct target *t, const struct cgroupfs *cgroups)
{
	const struct iolat_knobs *k = &t->knobs;
	bool cgroup = !k->n_cgroups, disk = !k->n_disks;

	for (unsigned int i = 0; i < k->n_cgroups; i++)
		cgroup |= cgroupfs_exists(cgroups, &k->cgroups[i]);
	for (unsigned int i = 0; i < k->n_disks; i++)
		disk |= blockdev_exists(&k->disks[i]);
	return cgroup && disk;
}
