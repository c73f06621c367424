// SPDX-License-Identifier: GPL-2.0
/* The table of hooks; read by hookset.c to attach and by doctor to explain. */
#include "collect/hooks.h"

#include <string.h>

#include "collect/features.h"

#define ITER "iter/task"

static const struct hook_def hooks[] = {
	{"block_io_start", "iolat_io_start", true, "who submits a request"},
	{"block_getrq", "iolat_getrq", true, "who submits a request"},
	{"block_rq_issue", "iolat_rq_issue", true, "when the driver gets a request"},
	{"block_rq_complete", "iolat_rq_complete", true, "when a request ends"},
	{"block_bio_queue", "iolat_bio_queue", false, "waits for a free request (tag)"},
	{"block_bio_complete", "iolat_bio_end", false, "devices without requests (dm, md, zram)"},
	{"block_bio_remap", "iolat_bio_remap", false, "what dm, md and NVMe multipath pass on"},
	{"block_split", "iolat_bio_split", false, "the kernel's count of what dm and md split"},
	{"block_bio_backmerge", "iolat_backmerge", false, "owners of merged bios"},
	{"block_bio_frontmerge", "iolat_frontmerge", false, "owners of merged bios"},
	{"block_rq_merge", "iolat_rq_merge", false, "owners of merged requests"},
	{"block_rq_requeue", "iolat_rq_requeue", false, "the count of requeues"},
	{"sched_process_fork", "iolat_fork", true, "children of selected processes"},
	{"sched_process_exec", "iolat_exec", false, "names and owners after an exec"},
	{"sched_process_exit", "iolat_exit", false, "the end of processes"},
	{"sched_process_free", "iolat_free", false, "clean-up after processes"},
	{"task_rename", "iolat_rename", false, "names that threads give themselves"},
	{"cgroup_mkdir", "iolat_cg_mkdir", false, "paths of cgroups that live for moments only"},
	{"cgroup_rmdir", "iolat_cg_rmdir", false, "the end of selected containers"},
	{ITER, "iolat_seen", false, "names of processes older than the run"},
	{"sched_waking", "iolat_waking", false, "when a wait ends, apart from the wait for a CPU"},
	{"sched_switch", "iolat_switch", false, "how long tasks wait"},
	{"mm_filemap_fault", "iolat_file_fault", false, "the files that page faults wait for"},
	{"mm_filemap_add_to_page_cache", "iolat_file_read", false, "the files that page faults wait for"},
	{"folio_wait_writeback", "iolat_file_written", false, "the files that are waited for to be written"},
	{"wait_on_page_writeback", "iolat_file_written_page", false, "the files that are waited for to be written"},
};

const struct hook_def *hook_at(size_t i)
{
	return i < sizeof(hooks) / sizeof(hooks[0]) ? &hooks[i] : NULL;
}

/* Of two that do the same, the newer is used where it is. */
static const struct {
	const char *newer, *older;
} alternatives[] = {
	{"block_io_start", "block_getrq"},
	{"mm_filemap_fault", "mm_filemap_add_to_page_cache"},
	{"folio_wait_writeback", "wait_on_page_writeback"},
};

bool hook_wanted(const struct hook_def *h, const struct features *f)
{
	/* The verifier needs the kernel's own BTF for an iterator; tasks.c stands in. */
	if (!strcmp(h->tracepoint, ITER))
		return !f->foreign;
	for (size_t i = 0; i < sizeof(alternatives) / sizeof(alternatives[0]); i++) {
		bool newer = features_tracepoint(f, alternatives[i].newer);

		if (!strcmp(h->tracepoint, alternatives[i].newer))
			return newer;
		if (!strcmp(h->tracepoint, alternatives[i].older))
			return !newer;
	}
	return true;
}

bool hook_of_waits(const struct hook_def *h)
{
	static const char *const names[] = {
		"sched_switch", "sched_waking", "mm_filemap_fault", "mm_filemap_add_to_page_cache",
		"folio_wait_writeback", "wait_on_page_writeback",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(h->tracepoint, names[i]))
			return true;
	return false;
}

bool hook_ends_requests(const struct hook_def *h)
{
	return !strcmp(h->tracepoint, "block_rq_complete") || !strcmp(h->tracepoint, "block_bio_complete");
}
