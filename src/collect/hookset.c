// SPDX-License-Identifier: GPL-2.0
/* Each hook is attached by itself, so that one that this kernel lacks takes no other along. */
#include "collect/hookset.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "collect/features.h"

void hookset_choose(struct hookset *s, const struct features *f, bool waits)
{
	const struct hook_def *def;

	for (size_t i = 0; (def = hook_at(i)) && s->n < HOOKS_MAX; i++)
		if (hook_wanted(def, f) && (waits || !hook_of_waits(def)))
			s->hooks[s->n++].def = def;
}

struct tracer_hook *hookset_of_program(struct hookset *s, const char *program)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->hooks[i].def->program, program))
			return &s->hooks[i];
	return NULL;
}

const struct tracer_hook *hookset_on(const struct hookset *s, const char *tracepoint)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->hooks[i].def->tracepoint, tracepoint))
			return &s->hooks[i];
	return NULL;
}

bool hook_is_tracepoint(const struct hook_def *def)
{
	return !strchr(def->tracepoint, '/');
}

const struct bpf_link *hookset_walk(const struct hookset *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!hook_is_tracepoint(s->hooks[i].def) && s->links[i])
			return s->links[i];
	return NULL;
}

static void attach_hook(struct hookset *s, struct bpf_object *obj, size_t i)
{
	struct tracer_hook *h = &s->hooks[i];
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, h->def->program);

	if (!prog || bpf_program__fd(prog) < 0) {
		h->err = h->err ?: -ENOTSUP;
		return;
	}
	s->links[i] = bpf_program__attach(prog);
	h->err = s->links[i] ? 0 : -errno;
	h->attached = s->links[i];
}

/* In the table's order backwards: what ends a request is there before what starts one, and so is
 * every fork before the tasks are listed. */
const struct tracer_hook *hookset_attach(struct hookset *s, struct bpf_object *obj)
{
	for (size_t i = s->n; i-- > 0;) {
		attach_hook(s, obj, i);
		if (!s->hooks[i].attached && s->hooks[i].def->required)
			return &s->hooks[i];
	}
	return NULL;
}

static void detach(struct hookset *s, size_t i)
{
	bpf_link__destroy(s->links[i]);
	s->links[i] = NULL;
}

/* What ends requests goes first: one that ends while the rest goes is in flight at the end of the run, and not one
 * whose start was not seen. */
void hookset_detach(struct hookset *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (hook_ends_requests(s->hooks[i].def))
			detach(s, i);
	for (size_t i = 0; i < s->n; i++)
		detach(s, i);
}
