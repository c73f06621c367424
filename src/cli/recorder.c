// SPDX-License-Identifier: GPL-2.0
/* Owns the writer; everything that goes wrong with it ends the run. */
#include "cli/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/rotation.h"
#include "collect/blockdev.h"

#define LEAST_FREE_PCT 5

static int put_select(struct recorder *r, enum iolat_select_what what, const char *text)
{
	struct iolat_select e = {.head = {.kind = IOLAT_EV_SELECT, .size = sizeof(e)}, .what = what};

	if (strlen(text) >= sizeof(e.text))
		return -E2BIG;
	snprintf(e.text, sizeof(e.text), "%s", text);
	return capture_add(r->writer, &e, sizeof(e));
}

static int put_words(struct recorder *r, enum iolat_select_what what, const struct words *words)
{
	int err = 0;

	for (size_t i = 0; !err && i < words->n; i++)
		err = put_select(r, what, words->at[i]);
	return err;
}

static int put_users(struct recorder *r, const struct selection *s)
{
	char text[16];
	int err = 0;

	for (size_t i = 0; !err && i < s->n_uids; i++) {
		snprintf(text, sizeof(text), "%" PRIu32, s->uids[i]);
		err = put_select(r, IOLAT_SELECT_UID, text);
	}
	return err;
}

/* The kernel side has selected the rest before. */
static int put_selection(struct recorder *r)
{
	const struct selection *s = &r->session->target.selection;
	const struct options *o = r->session->o;
	int err = put_words(r, IOLAT_SELECT_NAME, &o->names) ?: put_users(r, s);

	err = err ?: put_words(r, IOLAT_SELECT_CONTAINER, &o->containers);
	err = err ?: put_words(r, IOLAT_SELECT_POD, &o->pods);
	return err ?: put_words(r, IOLAT_SELECT_JOB, &o->jobs);
}

static int start_file(struct recorder *r)
{
	int fd = dup(fileno(r->output.stream));
	int err = fd < 0 ? -errno : capture_create(&r->writer, fd);

	r->checked = 0;
	r->full = false;
	r->files++;
	return err ?: put_selection(r);
}

/* An exit status, the reason said. */
static int explain(const struct recorder *r, int err)
{
	if (err == -E2BIG) {
		log_error("--name and others: too long to be recorded");
		return EXIT_USAGE;
	}
	log_error("cannot write to %s: %s", r->path, strerror(-err));
	return EXIT_FAILED;
}

static int open_file(struct recorder *r)
{
	const struct options *o = r->session->o;
	int err, status;

	free(r->path);
	r->path = o->rotate ? rotation_next(o->output, o->rotate - 1) : strdup(o->output);
	if (!r->path) {
		log_error("cannot open %s: %s", o->output, strerror(errno));
		return EXIT_FAILED;
	}
	status = output_open(&r->output, r->path);
	if (status != EXIT_OK)
		return status;
	r->n_disks = blockdev_find(r->path, r->disks, RECORDER_DISKS);
	err = start_file(r);
	return err ? explain(r, err) : EXIT_OK;
}

int recorder_open(struct recorder *r, struct session *s)
{
	struct stat st;

	*r = (struct recorder){.session = s};
	if (s->o->rotate && !stat(s->o->output, &st) && !S_ISREG(st.st_mode)) {
		log_error("--rotate: %s is not a file", s->o->output);
		return EXIT_USAGE;
	}
	if (s->o->anonymize) {
		r->names = malloc(sizeof(*r->names));
		if (!r->names) {
			log_error("out of memory");
			return EXIT_FAILED;
		}
		anonymizer_init(r->names);
	}
	s->also = (struct sink){recorder_event, r};
	s->uncounted = !s->o->format && !s->o->fail_on.n;
	return open_file(r);
}

/* A disk that runs full harms others more than a recording that is short. */
static void check_room(struct recorder *r)
{
	struct statvfs fs;

	r->checked = capture_bytes(r->writer);
	r->full = r->session->o->rotate && r->checked >= r->session->o->max_size;
	if (r->checked >= r->session->o->max_size && !r->full)
		r->stop = "it has reached --max-size";
	else if (!fstatvfs(fileno(r->output.stream), &fs) && fs.f_blocks && fs.f_bavail < fs.f_blocks / 100 * LEAST_FREE_PCT)
		r->stop = "less than 5 % of its file system are free";
}

/* --- the disks that the file is on -------------------------------------------------- */

static bool is_number_of_file(const struct recorder *r, uint32_t number)
{
	for (size_t i = 0; i < r->n_numbers; i++)
		if (r->numbers[i] == number)
			return true;
	return false;
}

static void note_disk(struct recorder *r, const struct iolat_disk *e)
{
	if (is_number_of_file(r, e->disk) || r->n_numbers == RECORDER_DISKS)
		return;
	for (int i = 0; i < r->n_disks; i++)
		if (r->disks[i].major == e->major && r->disks[i].minor == e->minor) {
			r->numbers[r->n_numbers++] = e->disk;
			return;
		}
}

/* Where nothing else is counted: the analysis knows whose requests have rows. */
static int count_on_disk(struct recorder *r, const void *event, size_t size)
{
	const struct iolat_request *rq = event;

	if (rq->head.kind == IOLAT_EV_DISK)
		note_disk(r, event);
	if (rq->head.kind != IOLAT_EV_REQUEST || r->in_the_way || !is_number_of_file(r, rq->disk))
		return 0;
	return run_event(r->session->run, event, size) == -ENOMEM ? -ENOMEM : 0;
}

static bool has_disk(const struct snapshot *s, const struct iolat_disk_filter *d)
{
	const struct disk *disk;

	for (size_t i = 0; i < s->n_rows; i++) {
		disk = s->rows[i]->subject.disk;
		if (disk && disk->major == d->major && disk->minor == d->minor)
			return true;
	}
	return false;
}

void recorder_check_disk(struct recorder *r, const struct snapshot *s)
{
	for (int i = 0; i < r->n_disks && !r->in_the_way; i++)
		r->in_the_way = has_disk(s, &r->disks[i]);
}

/* --- events --------------------------------------------------------------------------- */

/* The beginning of a file says which of them it is. */
static struct iolat_run name_part(struct recorder *r, const struct iolat_run *e)
{
	struct iolat_run run = *e;

	if (!r->first_ns)
		r->first_ns = e->mono_ns;
	run.part = r->files;
	run.first_ns = r->first_ns;
	return run;
}

int recorder_event(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	struct recorder *r = ctx;
	struct iolat_run run;
	int err = r->session->uncounted ? count_on_disk(r, data, size) : 0;

	if (err)
		return err;
	if (head->kind == IOLAT_EV_RUN && r->session->o->rotate) {
		run = name_part(r, data);
		data = &run;
	}
	if (r->names) {
		data = anonymize(r->names, data, size, &err);
		if (!data)
			return err;
		size = ((const struct iolat_head *)data)->size;
	}
	if (!r->writer || r->stop)
		return 0;
	err = capture_add(r->writer, data, size);
	if (!err && !r->full && capture_bytes(r->writer) > r->checked)
		check_room(r);
	r->err = r->err ?: err;
	return err;
}

int recorder_flush(struct recorder *r)
{
	int err = r->facts ? facts_counters(r->facts) : 0;

	err = err ?: capture_flush(r->writer);
	if (!err && !r->stop)
		check_room(r);
	r->err = r->err ?: err;
	return err;
}

/* --- the next file ------------------------------------------------------------------ */

static int end_file(struct recorder *r, uint64_t mono_ns)
{
	int err = capture_flush(r->writer), close_err;

	r->requests += capture_requests(r->writer);
	r->bytes += capture_bytes(r->writer);
	close_err = capture_close(r->writer, mono_ns);
	r->writer = NULL;
	close_err = close_err ?: output_close(&r->output);
	return err ?: close_err;
}

/* From now on what is said again, and what is new, comes by a stream of the file's own. */
static int follow(struct recorder *r, const struct facts *before)
{
	const struct sink sink = {recorder_event, r};
	struct session *s = r->session;
	int err = facts_new(&r->facts, s->tracer, &s->cgroups, &sink);

	s->also = (struct sink){NULL, NULL};
	return err ?: facts_follow(r->facts, s->facts, before, &s->target.knobs);
}

static int next_file(struct recorder *r, const struct facts *before)
{
	int status, err = end_file(r, monotonic_ns());

	if (err)
		return explain(r, err);
	status = open_file(r);
	if (status != EXIT_OK)
		return status;
	err = follow(r, before);
	return err ? explain(r, err) : EXIT_OK;
}

int recorder_rotate(struct recorder *r)
{
	int status, err = session_update(r->session) ?: r->facts ? facts_counters(r->facts) : 0;
	struct facts *own = r->facts;

	if (err)
		return explain(r, err);
	r->facts = NULL;
	status = next_file(r, own ?: r->session->facts);
	facts_free(own);
	return status;
}

/* Whoever reads the line knows what the file is worth. */
static void tell(const struct recorder *r)
{
	char size[UNITS_LEN], which[48] = "";

	if (r->session->o->rotate)
		snprintf(which, sizeof(which), ", the last of %u file%s", r->files, r->files == 1 ? "" : "s");
	if (!r->session->o->format)
		printf("%s%s: %" PRIu64 " requests, %s\n", r->path, which, r->requests, fmt_bytes(size, r->bytes));
	if (r->stop)
		log_warn("%s: the recording ended early: %s", r->path, r->stop);
	else if (r->in_the_way)
		log_warn("%s lies on a disk that was traced, which writing it kept busy, too", r->path);
}

int recorder_finish(struct recorder *r, uint64_t mono_ns)
{
	int err = r->facts ? facts_counters(r->facts) : 0;

	err = end_file(r, mono_ns) ?: err;
	if (!err)
		tell(r);
	recorder_discard(r);
	return err;
}

void recorder_discard(struct recorder *r)
{
	if (r->session)
		r->session->also = (struct sink){NULL, NULL};
	if (r->writer)
		capture_close(r->writer, monotonic_ns());
	facts_free(r->facts);
	output_close(&r->output);
	free(r->path);
	free(r->names);
	*r = (struct recorder){0};
}
