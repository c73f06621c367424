// SPDX-License-Identifier: GPL-2.0
/* Numbers from what stays the same while a thing lives; texts from the columns of tables. */
#include "screen/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "render/columns.h"

static uint64_t text_id(const char *s)
{
	return s && *s ? map_hash(s, strlen(s)) | 1 : 0;
}

static uint64_t process_id(const struct row_subject *s, const char *via)
{
	return s->process ? s->process->pid : text_id(via);
}

/* Of a worker its processes change; its place in the loader and who started that loader do not. */
static uint64_t worker_id(const struct row_subject *s)
{
	uint64_t loader = s->process ? (uint64_t)s->process->ppid << 32 : 0;

	return s->worker ? text_id(s->worker->name) ^ loader : 0;
}

/* Files of several file systems may have one inode number, and their paths come to be known late: as long as they do not,
 * they are one. */
static uint64_t file_id(const struct file *f)
{
	return f ? f->inode ^ text_id(f->path) : 0;
}

static uint64_t job_id(const struct job *j)
{
	return j ? text_id(j->id) ^ text_id(j->step) << 1 : 0;
}

static uint64_t key_id(enum row_key key, const struct row_subject *s, const char *via)
{
	switch (key) {
	case BY_PROCESS:
		return process_id(s, via);
	case BY_THREAD:
		return s->thread ? s->thread->tid : 0;
	case BY_WORKER:
		return worker_id(s);
	case BY_CGROUP:
		return s->cgroup ? s->cgroup->key : 0;
	case BY_CONTAINER:
		return s->container ? text_id(s->container->id) : 0;
	case BY_POD:
		return s->pod ? text_id(s->pod->uid) : 0;
	case BY_JOB:
		return job_id(s->job);
	case BY_DEVICE:
		return s->disk ? s->disk->number : 0;
	case BY_OP:
		return s->op + 1;
	case BY_FS:
		return s->fs ? s->fs->id : 0;
	case BY_FILE:
		return file_id(s->file);
	default:
		return 0;
	}
}

struct identity identity_of(const struct row_subject *subject, const char *via, unsigned int keys)
{
	struct identity id = {{0}};

	for (int key = 0; key < BY_MAX; key++)
		if (keys & 1u << key)
			id.of[key] = key_id(key, subject, via);
	return id;
}

struct identity identity_masked(const struct identity *id, unsigned int mask)
{
	struct identity masked = {{0}};

	for (int key = 0; key < BY_MAX; key++)
		if (mask & 1u << key)
			masked.of[key] = id->of[key];
	return masked;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* --- texts ------------------------------------------------------------------------ */

static bool tells(const struct column *c, enum row_key key)
{
	return (c->show == SHOW_KEY || c->show == SHOW_KEY_OR_ANY) && c->key == key;
}

/* Numbers first and aligned, so that names stand under one another. */
static void put_columns(FILE *out, enum row_key key, const struct row *row)
{
	const struct by by = {.keys = {key}, .n = 1, .mask = 1u << key};
	const struct snapshot frame = {.by = &by};
	const struct cell cell = {&frame, row};
	const struct column *c;
	bool first = true;
	double v;

	for (size_t i = 0; (c = column_at(i)); i++) {
		if (!tells(c, key) || (c->text && !c->print && !c->text(&cell) && !first))
			continue;
		if (!first)
			fputc(' ', out);
		if (c->number && c->number(c, &cell, &v))
			fprintf(out, "%6.0f", v);
		else if (c->number)
			fprintf(out, "%6s", "-");
		else
			column_print(c, out, &cell);
		first = false;
	}
}

char *identity_texts(const struct row *row, unsigned int keys)
{
	char *texts = NULL;
	size_t size;
	FILE *mem = open_memstream(&texts, &size);

	if (!mem)
		return NULL;
	for (int key = 0; key < BY_MAX; key++) {
		if (keys & 1u << key)
			put_columns(mem, key, row);
		else
			fputc('-', mem);
		fputc('\0', mem);
	}
	if (!fclose(mem))
		return texts;
	free(texts);
	return NULL;
}
