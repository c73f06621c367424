// SPDX-License-Identifier: GPL-2.0
/*
 * Goes through the kernel's types once, picks those with a name that the object has, too, and what they are made of.
 * Where a pointer leads is asked for by another name. load.c gives the result to libbpf.
 */
#include "collect/types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* --- names -------------------------------------------------------------------------- */

struct name {
	const char *at;
	size_t len;
};

/* What stands behind "___" tells apart the forms that a type has in different kernels. */
static struct name name_of(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off) ?: "";
	const char *form = strstr(name, "___");

	return (struct name){name, form ? (size_t)(form - name) : strlen(name)};
}

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->at, y->at, x->len);
}

/* Whether programs ask for such types by their names. */
static bool is_asked_for(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_any_enum(t) || btf_is_int(t) || btf_is_typedef(t);
}

/* NULL: out of memory. */
static struct name *names_of(const struct btf *object, size_t *n)
{
	struct name *names = calloc(btf__type_cnt(object), sizeof(*names));

	*n = 0;
	for (__u32 id = 1; names && id < btf__type_cnt(object); id++) {
		const struct btf_type *t = btf__type_by_id(object, id);

		if (is_asked_for(t) && t->name_off)
			names[(*n)++] = name_of(object, t);
	}
	if (*n)
		qsort(names, *n, sizeof(*names), compare);
	return names;
}

static bool is_named(const struct name *names, size_t n, const struct btf *btf, const struct btf_type *t)
{
	struct name name;

	if (!n || !is_asked_for(t) || !t->name_off)
		return false;
	name = name_of(btf, t);
	return bsearch(&name, names, n, sizeof(name), compare);
}

/* --- picking ------------------------------------------------------------------------ */

struct picking {
	const struct btf *from;
	struct btf *to;
	__u32 *ids;	/* of what is in `to`, by its id in `from`; 0: not there */
	int err;
};

static __u32 pick(struct picking *p, __u32 id);

static struct btf_type *picked(const struct picking *p, __u32 id)
{
	return (struct btf_type *)btf__type_by_id(p->to, id);
}

/* A copy still has the ids of `from`. Each picking may move all of `to`. */
static void pick_members(struct picking *p, __u32 id)
{
	for (int i = 0; i < btf_vlen(picked(p, id)); i++) {
		__u32 type = pick(p, btf_members(picked(p, id))[i].type);

		btf_members(picked(p, id))[i].type = type;
	}
}

static void pick_elements(struct picking *p, __u32 id)
{
	__u32 type = pick(p, btf_array(picked(p, id))->type);
	__u32 index = pick(p, btf_array(picked(p, id))->index_type);

	btf_array(picked(p, id))->type = type;
	btf_array(picked(p, id))->index_type = index;
}

static void pick_meaning(struct picking *p, __u32 id)
{
	__u32 type = pick(p, picked(p, id)->type);

	picked(p, id)->type = type;
}

static void pick_parts(struct picking *p, __u32 id)
{
	const struct btf_type *t = picked(p, id);

	if (btf_is_composite(t))
		pick_members(p, id);
	else if (btf_is_array(t))
		pick_elements(p, id);
	else if (btf_is_mod(t) || btf_is_typedef(t))
		pick_meaning(p, id);
	else if (btf_is_ptr(t))
		picked(p, id)->type = 0;
}

/* Its id in `to`. What has no size (void, functions) is void there. */
static __u32 pick(struct picking *p, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(p->from, id);
	int copy;

	if (p->err || !id || btf_is_func_proto(t))
		return 0;
	if (p->ids[id])
		return p->ids[id];
	copy = btf__add_type(p->to, p->from, t);
	if (copy < 0) {
		p->err = copy;
		return 0;
	}
	p->ids[id] = copy;
	pick_parts(p, copy);
	return copy;
}

static void pick_named(struct picking *p, const struct name *names, size_t n)
{
	for (__u32 id = 1; id < btf__type_cnt(p->from); id++)
		if (is_named(names, n, p->from, btf__type_by_id(p->from, id)))
			pick(p, id);
}

static int write_all(const struct btf *btf, int fd)
{
	__u32 size;
	const void *data = btf__raw_data(btf, &size);
	ssize_t n = data ? write(fd, data, size) : -1;

	if (n < 0)
		return -errno;
	return n == (ssize_t)size ? 0 : -ENOSPC;
}

int types_write(const struct btf *kernel, const struct btf *object, int fd)
{
	size_t n;
	AUTO_FREE struct name *names = names_of(object, &n);
	AUTO_FREE __u32 *ids = calloc(btf__type_cnt(kernel), sizeof(*ids));
	struct picking p = {.from = kernel, .to = btf__new_empty(), .ids = ids};

	if (!names || !ids || !p.to)
		p.err = -ENOMEM;
	else
		pick_named(&p, names, n);
	p.err = p.err ?: write_all(p.to, fd);
	btf__free(p.to);
	return p.err;
}
