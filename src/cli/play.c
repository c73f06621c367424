// SPDX-License-Identifier: GPL-2.0
/* Reads events, cuts the part of the time out that is asked for, and feeds the analysis. */
#include "cli/play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/units.h"
#include "capture/format.h"
#include "cli/filter.h"

/* The run's selection has the same users. */
static void note_user(struct play *p, const struct iolat_user *e, size_t size)
{
	if (size >= sizeof(*e) && memchr(e->name, '\0', sizeof(e->name)))
		filter_user(&p->selection, p->o, e);
}

static bool has_texts(const struct iolat_fs *e, size_t size)
{
	const char *at = e->text, *end = (const char *)e + size;

	for (int i = 0; at && i < IOLAT_FS_MAX; i++) {
		at = at < end ? memchr(at, '\0', end - at) : NULL;
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* So has it the same devices. */
static int note_place(struct play *p, const struct iolat_head *head, size_t size)
{
	const struct iolat_disk *disk = (const void *)head;
	const struct iolat_fs *fs = (const void *)head;

	if (head->kind == IOLAT_EV_FS && size >= sizeof(*fs) && !fs->magic && has_texts(fs, size))
		return filter_fs(&p->selection, p->o, p->paths, fs);
	if (head->kind == IOLAT_EV_DISK && size >= sizeof(*disk) && memchr(disk->name, '\0', sizeof(disk->name)))
		return filter_disk(&p->selection, p->o, p->paths, disk);
	return 0;
}

static void note_part(struct play *p, const struct iolat_run *e, size_t size)
{
	if (e->head.kind != IOLAT_EV_RUN || size < sizeof(*e))
		return;
	if (p->part && e->part > p->part + 1)
		log_warn("%s: the file before it is missing: what was recorded there is not counted", p->path);
	p->part = e->part;
}

static int take_event(void *ctx, const void *data, size_t size)
{
	struct play *p = ctx;
	const struct iolat_head *head = parts_take(&p->parts, data, size);
	uint64_t now;
	int err = 0;

	note_part(p, data, size);
	head = head ? window_take(&p->window, head, head == data ? size : head->size) : NULL;
	if (!head)
		return 0;
	size = head == data ? size : head->size;
	if (head->kind == IOLAT_EV_USER)
		note_user(p, (const void *)head, size);
	err = note_place(p, head, size);
	if (err)
		return err;
	if (p->names) {
		head = anonymize(p->names, head, size, &err);
		if (!head)
			return err;
		size = head->size;
	}
	now = window_time_of(head, size);
	if (now > p->last_ns) {
		p->last_ns = now;
		err = p->tick ? p->tick(p->ctx, now) : 0;
	}
	err = err ?: p->before ? p->before(p->ctx, head) : 0;
	if (err)
		return err > 0 ? 0 : err;
	err = run_event(p->run, head, size);
	if (err == -EBADMSG || err == -ENOTSUP)
		return 0; /* counted as lost */
	return err || !p->behind ? err : p->behind(p->ctx, head);
}

static int refuse(const char *path, int err, uint32_t version)
{
	if (err == -EINVAL)
		log_error("%s: not a recording of iolat", path);
	else if (err == -EPROTO && !version)
		log_error("%s: recorded by a newer iolat, whose requests say more than this one knows", path);
	else if (err == -EPROTO && version != CAPTURE_VERSION)
		log_error("%s: a recording of format %" PRIu32 ", and this iolat reads format %u", path,
			  version, CAPTURE_VERSION);
	else if (err == -EPROTO)
		log_error("%s: recorded on a machine of the other byte order", path);
	else
		log_error("%s: %s", path, strerror(-err));
	return EXIT_FAILED;
}

static int note_clock(void *ctx, const void *data, size_t size)
{
	const struct iolat_clock *e = data;

	if (e->head.kind == IOLAT_EV_CLOCK && size >= sizeof(*e))
		window_clock(ctx, e);
	return 0;
}

/* A clock that was set while it was recorded is told behind what it was wrong for. What comes through a pipe can only be
 * read once, and is judged by the clock at its start. */
static int find_clock(struct play *p)
{
	enum capture_end end;

	if (!window_wants_clock(&p->window) || capture_rewind(p->reader))
		return 0;
	return capture_read(p->reader, note_clock, &p->window, &end) ?: capture_rewind(p->reader);
}

int play_open(struct play *p, const char *path, const struct options *o, const struct run_options *ro)
{
	struct run_options mine = *ro;
	uint32_t version;
	int err, status;

	*p = (struct play){.o = o, .path = path};
	parts_init(&p->parts, true);
	window_init(&p->window, &o->from, &o->to);
	status = filter_make(&p->selection, o);
	if (status != EXIT_OK)
		return status;
	p->paths = calloc(o->devices.n + 1, sizeof(*p->paths));
	if (!p->paths)
		return play_explain(p, -ENOMEM);
	err = capture_open(&p->reader, path, &version);
	if (err)
		return refuse(path, err, version);
	err = find_clock(p);
	if (err)
		return play_explain(p, err);
	if (o->anonymize) {
		p->names = malloc(sizeof(*p->names));
		if (!p->names)
			return play_explain(p, -ENOMEM);
		anonymizer_init(p->names);
	}
	mine.selection = &p->selection;
	err = run_new(&p->run, &mine);
	return err ? play_explain(p, err) : EXIT_OK;
}

/* --- a recording in several files --------------------------------------------------- */

static int take_run(void *ctx, const void *data, size_t size)
{
	const struct iolat_run *e = data;

	if (e->head.kind != IOLAT_EV_RUN || size < sizeof(*e))
		return 0;
	*(struct iolat_run *)ctx = *e;
	return 1;
}

/* Of what can be read twice. */
static bool find_run(const char *path, struct iolat_run *run)
{
	struct capture_reader *r;
	enum capture_end end;
	struct stat st;
	uint32_t version;
	bool found;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	found = !capture_open(&r, path, &version) && capture_read(r, take_run, run, &end) == 1;
	capture_reader_close(r);
	return found;
}

bool play_is_next(const char *before, const char *path)
{
	struct iolat_run a, b;

	return find_run(before, &a) && find_run(path, &b) && parts_follow(&a, &b);
}

int play_next(struct play *p, const char *path, bool last)
{
	uint32_t version;
	int err;

	capture_reader_close(p->reader);
	p->path = path;
	parts_next(&p->parts, last);
	err = capture_open(&p->reader, path, &version);
	return err ? refuse(path, err, version) : EXIT_OK;
}

int play_all(struct play *p)
{
	enum capture_end end;
	int err = capture_read(p->reader, take_event, p, &end);

	p->played = !err;
	if (err)
		return err;
	if (end == CAPTURE_CUT)
		log_warn("%s: its end is missing; read to the last whole block", p->path);
	else if (end == CAPTURE_DAMAGED)
		log_warn("%s: damaged; read to the last whole block before that", p->path);
	return 0;
}

int play_explain(const struct play *p, int err)
{
	if (err == -EPIPE)
		return EXIT_OK;
	if (err == -EPERM)
		log_error("%s: recorded by name, container, pod or job, which --anonymize would make fit nothing", p->path);
	if (err == -ENOMEM || err == -EIO)
		log_error("%s: %s", p->path, strerror(-err));
	return EXIT_FAILED;
}

int play_check_met(const struct play *p)
{
	const char *option = run_unmet(p->run);

	if (!option)
		return EXIT_OK;
	log_error("--%s %s: nothing of that name in %s", option, filter_word(p->o, option), p->path);
	return EXIT_USAGE;
}

uint64_t play_end(const struct play *p)
{
	return run_end(p->run) ?: p->last_ns;
}

/* Most often the time of another day or zone. */
static void warn_missed(const struct play *p)
{
	char from[RFC3339_LEN], to[RFC3339_LEN];
	uint64_t from_wall, to_wall;

	if (p->played && window_missed(&p->window, &from_wall, &to_wall))
		log_warn("%s: nothing of it lies between --from and --to; it is from %s to %s", p->path,
			 fmt_rfc3339(from, from_wall), fmt_rfc3339(to, to_wall));
}

void play_close(struct play *p)
{
	warn_missed(p);
	run_free(p->run);
	select_free(&p->selection);
	free(p->names);
	free(p->paths);
	capture_reader_close(p->reader);
	parts_free(&p->parts);
	*p = (struct play){0};
}
