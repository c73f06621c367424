// SPDX-License-Identifier: GPL-2.0
/* Two tables that forget. What they forgot and somebody still shows lives as long as that. */
#include "attrib/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void known_fs_ref(struct known_fs *fs)
{
	if (fs)
		fs->refs++;
}

void known_fs_unref(struct known_fs *fs)
{
	if (!fs || --fs->refs)
		return;
	free(fs->text);
	free(fs);
}

void known_file_ref(struct known_file *f)
{
	if (f)
		f->refs++;
}

void known_file_unref(struct known_file *f)
{
	if (!f || --f->refs)
		return;
	free(f->path);
	free(f);
}

static void drop_fs(void *ctx, struct lru_node *node)
{
	known_fs_unref(list_entry(node, struct known_fs, node));
}

static void drop_file(void *ctx, struct lru_node *node)
{
	known_file_unref(list_entry(node, struct known_file, node));
}

void files_init(struct files *t)
{
	lru_init(&t->files, sizeof(struct file_key), offsetof(struct known_file, key), FILES_KEPT);
	lru_init(&t->systems, sizeof(uint64_t), offsetof(struct known_fs, dev), SYSTEMS_KEPT);
	t->files.drop = drop_file;
	t->systems.drop = drop_fs;
}

void files_free(struct files *t)
{
	lru_free(&t->files);
	lru_free(&t->systems);
}

struct known_fs *files_system(struct files *t, uint64_t dev)
{
	struct known_fs *fs = lru_get(&t->systems, &dev);

	if (fs)
		return fs;
	fs = calloc(1, sizeof(*fs));
	if (!fs)
		return NULL;
	fs->dev = dev;
	fs->pub.id = dev;
	fs->pub.major = IOLAT_FS_MAJOR(dev >> 32);
	fs->pub.minor = (uint32_t)dev;
	fs->refs = 1;
	if (!lru_put(&t->systems, &fs->node))
		return fs;
	free(fs);
	return NULL;
}

struct known_file *files_get(struct files *t, const struct file_key *key)
{
	struct known_file *f = lru_get(&t->files, key);

	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->key = *key;
	f->pub.inode = key->inode;
	f->refs = 1;
	if (!lru_put(&t->files, &f->node))
		return f;
	free(f);
	return NULL;
}

static const char *special_name(enum iolat_request_of of)
{
	switch (of) {
	case IOLAT_OF_DIRECT:
		return "(direct)";
	case IOLAT_OF_METADATA:
		return "(metadata)";
	case IOLAT_OF_SWAP:
		return "(swap)";
	default:
		return NULL;
	}
}

/* Under numbers that no inode has. */
struct known_file *files_special(struct files *t, enum iolat_request_of of)
{
	const struct file_key key = {0, ~0ULL - of};
	struct known_file *f = files_get(t, &key);

	if (f) {
		f->pub.path = special_name(of);
		f->pub.inode = 0;
	}
	return f;
}

/* The next of an event's texts; NULL for "" and for those that are missing. */
static const char *next_text(char **at, const char *end)
{
	const char *text = *at;

	if (*at >= end)
		return NULL;
	*at += strlen(*at) + 1;
	return *text ? text : NULL;
}

int files_fs(struct files *t, const struct iolat_fs *e)
{
	struct known_fs *fs = files_system(t, FS_DEV(e->major, e->minor));
	size_t len = e->head.size - sizeof(*e);
	char *text = malloc(len), *at = text;

	if (!fs || !text) {
		free(text);
		return -ENOMEM;
	}
	memcpy(text, e->text, len);
	free(fs->text);
	fs->text = text;
	fs->pub.magic = e->magic;
	fs->pub.type = next_text(&at, text + len);
	fs->pub.source = next_text(&at, text + len);
	fs->pub.point = next_text(&at, text + len);
	return 0;
}

int files_file(struct files *t, const struct iolat_file *e)
{
	const struct file_key key = {FS_DEV(e->fs_major, e->fs_minor), e->inode};
	struct known_file *f = files_get(t, &key);
	char *path = f ? strdup(e->path) : NULL;

	if (!path)
		return -ENOMEM;
	free(f->path);
	f->path = path;
	f->pub.path = path;
	return 0;
}
