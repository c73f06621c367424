// SPDX-License-Identifier: GPL-2.0
/*
 * Mount tables are read once for each mount namespace, and again when a file system is not in them that is in
 * use: at once when it is seen for the first time, as it may be gone soon. A file on a file system that is mounted
 * nowhere (a memfd, one that was unmounted) goes by its names alone.
 */
#include "collect/file_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/mounts.h"

#define TABLES	  16		  /* mount namespaces, before they are read anew */
#define TOLD	  4096		  /* file systems, likewise */
#define REREAD_NS 1000000000ull	  /* between two readings of a table for what it lacked before */

struct mount_table {
	struct mount *at;
	size_t n;
	uint64_t read_ns;
	struct map lacks; /* file systems that were looked for in vain, by device */
};

static void clear_table(struct mount_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		mount_free(&t->at[i]);
	free(t->at);
	t->at = NULL;
	t->n = 0;
}

static void free_table(struct mount_table *t)
{
	if (!t)
		return;
	clear_table(t);
	map_free(&t->lacks);
	free(t);
}

static void forget_tables(struct file_facts *f)
{
	struct mount_table *t;

	for (size_t i = 0; (t = map_next(&f->tables, &i, NULL));)
		free_table(t);
	map_clear(&f->tables);
}

void file_facts_init(struct file_facts *f, const char *root, const struct sink *sink, bool host_pids)
{
	*f = (struct file_facts){.sink = *sink, .root = root, .host_pids = host_pids};
	f->changes = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	map_init(&f->tables, sizeof(uint64_t));
	map_init(&f->told, sizeof(uint64_t));
}

void file_facts_free(struct file_facts *f)
{
	if (f->changes >= 0)
		close(f->changes);
	forget_tables(f);
	map_free(&f->tables);
	map_free(&f->told);
}

/* A mount table signals its changes by an exceptional condition (proc(5)); then all are read anew. */
static bool forget_changed(struct file_facts *f)
{
	struct pollfd p = {.fd = f->changes, .events = POLLPRI};

	if (poll(&p, 1, 0) <= 0 || !(p.revents & (POLLERR | POLLPRI)))
		return false;
	forget_tables(f);
	map_clear(&f->told);
	return true;
}

void file_facts_refresh(struct file_facts *f)
{
	forget_changed(f);
}

/* --- mounts ------------------------------------------------------------------------- */

/* The file of `name` in /proc of the process, or of this one if that is gone or cannot be told. */
static void proc_path(char path[PATH_MAX], const struct file_facts *f, uint32_t tgid, const char *name)
{
	struct stat st;

	snprintf(path, PATH_MAX, "%s/proc/%" PRIu32 "/%s", f->root, tgid, name);
	if (!f->host_pids || stat(path, &st))
		snprintf(path, PATH_MAX, "/proc/self/%s", name);
}

static int read_table(const struct file_facts *f, struct mount_table *t, uint32_t tgid)
{
	AUTO_FILE FILE *file = NULL;
	struct mount m, *more;
	char path[PATH_MAX];

	clear_table(t);
	t->read_ns = monotonic_ns();
	proc_path(path, f, tgid, "mountinfo");
	file = fopen(path, "re");
	while (file && !mount_next(file, &m)) {
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

static int add_table(struct file_facts *f, uint64_t space, uint32_t tgid, struct mount_table **out)
{
	struct mount_table *t;
	int err;

	if (f->tables.count >= TABLES)
		forget_tables(f);
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	map_init(&t->lacks, sizeof(uint64_t));
	err = read_table(f, t, tgid) ?: map_put(&f->tables, &space, t);
	if (err)
		free_table(t);
	else
		*out = t;
	return err;
}

static int get_table(struct file_facts *f, uint32_t tgid, struct mount_table **out)
{
	uint64_t space = 0;
	struct stat st;
	char path[PATH_MAX];

	proc_path(path, f, tgid, "ns/mnt");
	if (!stat(path, &st))
		space = st.st_ino;
	*out = map_get(&f->tables, &space);
	return *out ? 0 : add_table(f, space, tgid, out);
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

/* Whether the table is to be read again for what is not in it. *err: 0 or -ENOMEM. */
static bool is_stale(struct mount_table *t, uint64_t dev, int *err)
{
	bool known = map_get(&t->lacks, &dev);

	*err = 0;
	if (t->lacks.count >= TOLD)
		map_clear(&t->lacks);
	if (!known)
		*err = map_put(&t->lacks, &dev, t);
	return !*err && (!known || monotonic_ns() - t->read_ns >= REREAD_NS);
}

/* *out is NULL where it is mounted nowhere. Other mount namespaces than this one do not signal changes. 0 or
 * -errno. */
static int look_up(struct file_facts *f, uint32_t tgid, uint32_t major, uint32_t minor,
		   const char *path, const struct mount **out)
{
	struct mount_table *t;
	int err = get_table(f, tgid, &t);

	*out = err ? NULL : find_mount(t, major, minor, path);
	if (err || *out)
		return err;
	if (forget_changed(f))
		err = get_table(f, tgid, &t);
	else if (is_stale(t, (uint64_t)major << 32 | minor, &err))
		err = read_table(f, t, tgid);
	*out = err ? NULL : find_mount(t, major, minor, path);
	return err;
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

/* Tells a file system once. */
static int tell_system(struct file_facts *f, uint32_t major, uint32_t minor, uint32_t magic,
		       const struct mount *m)
{
	union {
		struct iolat_fs fs;
		char room[sizeof(struct iolat_fs) + 3 * PATH_MAX];
	} e = {.fs = {.magic = magic, .major = major, .minor = minor}};
	uint64_t dev = (uint64_t)major << 32 | minor;
	size_t len = 0;

	if (map_get(&f->told, &dev))
		return 0;
	if (f->told.count >= TOLD)
		map_clear(&f->told);
	len += put_text(e.fs.text, PATH_MAX, m->type);
	len += put_text(e.fs.text + len, PATH_MAX, m->source);
	len += put_text(e.fs.text + len, PATH_MAX, m->point);
	e.fs.head = (struct iolat_head){IOLAT_EV_FS, sizeof(e.fs) + len};
	return map_put(&f->told, &dev, f) ?: send(f, &e, e.fs.head.size);
}

int file_facts_wait(struct file_facts *f, const struct iolat_wait *w)
{
	uint64_t dev = (uint64_t)w->fs_major << 32 | w->fs_minor;
	const struct mount *m;
	int err;

	if (!w->fs_magic || map_get(&f->told, &dev))
		return 0;
	err = look_up(f, w->tgid, w->fs_major, w->fs_minor, NULL, &m);
	if (!err && !m)
		err = look_up(f, 0, w->fs_major, w->fs_minor, NULL, &m);
	return err || !m ? err : tell_system(f, w->fs_major, w->fs_minor, w->fs_magic, m);
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

static bool has_overlay(const struct mount_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].type, "overlay"))
			return true;
	return false;
}

/* A mapped file of an overlay goes by the name that its user knows; the kernel tells the one below. */
static int tell_mapped(struct file_facts *f, const struct iolat_dentry *e, bool *told)
{
	struct mount_table *t;
	char path[PATH_MAX];
	int err = get_table(f, e->tgid, &t);

	*told = false;
	if (err || !e->by_inode || !e->n_names || !has_overlay(t) ||
	    !find_mapped(f, e->tgid, e->names[0], path))
		return err;
	*told = true;
	return send_path(f, e, path);
}

/* Where the data lies, if that is not where the name does: below an overlay, or on a disk whose node it is. Its
 * user may not see that file system mounted. */
static int tell_system_of(struct file_facts *f, const struct iolat_dentry *e)
{
	const struct mount *m;
	int err = look_up(f, e->tgid, e->fs_major, e->fs_minor, NULL, &m);

	if (!err && !m)
		err = look_up(f, 0, e->fs_major, e->fs_minor, NULL, &m);
	return err || !m ? err : tell_system(f, e->fs_major, e->fs_minor, e->fs_magic, m);
}

int file_facts_dentry(struct file_facts *f, const struct iolat_dentry *e)
{
	char inside[IOLAT_DENTRY_NAMES * (IOLAT_DENTRY_LEN + 1)];
	const struct mount *m;
	bool told;
	int err;

	if (e->n_names > IOLAT_DENTRY_NAMES)
		return 0;
	err = tell_system_of(f, e) ?: tell_mapped(f, e, &told);
	if (err || told)
		return err;
	path_inside(inside, sizeof(inside), e);
	err = look_up(f, e->tgid, e->in_major, e->in_minor, e->rooted ? inside : NULL, &m);
	if (err)
		return err;
	return m ? tell_path(f, e, m, inside) : send(f, e, e->head.size);
}
