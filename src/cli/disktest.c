// SPDX-License-Identifier: GPL-2.0
/*
 * Puts side by side what lies below a path, what fio gets from it at the block sizes and depths that a training asks
 * for, and what a recording says that the training got.
 */
#include "cli/disktest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/confine.h"
#include "cli/fio.h"
#include "cli/output.h"
#include "cli/play.h"
#include "collect/blockdev.h"
#include "collect/devpath.h"
#include "collect/mounts.h"
#include "collect/privilege.h"
#include "collect/sysfs.h"

enum { DEVICES_MAX = 8, JOBS_MAX = 4, READERS_MAX = 64 };

struct device {
	char name[IOLAT_DISK_LEN];
	char scheduler[64];
	uint64_t rotational;
	bool known;	/* of the disk itself */
};

/* What a recorded run read. */
struct got {
	bool known;
	double seconds, iops, bytes_per_s, depth;
	uint64_t mean_bytes, p50_ns, p99_ns;
};

struct measured {
	struct fio_job job;
	struct fio_result result;
};

struct disktest {
	const struct options *o;
	struct mount mount;
	bool mount_known;
	enum iolat_fs_kind kind;
	struct device devices[DEVICES_MAX];
	size_t n_devices;
	struct got got;
	struct measured measured[JOBS_MAX];
	size_t n_measured;
	bool scratch;
	char why[FIO_REASON];	/* nothing was measured; "": it was */
};

/* --- what lies below --------------------------------------------------------------------- */

static void describe_device(struct device *d, const struct devno *no)
{
	char folder[64], text[64];

	blockdev_name(no->major, no->minor, d->name, sizeof(d->name));
	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", no->major, no->minor);
	if (sysfs_text(folder, "partition", text, sizeof(text))) /* its disk has the queue */
		snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u/..", no->major, no->minor);
	d->known = sysfs_number(folder, "queue/rotational", &d->rotational);
	sysfs_chosen(folder, "queue/scheduler", d->scheduler, sizeof(d->scheduler));
}

static void find_devices(struct disktest *t)
{
	struct devno numbers[DEVICES_MAX];
	int n = devpath_find(t->o->disk, numbers, DEVICES_MAX);

	for (int i = 0; i < n && i < DEVICES_MAX; i++)
		describe_device(&t->devices[t->n_devices++], &numbers[i]);
}

static int find_file_system(struct disktest *t)
{
	int fd = open(t->o->disk, O_PATH | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0) {
		log_error("--disk %s: %s", t->o->disk, strerror(errno));
		return EXIT_USAGE;
	}
	t->mount_known = !mount_of(fd, t->o->disk, &t->mount);
	if (!fstatfs(fd, &fs))
		t->kind = (enum iolat_fs_kind)iolat_fs_kind((__u32)fs.f_type);
	close(fd);
	return EXIT_OK;
}

/* --- what a run got ------------------------------------------------------------------------- */

static bool is_below(const struct disktest *t, const struct disk *d)
{
	for (size_t i = 0; d && i < t->n_devices; i++)
		if (!strcmp(t->devices[i].name, d->name))
			return true;
	return false;
}

/* Of the path's devices, or of all where the recording knows none of them: it may be another machine's. */
static int add_up(struct disktest *t, const struct snapshot *s, bool any, struct hist *latency)
{
	uint64_t bytes = 0;
	int err = 0;

	for (size_t i = 0; !err && i < s->n_rows; i++) {
		const struct row *r = s->rows[i];

		if (r->subject.op != IOLAT_OP_READ || (!any && !is_below(t, r->subject.disk)))
			continue;
		bytes += r->bytes;
		err = hist_merge(latency, &r->total);
	}
	if (err || !latency->count || !s->duration_ns)
		return err;
	t->got = (struct got){
		.known = true,
		.seconds = (double)s->duration_ns / 1e9,
		.iops = (double)latency->count * 1e9 / (double)s->duration_ns,
		.bytes_per_s = (double)bytes * 1e9 / (double)s->duration_ns,
		.depth = latency->sum / (double)s->duration_ns,
		.mean_bytes = bytes / latency->count,
		.p50_ns = hist_percentile(latency, 0.5),
		.p99_ns = hist_percentile(latency, 0.99),
	};
	return 0;
}

static int take_summary(struct disktest *t, const struct play *p)
{
	struct hist latency;
	struct snapshot s;
	int err = run_whole(p->run, play_end(p), SNAPSHOT_SUMMARY, &s);

	hist_init(&latency);
	err = err ?: add_up(t, &s, false, &latency);
	if (!err && !t->got.known)
		err = add_up(t, &s, true, &latency);
	hist_free(&latency);
	return err;
}

static int read_recording(struct disktest *t)
{
	const struct run_options ro = {
		.by = {.keys = {BY_DEVICE, BY_OP}, .n = 2, .mask = 1u << BY_DEVICE | 1u << BY_OP},
	};
	struct play p;
	int err, status;

	if (!t->o->files.n)
		return EXIT_OK;
	status = play_open(&p, t->o->files.at[0], t->o, &ro);
	if (status == EXIT_OK) {
		err = play_all(&p) ?: take_summary(t, &p);
		status = err ? play_explain(&p, err) : EXIT_OK;
	}
	play_close(&p);
	return status;
}

/* --- what it can do --------------------------------------------------------------------------- */

static uint64_t round_block(uint64_t bytes)
{
	uint64_t block = 4096;

	while (block < bytes && block < 4 << 20)
		block *= 2;
	return block;
}

static size_t plan(const struct disktest *t, struct fio_job jobs[JOBS_MAX])
{
	const struct fio_job usual[] = {{true, 4096, 1}, {true, 4096, 16}, {true, 128 << 10, 4}, {false, 1 << 20, 1}};
	double depth = t->got.depth < 1 ? 1 : t->got.depth > READERS_MAX ? READERS_MAX : t->got.depth;

	memcpy(jobs, usual, sizeof(usual));
	if (!t->got.known)
		return JOBS_MAX;
	jobs[0] = (struct fio_job){true, round_block(t->got.mean_bytes), (unsigned int)(depth + 0.5)};
	jobs[1] = usual[3];
	return 2;
}

static void measure(struct disktest *t)
{
	struct fio_job jobs[JOBS_MAX];
	struct fio_target target;
	size_t n = plan(t, jobs);
	int err = fio_target_make(&target, t->o->disk, t->why);

	t->scratch = target.scratch >= 0;
	for (size_t i = 0; !err && i < n; i++) {
		struct measured *m = &t->measured[t->n_measured];

		m->job = jobs[i];
		err = fio_run(&target, &jobs[i], &m->result, t->why);
		t->n_measured += !err;
	}
	if (err == -ENOENT)
		snprintf(t->why, sizeof(t->why), "fio is not installed (apt install fio)");
	if (!err)
		t->why[0] = '\0';
	fio_target_free(&target);
}

/* --- what to say -------------------------------------------------------------------------------- */

static void conclude(const struct disktest *t, char *out, size_t size)
{
	const struct measured *m = &t->measured[0];
	double times = t->got.iops > 0 ? m->result.iops / t->got.iops : 0;

	if (t->kind == IOLAT_FS_NETWORK)
		snprintf(out, size, "a network file system: what is measured is the network and the server, and no local disk's");
	else if (t->kind == IOLAT_FS_FUSE)
		snprintf(out, size, "served by a process (FUSE): what is measured is that process and whatever it asks");
	else if (!t->n_devices)
		snprintf(out, size, "no disk is known to be below it: it is in memory, or on a file system that does not tell");
	else if (!t->n_measured)
		snprintf(out, size, "not measured");
	else if (!m->result.direct)
		snprintf(out, size, "this file system has no direct I/O, so the page cache answered, not the disk");
	else if (!t->got.known)
		snprintf(out, size, "give a recording of the training to compare with: iolat doctor --disk PATH FILE");
	else if (times >= 2)
		snprintf(out, size, "the disk can do %.1f times what the training asked of it: more workers, or readers that wait less, "
				    "would get more", times);
	else
		snprintf(out, size, "the training got %.0f %% of what the disk can do at this block size and depth: the disk is the limit",
			 times > 0 ? 100 / times : 0);
}

static void put_clean(FILE *out, const char *s)
{
	char text[512];

	text_printable(text, sizeof(text), s);
	fputs(text, out);
}

static void table_below(FILE *out, const struct disktest *t)
{
	static const char *const kinds[] = {"", ", a network file system", ", FUSE"};

	fputs("path         ", out);
	put_clean(out, t->o->disk);
	if (t->mount_known) {
		fputs("\nfile system  ", out);
		put_clean(out, t->mount.type);
		fputs(kinds[t->kind], out);
		fputs(" from ", out);
		put_clean(out, t->mount.source);
		fputs(", mounted on ", out);
		put_clean(out, t->mount.point);
	}
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct device *d = &t->devices[i];

		fputs("\ndevice       ", out);
		put_clean(out, d->name);
		if (d->known)
			fprintf(out, ", %s, scheduler %s", d->rotational ? "rotational" : "not rotational", d->scheduler);
	}
	fputc('\n', out);
}

static void table_line(FILE *out, const char *what, double iops, double bytes_per_s, uint64_t p50_ns, uint64_t p99_ns)
{
	char p50[UNITS_LEN], p99[UNITS_LEN];

	fprintf(out, "%-36s  %8.0f  %8.1f  %8s  %8s\n", what, iops, bytes_per_s / (1 << 20), fmt_duration(p50, p50_ns),
		fmt_duration(p99, p99_ns));
}

static void table_numbers(FILE *out, const struct disktest *t)
{
	char what[96], size[UNITS_LEN];

	if (t->n_measured || t->got.known)
		fprintf(out, "%-36s  %8s  %8s  %8s  %8s\n", "", "IOPS", "MiB/s", "P50", "P99");
	for (size_t i = 0; i < t->n_measured; i++) {
		const struct measured *m = &t->measured[i];

		snprintf(what, sizeof(what), "%s reads, %s, %u at a time", m->job.random ? "random" : "sequential",
			 fmt_bytes(size, (double)m->job.block), m->job.readers);
		table_line(out, what, m->result.iops, m->result.bytes_per_s, m->result.p50_ns, m->result.p99_ns);
	}
	if (t->got.known) {
		snprintf(what, sizeof(what), "the training, %s, %.1f at a time", fmt_bytes(size, (double)t->got.mean_bytes), t->got.depth);
		table_line(out, what, t->got.iops, t->got.bytes_per_s, t->got.p50_ns, t->got.p99_ns);
	}
}

static void print_table(FILE *out, const struct disktest *t)
{
	char text[256];

	table_below(out, t);
	table_numbers(out, t);
	if (t->why[0]) {
		fputs("not measured: ", out);
		put_clean(out, t->why);
		fputc('\n', out);
	}
	conclude(t, text, sizeof(text));
	fprintf(out, "%s\n", text);
}

static void json_numbers(struct json *j, double iops, double bytes_per_s, uint64_t p50_ns, uint64_t p99_ns)
{
	json_key(j, "iops");
	json_double(j, iops, 2);
	json_key(j, "bytes_per_s");
	json_double(j, bytes_per_s, 2);
	json_ku64(j, "p50_ns", p50_ns);
	json_ku64(j, "p99_ns", p99_ns);
}

static void json_measured(struct json *j, const struct disktest *t)
{
	json_key(j, "measured");
	json_open(j, '[');
	for (size_t i = 0; i < t->n_measured; i++) {
		const struct measured *m = &t->measured[i];

		json_open(j, '{');
		json_kstr(j, "pattern", m->job.random ? "random" : "sequential");
		json_ku64(j, "block_bytes", m->job.block);
		json_ku64(j, "readers", m->job.readers);
		json_key(j, "direct");
		json_bool(j, m->result.direct);
		json_numbers(j, m->result.iops, m->result.bytes_per_s, m->result.p50_ns, m->result.p99_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_kstr(j, "not_measured", t->why[0] ? t->why : NULL);
}

static void json_got(struct json *j, const struct disktest *t)
{
	json_key(j, "training");
	if (!t->got.known) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_ku64(j, "mean_bytes", t->got.mean_bytes);
	json_key(j, "depth");
	json_double(j, t->got.depth, 2);
	json_numbers(j, t->got.iops, t->got.bytes_per_s, t->got.p50_ns, t->got.p99_ns);
	json_close(j, '}');
}

static void json_below(struct json *j, const struct disktest *t)
{
	static const char *const kinds[] = {"local", "network", "fuse"};

	json_kstr(j, "path", t->o->disk);
	json_kstr(j, "kind", kinds[t->kind]);
	json_kstr(j, "type", t->mount_known ? t->mount.type : NULL);
	json_kstr(j, "source", t->mount_known ? t->mount.source : NULL);
	json_kstr(j, "mount", t->mount_known ? t->mount.point : NULL);
	json_key(j, "devices");
	json_open(j, '[');
	for (size_t i = 0; i < t->n_devices; i++)
		json_str(j, t->devices[i].name);
	json_close(j, ']');
}

static void print_json(FILE *out, const struct disktest *t)
{
	char text[256];
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	json_kstr(&j, "schema", "iolat-disk/1");
	json_below(&j, t);
	json_key(&j, "scratch");
	json_bool(&j, t->scratch);
	json_measured(&j, t);
	json_got(&j, t);
	conclude(t, text, sizeof(text));
	json_kstr(&j, "verdict", text);
	json_close(&j, '}');
	json_end(&j);
}

static int print(const struct disktest *t)
{
	struct output out;
	int status = output_open(&out, t->o->output);

	if (status != EXIT_OK)
		return status;
	if (!strcmp(t->o->format->name, "json"))
		print_json(out.stream, t);
	else
		print_table(out.stream, t);
	return output_end(&out);
}

int disktest_run(const struct options *o)
{
	struct disktest t = {.o = o};
	int status;

	privilege_as_user(true);
	status = find_file_system(&t);
	if (status == EXIT_OK) {
		find_devices(&t);
		confine_measurer();
		status = read_recording(&t);
	}
	if (status == EXIT_OK) {
		measure(&t);
		status = print(&t);
	}
	if (t.mount_known)
		mount_free(&t.mount);
	return status;
}
