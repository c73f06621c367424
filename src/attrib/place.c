// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of containers, pods and jobs. CONTAINER events fill them through the model;
 * their strings live in one block each, which a later event replaces.
 */
#include "attrib/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void drop(void *ctx, struct lru_node *node)
{
	place_unref(list_entry(node, struct known_place, node));
}

void places_init(struct places *p)
{
	p->serial = 0;
	for (int kind = 0; kind < PLACE_KINDS; kind++) {
		lru_init(&p->kinds[kind], sizeof(struct place_key),
			 offsetof(struct known_place, key), PLACES_LIMIT);
		p->kinds[kind].drop = drop;
	}
}

void places_free(struct places *p)
{
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		lru_free(&p->kinds[kind]);
}

void place_ref(struct known_place *p)
{
	if (p)
		p->refs++;
}

void place_unref(struct known_place *p)
{
	if (!p || --p->refs)
		return;
	free(p->text);
	free(p);
}

void places_forget(struct places *p, enum place_kind kind, struct known_place *place)
{
	if (place && place->refs == 2 && lru_get(&p->kinds[kind], &place->key) == place)
		lru_drop(&p->kinds[kind], &place->node);
	place_unref(place);
}

/* --- texts ------------------------------------------------------------------------ */

struct texts {
	const char *at[IOLAT_TEXT_MAX]; /* "" for what an older writer did not know */
};

static size_t size_of(const struct iolat_container *e)
{
	return e->head.size - sizeof(*e);
}

static struct texts texts_in(const char *s, size_t size)
{
	struct texts t;

	for (size_t i = 0; i < IOLAT_TEXT_MAX; i++) {
		size_t len = size ? strlen(s) + 1 : 0;

		t.at[i] = size ? s : "";
		if (len)
			s += len;
		size -= len;
	}
	return t;
}

static const char *known(const char *s)
{
	return *s ? s : NULL;
}

static bool same(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/* --- what a place is made of ------------------------------------------------------- */

static void fill_container(struct known_place *p, const struct texts *t, uint32_t flags)
{
	p->container = (struct container){
		.runtime = t->at[IOLAT_TEXT_RUNTIME],
		.id = t->at[IOLAT_TEXT_ID],
		.name = known(t->at[IOLAT_TEXT_NAME]),
		.image = known(t->at[IOLAT_TEXT_IMAGE]),
		.label = t->at[IOLAT_TEXT_LABEL],
		.source = known(t->at[IOLAT_TEXT_SOURCE]),
		.helper = flags & IOLAT_CONTAINER_HELPER,
	};
}

static void fill_pod(struct known_place *p, const struct texts *t, uint32_t flags)
{
	p->pod = (struct pod){
		.space = known(t->at[IOLAT_TEXT_POD_NAMESPACE]),
		.name = known(t->at[IOLAT_TEXT_POD_NAME]),
		.uid = t->at[IOLAT_TEXT_POD_UID],
	};
}

static void fill_job(struct known_place *p, const struct texts *t, uint32_t flags)
{
	p->job = (struct job){
		.id = t->at[IOLAT_TEXT_JOB],
		.step = known(t->at[IOLAT_TEXT_JOB_STEP]),
		.alias = known(t->at[IOLAT_TEXT_JOB_ALIAS]),
	};
}

/* A kind of place: which texts tell one from another, and the one that is learnt late. */
static const struct kind {
	enum iolat_container_text id, type; /* no id: the event has none of the kind */
	enum iolat_container_text late;
	void (*fill)(struct known_place *p, const struct texts *t, uint32_t flags);
} kinds[PLACE_KINDS] = {
	[PLACE_CONTAINER] = {IOLAT_TEXT_ID, IOLAT_TEXT_RUNTIME, IOLAT_TEXT_NAME, fill_container},
	[PLACE_POD] = {IOLAT_TEXT_POD_UID, IOLAT_TEXT_MAX, IOLAT_TEXT_POD_NAME, fill_pod},
	[PLACE_JOB] = {IOLAT_TEXT_JOB, IOLAT_TEXT_JOB_STEP, IOLAT_TEXT_JOB_ALIAS, fill_job},
};

static int fill(struct known_place *p, const struct kind *k, const struct iolat_container *e)
{
	char *copy = malloc(size_of(e));
	struct texts t;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, e->text, size_of(e));
	free(p->text);
	p->text = copy;
	p->size = size_of(e);
	t = texts_in(copy, p->size);
	k->fill(p, &t, e->flags);
	return 0;
}

/* --- places ----------------------------------------------------------------------- */

/* Keys are compared as bytes: zeroed behind the text. What is too long is cut. */
static struct place_key key_of(const char *kind, const char *id)
{
	struct place_key k = {.kind = ""};

	memcpy(k.kind, kind, strnlen(kind, sizeof(k.kind) - 1));
	memcpy(k.id, id, strnlen(id, sizeof(k.id) - 1));
	return k;
}

static struct known_place *get(struct places *p, enum place_kind kind, const char *type,
			       const char *id)
{
	struct place_key key = key_of(type, id);
	struct known_place *found = lru_get(&p->kinds[kind], &key);

	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->key = key;
	found->refs = 1;
	found->serial = ++p->serial;
	if (lru_put(&p->kinds[kind], &found->node)) {
		free(found);
		return NULL;
	}
	return found;
}

/* What is known already is not forgotten for an event that knows less. */
static int update(struct known_place *p, const struct kind *k, const struct iolat_container *e,
		  bool *changed)
{
	struct texts now = texts_in(e->text, size_of(e));
	struct texts old = texts_in(p->text, p->size);
	const char *late = now.at[k->late];

	if (p->text && (!*late || same(old.at[k->late], late)))
		return 0;
	*changed |= p->text != NULL;
	return fill(p, k, e);
}

int places_event(struct places *p, const struct iolat_container *e,
		 struct known_place *out[PLACE_KINDS], bool *changed)
{
	struct texts t = texts_in(e->text, size_of(e));
	int err = 0;

	memset(out, 0, PLACE_KINDS * sizeof(*out));
	for (int i = 0; !err && i < PLACE_KINDS; i++) {
		const struct kind *k = &kinds[i];

		if (!*t.at[k->id])
			continue;
		out[i] = get(p, i, k->type == IOLAT_TEXT_MAX ? "" : t.at[k->type], t.at[k->id]);
		err = out[i] ? update(out[i], k, e, changed) : -ENOMEM;
	}
	return err;
}
