// SPDX-License-Identifier: GPL-2.0
/*
 * What a run knows of its selection: whether anything fits it, and whether it has ended.
 */
#include "stats/run_state.h"

size_t run_selected_alive(const struct run *r)
{
	/* Asking brings memberships up to date, which changes nothing that shows. */
	return proc_selected_alive(&r->account.model->procs, r->facts.selected);
}

static bool any_cgroup(const struct run *r)
{
	const struct known_cgroup *c;

	for (size_t i = 0; (c = map_next(&r->model.cgroups.ids.map, &i, NULL));)
		if (select_wants_cgroup(&r->selection, c->path))
			return true;
	return false;
}

static bool any_device(const struct run *r)
{
	for (size_t i = 0; i < r->selection.devices.n; i++)
		if (model_has_device(&r->model, r->selection.devices.at[i]))
			return true;
	return false;
}

static bool is_place(void *ctx, const struct known_cgroup *c)
{
	return true;
}

const char *run_unmet(const struct run *r)
{
	const struct selection *s = &r->selection;
	unsigned int hits = r->model.procs.hits;

	if (s->n_pids && !(hits & SELECT_PID))
		return "pid";
	if (s->n_names && !(hits & SELECT_NAME))
		return "name";
	if (s->n_uids && !(hits & SELECT_USER))
		return "user";
	if (s->cgroups.n && !any_cgroup(r))
		return "cgroup";
	if (s->devices.n && !any_device(r))
		return "device";
	if (!(s->containers.n || s->pods.n || s->jobs.n) ||
	    cgroups_any_selected(&r->model.cgroups, is_place, NULL))
		return NULL;
	return s->containers.n ? "container" : s->pods.n ? "pod" : "job";
}

struct search {
	bool (*exists)(void *ctx, const char *file);
	void *ctx;
};

static bool is_left(void *ctx, const struct known_cgroup *c)
{
	const struct known_place *container = c->in[PLACE_CONTAINER];
	const char *source = container ? container->container.source : NULL;
	const struct search *s = ctx;

	return !c->gone || (s->exists && source && s->exists(s->ctx, source));
}

bool run_places_ended(const struct run *r, bool (*exists)(void *ctx, const char *file), void *ctx)
{
	struct search s = {exists, ctx};

	return select_has_places(r->model.cgroups.selection) &&
	       !cgroups_any_selected(&r->model.cgroups, is_left, &s);
}

struct visit {
	void (*each)(void *ctx, const struct container *c, const struct pod *p,
		     const struct job *j);
	void *ctx;
};

static void visit_places(void *ctx, const struct known_cgroup *c)
{
	const struct known_place *container = c->in[PLACE_CONTAINER], *pod = c->in[PLACE_POD],
				 *job = c->in[PLACE_JOB];
	const struct visit *v = ctx;

	v->each(v->ctx, container ? &container->container : NULL, pod ? &pod->pod : NULL,
		job ? &job->job : NULL);
}

void run_each_place(const struct run *r,
		    void (*each)(void *ctx, const struct container *c, const struct pod *p,
				 const struct job *j),
		    void *ctx)
{
	struct visit v = {each, ctx};

	cgroups_each_living(&r->model.cgroups, visit_places, &v);
}
