// SPDX-License-Identifier: GPL-2.0
/*
 * Mount tables are read once for each mount namespace, and again when the kernel says that its mounts have changed
 * since: a table is as good as the moment at which a file was used. A file on a file system that is mounted nowhere (a
 * memfd, one that was unmounted) goes by its name alone.
 */
#include "collect/file_facts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#define TABLES 64   /* other mount namespaces, before they are read anew */
#define TOLD   4096 /* file systems, likewise */
#define UNREAD (~0ull)
#define SEARCH_NS 1000000000ull /* between two searches of /proc */
/* Bytes that are read of another namespace's table: it may have 100,000 mounts (sysctl fs.mount-max) with long paths. */
#define THEIRS_MAX (4l << 20)

static void clear_table(struct mount_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		mount_free(&t->at[i]);
	free(t->at);
	t->at = NULL;
	t->n = 0;
}

static void forget_tables(struct file_facts *f)
{
	struct mount_table *t;

	for (size_t i = 0; (t = map_next(&f->tables, &i, NULL));) {
		clear_table(t);
		free(t);
	}
	map_clear(&f->tables);
}

void file_facts_init(struct file_facts *f, const char *root, const struct sink *sink, bool host_pids)
{
	struct stat st;

	*f = (struct file_facts){.sink = *sink, .root = root, .host_pids = host_pids, .ours.mounts = UNREAD};
	if (!stat("/proc/self/ns/mnt", &st))
		f->own = (uint32_t)st.st_ino;
	map_init(&f->tables, sizeof(uint32_t));
	map_init(&f->told, sizeof(uint64_t));
	map_init(&f->missed, sizeof(uint64_t));
}

void file_facts_free(struct file_facts *f)
{
	forget_tables(f);
	clear_table(&f->ours);
	map_free(&f->tables);
	map_free(&f->told);
	map_free(&f->missed);
}

/* --- mounts ------------------------------------------------------------------------- */

/* The table of the namespace `space` as the process sees it; NULL: it is gone, or in another by now. */
static FILE *open_theirs(const struct file_facts *f, uint32_t tgid, uint32_t space)
{
	char path[PATH_MAX];
	struct stat st;
	FILE *file;

	if (!f->host_pids)
		return NULL;
	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/mountinfo", f->root, tgid);
	file = fopen(path, "re");
	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/ns/mnt", f->root, tgid);
	if (!file || (!stat(path, &st) && st.st_ino == space))
		return file;
	fclose(file);
	return NULL;
}

/* The same of whichever process is there; that is not looked for all the time. */
static FILE *open_anybodys(struct file_facts *f, uint32_t space)
{
	uint64_t now = monotonic_ns(), pid;
	AUTO_DIR DIR *dir = NULL;
	char path[PATH_MAX];
	struct dirent *d;
	FILE *found = NULL;

	if (!f->host_pids || now < f->search_ns)
		return NULL;
	f->search_ns = now + SEARCH_NS;
	snprintf(path, sizeof(path), "%s/proc", f->root);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		if (!parse_u64(d->d_name, &pid))
			found = open_theirs(f, (uint32_t)pid, space);
	return found;
}

/* `theirs` NULL: our own. 0 or -ENOMEM. */
static int read_table(struct mount_table *t, FILE *theirs)
{
	AUTO_FILE FILE *ours = theirs ? NULL : fopen("/proc/self/mountinfo", "re");
	FILE *file = theirs ?: ours;
	struct mount m, *more;

	clear_table(t);
	while (file && (!theirs || ftell(theirs) < THEIRS_MAX) && !mount_next(file, &m)) {
		more = reallocarray(t->at, t->n + 1, sizeof(*more));
		if (!more) {
			mount_free(&m);
			return -ENOMEM;
		}
		t->at = more;
		t->at[t->n++] = m;
	}
	return 0;
}

/* NULL: out of memory. */
static struct mount_table *table_of(struct file_facts *f, uint32_t space)
{
	struct mount_table *t = map_get(&f->tables, &space);

	if (t)
		return t;
	if (f->tables.count >= TABLES)
		forget_tables(f);
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->mounts = UNREAD;
	if (!map_put(&f->tables, &space, t))
		return t;
	free(t);
	return NULL;
}

/* What is on ours is told again, by where it is now. */
static int get_ours(struct file_facts *f, uint64_t mounts)
{
	if (f->ours.mounts == mounts)
		return 0;
	f->ours.mounts = mounts;
	map_clear(&f->told);
	map_clear(&f->missed);
	return read_table(&f->ours, NULL);
}

static int get_theirs(struct file_facts *f, struct mount_table *t, const struct iolat_dentry *e)
{
	bool current = t->mounts == e->mounts;
	AUTO_FILE FILE *theirs = NULL;

	if (current && !t->borrowed)
		return 0;
	theirs = open_theirs(f, e->tgid, e->space) ?: open_anybodys(f, e->space);
	if (current && !theirs)
		return 0;
	t->mounts = e->mounts;
	t->borrowed = !theirs;
	map_clear(&f->missed);
	return read_table(t, theirs);
}

/* The mounts as who used the file saw them then. 0 or -ENOMEM. */
static int get_table(struct file_facts *f, const struct iolat_dentry *e, const struct mount_table **out)
{
	struct mount_table *t;

	*out = &f->ours;
	if (!e->space && f->ours.mounts != UNREAD)
		return 0;
	if (!e->space || e->space == f->own)
		return get_ours(f, e->mounts);
	*out = t = table_of(f, e->space);
	return t ? get_theirs(f, t, e) : -ENOMEM;
}

/* What of `path` lies below the folder `root`; NULL: it does not. */
static const char *below(const char *path, const char *root)
{
	size_t len = strlen(root);

	while (len && root[len - 1] == '/')
		len--;
	if (strncmp(path, root, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

/* A file is seen best where the least is beside it, in the topmost of several mounts; a file system where most of it
 * is. */
static bool is_better(const struct mount *m, const struct mount *than, const char *path)
{
	return path ? strlen(m->root) >= strlen(than->root) : strlen(m->root) < strlen(than->root);
}

/* Where the file of that path in its file system is seen, `path` NULL: where the file system is. NULL: nowhere. */
static const struct mount *find_mount(const struct mount_table *t, uint32_t major, uint32_t minor,
				      const char *path)
{
	const struct mount *found = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount *m = &t->at[i];

		if (m->major == major && m->minor == minor && (!path || below(path, m->root)) &&
		    (!found || is_better(m, found, path)))
			found = m;
	}
	return found;
}

/* --- what is told --------------------------------------------------------------------- */

static int send(struct file_facts *f, const void *event, size_t size)
{
	return f->sink.event(f->sink.ctx, event, size);
}

static size_t put_text(char *to, size_t room, const char *text)
{
	int n = snprintf(to, room, "%s", text);

	return (n < (int)room ? n : (int)room - 1) + 1;
}

static int tell_system(struct file_facts *f, const struct iolat_dentry *of, const struct mount *m)
{
	union {
		struct iolat_fs fs;
		char room[sizeof(struct iolat_fs) + 3 * PATH_MAX];
	} e = {.fs = {.magic = of->fs_magic, .major = of->fs_major, .minor = of->fs_minor}};
	size_t len = 0;

	len += put_text(e.fs.text, PATH_MAX, m->type);
	len += put_text(e.fs.text + len, PATH_MAX, m->source);
	len += put_text(e.fs.text + len, PATH_MAX, m->point);
	e.fs.head = (struct iolat_head){IOLAT_EV_FS, sizeof(e.fs) + len};
	return send(f, &e, e.fs.head.size);
}

int file_facts_begin(struct file_facts *f)
{
	int err = read_table(&f->ours, NULL);

	for (size_t i = 0; !err && i < f->ours.n; i++) {
		const struct mount *m = &f->ours.at[i];
		const struct iolat_dentry nobodys = {.fs_major = m->major, .fs_minor = m->minor};

		err = tell_system(f, &nobodys, m);
	}
	return err;
}

static int note(struct file_facts *f, struct map *where, uint64_t dev)
{
	if (where->count >= TOLD)
		map_clear(where);
	return map_put(where, &dev, f);
}

/* Tells once where the data lies. That may be elsewhere than the name (below an overlay, or on a disk whose node it is), and
 * who used it may not see that file system mounted: then we may. */
static int tell_system_of(struct file_facts *f, const struct iolat_dentry *e, const struct mount_table *t)
{
	uint64_t dev = (uint64_t)e->fs_major << 32 | e->fs_minor;
	uint32_t major = IOLAT_FS_MAJOR(e->fs_major);
	const struct mount *m;
	int err;

	if (map_get(&f->told, &dev))
		return 0;
	m = find_mount(t, major, e->fs_minor, NULL);
	if (!m && map_get(&f->missed, &dev))
		return 0;
	if (!m && t != &f->ours) {
		err = read_table(&f->ours, NULL); /* nothing says whether it has changed */
		if (err)
			return err;
		m = find_mount(&f->ours, major, e->fs_minor, NULL);
	}
	return m ? note(f, &f->told, dev) ?: tell_system(f, e, m) : note(f, &f->missed, dev);
}

/* "/a/b/c", from the file system's root if that was reached. */
static void path_inside(char *out, size_t size, const struct iolat_dentry *e)
{
	size_t len = 0;

	out[0] = '\0';
	for (int i = e->n_names; i-- > 0 && len < size;)
		len += snprintf(out + len, size - len, "/%s", e->names[i]);
}

static int send_path(struct file_facts *f, const struct iolat_dentry *e, const char *path)
{
	union {
		struct iolat_file file;
		char room[sizeof(struct iolat_file) + PATH_MAX];
	} out = {.file = {.fs_major = e->fs_major, .inode = e->inode, .fs_minor = e->fs_minor}};
	size_t len = put_text(out.file.path, PATH_MAX, path);

	out.file.head = (struct iolat_head){IOLAT_EV_FILE, sizeof(out.file) + len};
	return send(f, &out, out.file.head.size);
}

static int tell_path(struct file_facts *f, const struct iolat_dentry *e, const struct mount *m,
		     const char *inside)
{
	const char *point = strcmp(m->point, "/") ? m->point : "";
	const char *rest = e->rooted ? below(inside, m->root) : inside;
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s", point, e->rooted ? "" : "/...",
		 *rest || *point ? rest : "/");
	return send_path(f, e, path);
}

/* Whether two paths end in the same name. */
static bool same_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash + 1, name);
}

/* The path under which the process has mapped a file of that name; false: there is none, or there are several. */
static bool find_mapped(const struct file_facts *f, uint32_t tgid, const char *name, char out[PATH_MAX])
{
	AUTO_FILE FILE *maps = NULL;
	AUTO_FREE char *line = NULL;
	char path[PATH_MAX];
	size_t room = 0;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/maps", f->root, tgid);
	maps = f->host_pids ? fopen(path, "re") : NULL;
	while (maps && getline(&line, &room, maps) > 0) {
		char *at = strchr(line, '/');

		if (!at)
			continue;
		at[strcspn(at, "\n")] = '\0';
		if (!same_name(at, name) || !strcmp(at, out))
			continue;
		if (*out || snprintf(out, PATH_MAX, "%s", at) >= PATH_MAX)
			return false;
	}
	return *out;
}

static bool name_is_cut(const char *name)
{
	return strlen(name) == IOLAT_DENTRY_LEN - 1;
}

/* Whether the kernel side had no room for all of a file's names, or of one. */
static bool is_cut(const struct iolat_dentry *e)
{
	bool cut = !e->rooted;

	for (size_t i = 0; i < e->n_names; i++)
		cut |= name_is_cut(e->names[i]);
	return cut;
}

/* Whether a path ends in the names of a file, as far as they are known. */
static bool ends_in(const char *path, const struct iolat_dentry *e)
{
	size_t end = strlen(path), at, len;

	for (size_t i = 0; i < e->n_names; i++, end = at - 1) {
		for (at = end; at && path[at - 1] != '/';)
			at--;
		len = strlen(e->names[i]);
		if (!at || strncmp(path + at, e->names[i], len) || (len != end - at && !name_is_cut(e->names[i])))
			return false;
	}
	return e->n_names;
}

/* The path of a file that the process has open. The links alone are read: to ask for more of a file, its server might be
 * waited for. */
static bool find_open(const struct file_facts *f, const struct iolat_dentry *e, char out[PATH_MAX])
{
	AUTO_DIR DIR *dir = NULL;
	char folder[PATH_MAX];
	struct dirent *d;
	ssize_t n;

	snprintf(folder, sizeof(folder), "%s/proc/%" PRIu32 "/fd", f->root, e->tgid);
	dir = f->host_pids ? opendir(folder) : NULL;
	while (dir && (d = readdir(dir))) {
		n = readlinkat(dirfd(dir), d->d_name, out, PATH_MAX - 1);
		out[n > 0 ? n : 0] = '\0';
		if (ends_in(out, e))
			return true;
	}
	return false;
}

static bool has_overlay(const struct mount_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].type, "overlay"))
			return true;
	return false;
}

/* A mapped file of an overlay goes by the name that its user knows; the kernel tells the one below. */
static bool is_mapped(const struct file_facts *f, const struct iolat_dentry *e, const struct mount_table *t,
		      char path[PATH_MAX])
{
	return e->by_inode && e->n_names && has_overlay(t) && find_mapped(f, e->tgid, e->names[0], path);
}

int file_facts_dentry(struct file_facts *f, const struct iolat_dentry *e)
{
	char inside[IOLAT_DENTRY_NAMES * (IOLAT_DENTRY_LEN + 1)], path[PATH_MAX];
	const struct mount_table *t;
	const struct mount *m;
	int err;

	if (e->n_names > IOLAT_DENTRY_NAMES)
		return 0;
	err = get_table(f, e, &t) ?: tell_system_of(f, e, t);
	if (err)
		return err;
	if (is_mapped(f, e, t, path) || (is_cut(e) && find_open(f, e, path)))
		return send_path(f, e, path);
	path_inside(inside, sizeof(inside), e);
	m = find_mount(t, e->in_major, e->in_minor, e->rooted ? inside : NULL);
	return m ? tell_path(f, e, m, inside) : send_path(f, e, e->n_names ? e->names[0] : "/");
}
