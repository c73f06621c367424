// SPDX-License-Identifier: GPL-2.0
/* Owns the writer; everything that goes wrong with it ends the run. */
#include "cli/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "collect/blockdev.h"

#define LEAST_FREE_PCT 5
#define CHECK_BYTES    (1u << 20) /* written between two looks at the file system */
#define DISKS_OF_FILE  64

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
		err = what == IOLAT_SELECT_NAME && !select_is_tame(words->at[i])
			      ? -E2BIG
			      : put_select(r, what, words->at[i]);
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
static int put_selection(struct recorder *r, const struct selection *s)
{
	const struct options *o = r->o;
	int err = put_words(r, IOLAT_SELECT_NAME, &o->names) ?: put_users(r, s);

	err = err ?: put_words(r, IOLAT_SELECT_CONTAINER, &o->containers);
	err = err ?: put_words(r, IOLAT_SELECT_POD, &o->pods);
	return err ?: put_words(r, IOLAT_SELECT_JOB, &o->jobs);
}

int recorder_start(struct recorder *r, const struct options *o, const struct selection *s, int fd)
{
	int err;

	*r = (struct recorder){.o = o, .fd = dup(fd)};
	if (r->fd < 0)
		return -errno;
	err = capture_create(&r->writer, r->fd);
	if (!err && o->anonymize) {
		r->names = malloc(sizeof(*r->names));
		if (!r->names)
			return -ENOMEM;
		anonymizer_init(r->names);
	}
	return err ?: put_selection(r, s);
}

/* A disk that runs full harms others more than a recording that is short. */
static void check_room(struct recorder *r)
{
	struct statvfs fs;

	r->checked = capture_bytes(r->writer);
	if (r->checked >= r->o->max_size)
		r->stop = "it has reached --max-size";
	else if (!fstatvfs(r->fd, &fs) && fs.f_blocks && fs.f_bavail < fs.f_blocks / 100 * LEAST_FREE_PCT)
		r->stop = "less than 5 % of its file system are free";
}

int recorder_event(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;
	int err = 0;

	if (r->names) {
		data = anonymize(r->names, data, size, &err);
		if (!data)
			return err;
		size = ((const struct iolat_head *)data)->size;
	}
	err = r->stop ? 0 : capture_add(r->writer, data, size);

	if (!err && capture_bytes(r->writer) - r->checked >= CHECK_BYTES)
		check_room(r);
	r->err = r->err ?: err;
	return err;
}

int recorder_flush(struct recorder *r)
{
	int err = capture_flush(r->writer);

	if (!err && !r->stop)
		check_room(r);
	r->err = r->err ?: err;
	return err;
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
	struct iolat_disk_filter disks[DISKS_OF_FILE];
	int n = blockdev_find(r->o->output, disks, DISKS_OF_FILE);

	for (int i = 0; i < n; i++)
		r->in_the_way |= has_disk(s, &disks[i]);
}

/* Whoever reads the line knows what the file is worth. */
static void tell(const struct recorder *r, uint64_t requests, uint64_t bytes)
{
	char size[UNITS_LEN];

	if (!r->o->format)
		printf("%s: %" PRIu64 " requests, %s\n", r->o->output, requests, fmt_bytes(size, bytes));
	if (r->stop)
		log_warn("%s: the recording ended early: %s", r->o->output, r->stop);
	else if (r->in_the_way)
		log_warn("%s lies on a disk that was traced, which writing it kept busy, too", r->o->output);
}

int recorder_finish(struct recorder *r, uint64_t mono_ns)
{
	uint64_t requests = capture_requests(r->writer), bytes;
	int err = capture_flush(r->writer);

	bytes = capture_bytes(r->writer);
	err = capture_close(r->writer, mono_ns) ?: err;
	r->writer = NULL;
	free(r->names);
	if (!err)
		tell(r, requests, bytes);
	return err;
}
