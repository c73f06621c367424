// SPDX-License-Identifier: GPL-2.0
/*
 * Tries the forms of the BPF object, newest first, each with its knobs and sizes set. Kernel differences
 * are known to features.c and bpf/compat.bpf.h; what fails is explained here.
 */
#include "collect/load.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "collect/calls.h"
#include "collect/embedded.h"
#include "collect/features.h"
#include "collect/hookset.h"
#include "collect/object.h"
#include "collect/privilege.h"
#include "collect/procfs.h"
#include "collect/reader.h"
#include "collect/refusal.h"
#include "collect/rings.h"
#include "collect/types.h"

#define SELECTED_TASKS 65536u
#define FLIGHT_SLOTS   16384u
#define PROGRAMS       40u
#define STACK_SIZE     16384 /* of a kernel stack: THREAD_SIZE of x86-64 and arm64, or a larger page */

/* Optional programs that this kernel does not take, and why. */
struct left_out {
	char programs[PROGRAMS][64];
	int errors[PROGRAMS];
	size_t n;
	int all;	/* not 0: nobody told which; why */
};

static int why_left_out(const struct left_out *l, const char *program)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->programs[i], program))
			return l->errors[i];
	return l->all;
}

/* Why a hook's program is not loaded: this kernel has no place for it, or does not take it. 0: it is. */
static int why_not_hook(const struct load_plan *p, const struct left_out *l, const struct hook_def *def)
{
	if (hook_is_tracepoint(def) && !features_tracepoint(p->features, def->tracepoint))
		return -ENOENT;
	return def->required ? 0 : why_left_out(l, def->program);
}

static void choose_programs(const struct load_plan *p, const struct left_out *l, struct bpf_object *obj)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj) {
		const char *name = bpf_program__name(prog);
		struct tracer_hook *h = hookset_of_program(p->hooks, name);
		bool load = !p->features->foreign && reader_wanted(name, p->knobs->waits) &&
			    !why_left_out(l, name);

		if (h) {
			h->err = why_not_hook(p, l, h->def);
			load = !h->err;
		}
		bpf_program__set_autoload(prog, load);
	}
}

static int configure_tables(struct bpf_object *obj, const struct iolat_knobs *k, int table)
{
	struct bpf_map *aggregates = bpf_object__find_map_by_name(obj, "iolat_aggregates");
	int err = object_size_map(obj, "iolat_flights", k->slot_mask + 1);

	err = err ?: object_size_map(obj, "iolat_bios", k->slot_mask + 1);
	err = err ?: object_size_map(obj, "iolat_tasks", k->by_task ? SELECTED_TASKS : 1);
	if (!k->waits)
		err = err ?: object_size_map(obj, "iolat_sleeps", 1) ?: object_size_map(obj, "iolat_watched", 1) ?:
		      object_size_map(obj, "iolat_noted", 1);
	if (!k->waits && !k->files)
		err = err ?: object_size_map(obj, "iolat_told", 1);
	if (!k->files)
		err = err ?: object_size_map(obj, "iolat_files", 1);
	if (!err && aggregates)
		err = bpf_map__set_inner_map_fd(aggregates, table);
	return err;
}

static int configure(const struct load_plan *p, struct bpf_object *obj)
{
	struct iolat_knobs k = *p->knobs;
	struct iolat_calls calls;
	int err;

	features_knobs(p->features, &k);
	k.slot_mask = size_for_tests("IOLAT_SLOTS", FLIGHT_SLOTS) - 1;
	k.n_rings = p->rings->n;
	k.aggregate_only |= getenv("IOLAT_AGGREGATE") != NULL; /* for tests */
	k.thread_size = sysconf(_SC_PAGESIZE) > STACK_SIZE ? sysconf(_SC_PAGESIZE) : STACK_SIZE;
	k.has_swap = k.waits && procfs_has_swap();
	calls_fill(&calls);
	err = object_set_constant(obj, "knobs", &k, sizeof(k));
	err = err ?: object_set_constant(obj, "calls", &calls, sizeof(calls));
	err = err ?: configure_tables(obj, &k, p->table);
	return err ?: rings_configure(p->rings, obj);
}

static int load_variant(const struct load_plan *p, const struct embedded *e, const struct left_out *l,
			struct bpf_object **out)
{
	AUTO_CLOSE int types = memfd_create("types", MFD_CLOEXEC);
	char path[32];
	/* A file for BTF also keeps libbpf from looking through the modules' for types that this
	 * kernel lacks, which takes CAP_SYS_ADMIN. */
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "iolat_", .btf_custom_path = path);
	struct bpf_object *obj;
	int err;

	if (types < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	obj = bpf_object__open_mem(e->data, e->end - e->data, &opts);
	if (!obj)
		return -errno;
	choose_programs(p, l, obj);
	refusal_forget();
	err = types_write(p->features->btf, bpf_object__btf(obj), types);
	err = err ?: configure(p, obj) ?: bpf_object__load(obj);
	if (err) {
		bpf_object__close(obj);
		return err;
	}
	*out = obj;
	return 0;
}

/* Whether a form may be tried. BTF tracing needs the kernel's own BTF. */
static bool variant_fits(const struct features *f, const char *name)
{
	const char *only = getenv("IOLAT_VARIANT"); /* for tests */

	return f->foreign ? !strcmp(name, "raw") : !only || !strcmp(only, name);
}

/* Leaves out the program that was just refused. False: nothing can be gained by another try. */
static bool leave_out(const struct load_plan *p, struct left_out *l, int err)
{
	const char *refused = refusal_program();
	const struct tracer_hook *h = refused ? hookset_of_program(p->hooks, refused) : NULL;

	if (err == -EPERM || l->all || (h && h->def->required))
		return false;
	if (!refused || l->n == PROGRAMS) {
		l->all = err;
		return true;
	}
	snprintf(l->programs[l->n], sizeof(l->programs[0]), "%s", refused);
	l->errors[l->n++] = err;
	return true;
}

/* A form, as it is or with as little left out as the kernel leaves. */
static int load_form(const struct load_plan *p, const struct embedded *e, bool whole, struct bpf_object **obj)
{
	struct left_out left = {0};
	int err;

	do
		err = load_variant(p, e, &left, obj);
	while (err && !whole && leave_out(p, &left, err));
	return err;
}

/* Newest form first; less than all of it only when nothing loads whole. A refusal for lack of privilege is
 * the same for all of them. */
static int load(const struct load_plan *p, struct bpf_object **obj, const char **variant)
{
	const struct embedded *e;
	int err = -ENOENT;

	for (int whole = 1; whole >= 0; whole--) {
		for (size_t i = 0; (e = embedded_at(i)); i++) {
			if (!variant_fits(p->features, e->name))
				continue;
			err = load_form(p, e, whole, obj);
			*variant = e->name;
			if (!err || err == -EPERM)
				return err;
		}
	}
	return err;
}

int load_explain(int err)
{
	char why[256];

	if (err == -EMFILE || err == -ENFILE) {
		log_error("cannot load the BPF programs: %s; raise the limit (ulimit -n 256)", strerror(-err));
		return EXIT_FAILED;
	}
	if (err == -EPERM) {
		log_error("not permitted to load BPF programs: %s",
			  privilege_missing(why, sizeof(why)));
		return EXIT_PERM;
	}
	if (err == -ENOMEM) {
		log_error("no memory for the BPF maps; try a smaller --buffer-size");
		return EXIT_FAILED;
	}
	if (!libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL)) {
		log_error("this kernel has no BPF ring buffer: iolat needs Linux 5.8 or later, or a "
			  "distribution's kernel that has it");
		return EXIT_KERNEL;
	}
	log_error("this kernel does not take iolat's BPF programs: %s; see `iolat doctor`",
		  strerror(-err));
	return EXIT_KERNEL;
}

int load_object(const struct load_plan *p, struct bpf_object **obj, const char **variant)
{
	int err = load(p, obj, variant);

	return err ? load_explain(err) : EXIT_OK;
}
