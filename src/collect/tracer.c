// SPDX-License-Identifier: GPL-2.0
/*
 * Opens the right form of the BPF object for this kernel, sets its knobs, attaches its
 * programs one by one and reads its rings. Kernel differences are known to features.c
 * and bpf/compat.bpf.h; what fails is explained here.
 */
#include "collect/tracer.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "collect/aggregates.h"
#include "collect/calls.h"
#include "collect/embedded.h"
#include "collect/features.h"
#include "collect/privilege.h"
#include "collect/intake.h"
#include "collect/procfs.h"
#include "collect/reader.h"
#include "collect/tasks.h"

#define DEFAULT_BUFFER (8u << 20)
#define FACTS_BUFFER   (1u << 20)
#define SMALLEST_RING  (64u << 10) /* a page of any architecture */
#define SELECTED_TASKS 65536u
#define FLIGHT_SLOTS   16384u
#define DRAIN_BATCH    200000u /* events a drain at most */
#define CPUS_A_RING    8       /* more get in each other's way */
#define RINGS_MAX      16u
#define STACK_SIZE     16384 /* of a kernel stack: THREAD_SIZE of x86-64 and arm64, or a larger page */

struct tracer {
	struct features features;
	struct bpf_object *obj;
	const char *variant;
	struct tracer_hook hooks[HOOKS_MAX];
	struct bpf_link *links[HOOKS_MAX];
	size_t n_hooks;
	bool waits, waits_of_all;	/* whoever it is */
	struct readers readers;
	struct intake intake;
	struct aggregates aggregates;
	uint32_t buffer_size;		/* of a ring of requests */
	uint32_t n_rings;
	int rings[RINGS_MAX];		/* descriptors, where there are several */
	void *bss;
	size_t bss_size;
	const struct iolat_losses *losses;	/* in it */
	struct iolat_marks *marks;		/* in it */
	struct iolat_losses before;		/* what they were when all hooks were attached */
};

/* libbpf's own words are for developers; what a user needs is said by the callers. */
static int __attribute__((format(printf, 2, 0)))
quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return getenv("IOLAT_DEBUG") ? vfprintf(stderr, fmt, args) : 0;
}

/* --- loading -------------------------------------------------------------------- */

/* The map of a data section (".rodata", ".bss") and where in it a variable stands; NULL if there is none. */
static struct bpf_map *find_variable(struct bpf_object *obj, const char *section, const char *name,
				     size_t *offset)
{
	const struct btf *btf = bpf_object__btf(obj);
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *sec = id < 0 ? NULL : btf__type_by_id(btf, id);
	struct bpf_map *map;

	for (int i = 0; sec && i < btf_vlen(sec); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(sec)[i];
		const struct btf_type *t = btf__type_by_id(btf, v->type);

		*offset = v->offset;
		if (strcmp(btf__name_by_offset(btf, t->name_off), name))
			continue;
		bpf_object__for_each_map(map, obj) {
			const char *suffix = strrchr(bpf_map__name(map), '.');

			if (suffix && !strcmp(suffix, section))
				return map;
		}
	}
	return NULL;
}

/* Writes a read-only variable, before loading. 0 or -errno. */
static int set_constant(struct bpf_object *obj, const char *name, const void *value, size_t len)
{
	size_t offset, size;
	struct bpf_map *map = find_variable(obj, ".rodata", name, &offset);
	const void *data = map ? bpf_map__initial_value(map, &size) : NULL;
	AUTO_FREE char *copy = data ? malloc(size) : NULL;

	if (!copy || offset + len > size)
		return -EINVAL;
	memcpy(copy, data, size);
	memcpy(copy + offset, value, len);
	return bpf_map__set_initial_value(map, copy, size);
}

/* Maps the section that the programs write, after loading; `losses` and `marks` stand in it. 0 or -errno. */
static int map_losses(struct tracer *t)
{
	size_t offset, marks, size;
	struct bpf_map *map = find_variable(t->obj, ".bss", "losses", &offset);

	if (!map || !bpf_map__initial_value(map, &size) ||
	    !find_variable(t->obj, ".bss", "marks", &marks))
		return -EINVAL;
	t->bss = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (t->bss == MAP_FAILED) {
		t->bss = NULL;
		return -errno;
	}
	t->bss_size = size;
	t->losses = (const struct iolat_losses *)((const char *)t->bss + offset);
	t->marks = (struct iolat_marks *)((char *)t->bss + marks);
	return 0;
}

static void collect_hooks(struct tracer *t)
{
	const struct hook_def *def;

	for (size_t i = 0; (def = hook_at(i)); i++)
		if (hook_wanted(def, &t->features) && (t->waits || !hook_of_waits(def)) &&
		    t->n_hooks < HOOKS_MAX)
			t->hooks[t->n_hooks++].def = def;
}

static struct tracer_hook *find_hook(struct tracer *t, const char *program)
{
	for (size_t i = 0; i < t->n_hooks; i++)
		if (!strcmp(t->hooks[i].def->program, program))
			return &t->hooks[i];
	return NULL;
}

static bool is_tracepoint(const struct hook_def *def)
{
	return !strchr(def->tracepoint, '/');
}

/* Leaves out the programs that this kernel has no place for, and the optional ones on demand. */
static void choose_programs(struct tracer *t, bool optional)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, t->obj) {
		struct tracer_hook *h = find_hook(t, bpf_program__name(prog));
		bool load = h ? h->def->required || optional
			      : optional && !t->features.foreign &&
					reader_wanted(bpf_program__name(prog), t->waits);

		if (h && is_tracepoint(h->def) &&
		    !features_tracepoint(&t->features, h->def->tracepoint)) {
			h->err = -ENOENT;
			load = false;
		}
		bpf_program__set_autoload(prog, load);
	}
}

static uint32_t power_of_two(uint64_t size)
{
	uint32_t p = 1;

	while (p < size && p < 1u << 30)
		p <<= 1;
	return p;
}

static int size_map(struct tracer *t, const char *name, uint32_t entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t->obj, name);

	return map ? bpf_map__set_max_entries(map, entries) : -ENOENT;
}

/* A test may ask for other sizes than a user ever does: a power of two, or `otherwise`. */
static uint32_t size_for_tests(const char *name, uint32_t otherwise)
{
	const char *value = getenv(name);
	uint64_t n;

	return value && !parse_u64(value, &n) && n ? power_of_two(n) : otherwise;
}

static uint32_t rings_wanted(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = size_for_tests("IOLAT_RINGS", power_of_two((cpus + CPUS_A_RING - 1) / CPUS_A_RING));

	return n < RINGS_MAX ? n : RINGS_MAX;
}

static void size_rings(struct tracer *t, uint64_t buffer_size)
{
	uint64_t size = power_of_two(buffer_size ?: DEFAULT_BUFFER);

	t->n_rings = rings_wanted();
	t->buffer_size = size / t->n_rings > SMALLEST_RING ? size / t->n_rings : SMALLEST_RING;
}

/* The rings' own sizes; of several, those of the map of rings are made later. */
static int configure_rings(struct tracer *t)
{
	uint32_t single = t->n_rings > 1 ? SMALLEST_RING : t->buffer_size;
	int err = size_map(t, "iolat_facts", FACTS_BUFFER);

	err = err ?: size_map(t, "iolat_rings", t->n_rings);
	return err ?: size_map(t, "iolat_requests", single);
}

static int configure_tables(struct tracer *t, const struct iolat_knobs *k)
{
	struct bpf_map *aggregates = bpf_object__find_map_by_name(t->obj, "iolat_aggregates");
	int err = size_map(t, "iolat_flights", k->slot_mask + 1);

	err = err ?: size_map(t, "iolat_bios", k->slot_mask + 1);
	err = err ?: size_map(t, "iolat_tasks", k->by_task ? SELECTED_TASKS : 1);
	if (!k->waits)
		err = err ?: size_map(t, "iolat_sleeps", 1) ?: size_map(t, "iolat_watched", 1);
	if (!err && aggregates)
		err = bpf_map__set_inner_map_fd(aggregates, t->aggregates.table);
	return err;
}

static int configure(struct tracer *t, const struct iolat_knobs *knobs)
{
	struct iolat_knobs k = *knobs;
	struct iolat_calls calls;
	int err;

	features_knobs(&t->features, &k);
	k.slot_mask = size_for_tests("IOLAT_SLOTS", FLIGHT_SLOTS) - 1;
	k.n_rings = t->n_rings;
	k.aggregate_only |= getenv("IOLAT_AGGREGATE") != NULL; /* for tests */
	k.thread_size = sysconf(_SC_PAGESIZE) > STACK_SIZE ? sysconf(_SC_PAGESIZE) : STACK_SIZE;
	k.has_swap = k.waits && procfs_has_swap();
	calls_fill(&calls);
	err = set_constant(t->obj, "knobs", &k, sizeof(k));
	err = err ?: set_constant(t->obj, "calls", &calls, sizeof(calls));
	err = err ?: configure_tables(t, &k);
	return err ?: configure_rings(t);
}

static int load_variant(struct tracer *t, const struct embedded *e, const struct iolat_knobs *knobs,
			bool optional)
{
	/* Naming the kernel's BTF keeps libbpf from looking through the modules' for types that this
	 * kernel lacks, which takes CAP_SYS_ADMIN. */
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "iolat_",
		    .btf_custom_path = t->features.path);
	int err;

	t->obj = bpf_object__open_mem(e->data, e->end - e->data, &opts);
	if (!t->obj)
		return -errno;
	choose_programs(t, optional);
	err = configure(t, knobs) ?: bpf_object__load(t->obj);
	if (err) {
		bpf_object__close(t->obj);
		t->obj = NULL;
		return err;
	}
	t->variant = e->name;
	return 0;
}

/* Whether a form may be tried. BTF tracing needs the kernel's own BTF. */
static bool variant_fits(const struct tracer *t, const char *name)
{
	const char *only = getenv("IOLAT_VARIANT"); /* for tests */

	return t->features.foreign ? !strcmp(name, "raw") : !only || !strcmp(only, name);
}

/* Newest form first; without the optional programs only when nothing else loads. A refusal for lack
 * of privilege is the same for all of them. */
static int load(struct tracer *t, const struct iolat_knobs *knobs)
{
	const struct embedded *e;
	int err = -ENOENT;

	for (int optional = 1; optional >= 0; optional--) {
		for (size_t i = 0; (e = embedded_at(i)); i++) {
			if (!variant_fits(t, e->name))
				continue;
			err = load_variant(t, e, knobs, optional);
			if (!err || err == -EPERM)
				return err;
		}
	}
	return err;
}

static int explain_load(int err)
{
	char why[256];

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

static int explain_btf(const struct features *f, int err)
{
	if (f->foreign) {
		log_error("--btf %s: %s", f->path,
			  access(f->path, R_OK) ? strerror(errno) : "holds no BTF");
		return EXIT_FAILED;
	}
	if (err == -EACCES || err == -EPERM) {
		log_error("cannot read the kernel's BTF at %s: %s; make it readable (0444 is the "
			  "kernel's own mode)", f->path, strerror(-err));
		return EXIT_PERM;
	}
	log_error("no usable BTF at %s: %s; iolat needs a kernel built with CONFIG_DEBUG_INFO_BTF, or "
		  "--btf FILE with this kernel's BTF", f->path, strerror(-err));
	return EXIT_KERNEL;
}

/* Both are needed before any program can be fitted to the kernel. */
static int check_kernel(struct tracer *t, const char *btf)
{
	int err = features_read(&t->features, btf);

	if (err)
		return explain_btf(&t->features, err);
	collect_hooks(t);
	for (size_t i = 0; i < t->n_hooks; i++) {
		const struct hook_def *def = t->hooks[i].def;

		if (def->required && !features_tracepoint(&t->features, def->tracepoint)) {
			log_error("this kernel has no tracepoint %s, without which iolat cannot see %s",
				  def->tracepoint, def->lost);
			return EXIT_KERNEL;
		}
	}
	return EXIT_OK;
}

/* --- rings ---------------------------------------------------------------------- */

int tracer_drain(struct tracer *t, const struct sink *sink)
{
	return intake_drain(&t->intake, sink, DRAIN_BATCH);
}

int tracer_drain_all(struct tracer *t, const struct sink *sink)
{
	int err = intake_drain(&t->intake, sink, SIZE_MAX);

	return err < 0 ? err : aggregates_take(&t->aggregates, t->losses->aggregated, sink);
}

double tracer_fullest_ring(struct tracer *t)
{
	return intake_fullest(&t->intake);
}

static int map_fd(const struct tracer *t, const char *name)
{
	return bpf_object__find_map_fd_by_name(t->obj, name);
}

static int add_ring(struct tracer *t, uint32_t i)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "iolat_requests", 0, 0, t->buffer_size, NULL);

	if (fd < 0)
		return -errno;
	t->rings[i] = fd;
	if (bpf_map_update_elem(map_fd(t, "iolat_rings"), &i, &fd, BPF_ANY))
		return -errno;
	return intake_add(&t->intake, fd, t->buffer_size);
}

static int add_rings(struct tracer *t)
{
	int err = 0;

	if (t->n_rings == 1)
		return intake_add(&t->intake, map_fd(t, "iolat_requests"), t->buffer_size);
	for (uint32_t i = 0; !err && i < t->n_rings; i++)
		err = add_ring(t, i);
	return err;
}

static int open_rings(struct tracer *t)
{
	int err = intake_open(&t->intake, map_fd(t, "iolat_facts"), FACTS_BUFFER, t->n_rings);

	err = err ?: add_rings(t);
	err = err ?: map_losses(t);
	err = err ?: aggregates_start(&t->aggregates, map_fd(t, "iolat_aggregates"));
	if (!err)
		return EXIT_OK;
	log_error("cannot make the ring buffers: %s", strerror(-err));
	return EXIT_FAILED;
}

int tracer_open(struct tracer **out, const struct iolat_knobs *knobs, uint64_t buffer_size,
		const char *btf)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int err, status;

	*out = NULL;
	if (!t) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	libbpf_set_print(quiet);
	t->waits = knobs->waits;
	t->waits_of_all = t->waits && !knobs->by_task && !knobs->n_cgroups;
	status = check_kernel(t, btf);
	if (status == EXIT_OK) {
		size_rings(t, buffer_size);
		err = aggregates_open(&t->aggregates) ?: load(t, knobs);
		status = err ? explain_load(err) : open_rings(t);
	}
	features_free(&t->features); /* megabytes */
	if (status != EXIT_OK) {
		tracer_close(t);
		return status;
	}
	*out = t;
	return EXIT_OK;
}

void tracer_detach(struct tracer *t)
{
	for (size_t i = 0; i < t->n_hooks; i++) {
		bpf_link__destroy(t->links[i]);
		t->links[i] = NULL;
	}
	readers_close(&t->readers);
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	tracer_detach(t);
	intake_close(&t->intake);
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		if (t->rings[i])
			close(t->rings[i]);
	aggregates_close(&t->aggregates);
	if (t->bss)
		munmap(t->bss, t->bss_size);
	bpf_object__close(t->obj);
	free(t);
}

/* --- hooks ---------------------------------------------------------------------- */

static void attach_hook(struct tracer *t, size_t i)
{
	struct tracer_hook *h = &t->hooks[i];
	struct bpf_program *prog = bpf_object__find_program_by_name(t->obj, h->def->program);

	if (!prog || bpf_program__fd(prog) < 0) {
		h->err = h->err ?: -ENOTSUP;
		return;
	}
	t->links[i] = bpf_program__attach(prog);
	h->err = t->links[i] ? 0 : -errno;
	h->attached = t->links[i];
}

/* In the table's order backwards: what ends a request is there before what starts one, and so is
 * every fork before the tasks are listed. */
int tracer_attach(struct tracer *t)
{
	for (size_t i = t->n_hooks; i-- > 0;) {
		attach_hook(t, i);
		if (t->hooks[i].attached || !t->hooks[i].def->required)
			continue;
		log_error("cannot attach to tracepoint %s: %s; without it iolat cannot see %s",
			  t->hooks[i].def->tracepoint, strerror(-t->hooks[i].err),
			  t->hooks[i].def->lost);
		return t->hooks[i].err == -EPERM || t->hooks[i].err == -EACCES ? EXIT_PERM
									       : EXIT_KERNEL;
	}
	/* While some hooks are there and others not yet, nothing can match. */
	t->before = *t->losses;
	readers_open(&t->readers, t->obj);
	return EXIT_OK;
}

const struct tracer_hook *tracer_hook_at(const struct tracer *t, size_t i)
{
	return i < t->n_hooks ? &t->hooks[i] : NULL;
}

bool tracer_hook_attached(const struct tracer *t, const char *tracepoint)
{
	for (size_t i = 0; i < t->n_hooks; i++)
		if (!strcmp(t->hooks[i].def->tracepoint, tracepoint))
			return t->hooks[i].attached;
	return false;
}

/* --- tasks ---------------------------------------------------------------------- */

int tracer_select(struct tracer *t, uint32_t tgid, uint64_t start_ns)
{
	/* One that /proc rounded is no help: then any process of that number. */
	struct iolat_task_entry e = {.start_ns = t->features.foreign ? 0 : start_ns};
	int fd = map_fd(t, "iolat_tasks");

	if (!bpf_map_update_elem(fd, &tgid, &e, BPF_NOEXIST)) {
		__atomic_fetch_add(&t->marks->selected[tgid % IOLAT_MARKS], 1, __ATOMIC_SEQ_CST);
		return 0;
	}
	return bpf_map_update_elem(fd, &tgid, &e, BPF_EXIST) ? -errno : 0;
}

struct marking {
	const struct tracer *tracer;
	const struct sink *sink;
};

/* The iterator's program knows whether a task is selected; /proc does not. */
static int mark_selected(void *ctx, const void *data, size_t size)
{
	const struct marking *m = ctx;
	struct iolat_task e = *(const struct iolat_task *)data;
	struct iolat_task_entry entry;

	if (!bpf_map_lookup_elem(map_fd(m->tracer, "iolat_tasks"), &e.tgid, &entry))
		e.flags |= IOLAT_TASK_SELECTED | (m->tracer->waits ? IOLAT_TASK_TRACED : 0);
	if (m->tracer->waits_of_all && !(e.flags & IOLAT_TASK_KTHREAD))
		e.flags |= IOLAT_TASK_TRACED;
	return m->sink->event(m->sink->ctx, &e, sizeof(e));
}

static int tasks_without_iterator(const struct tracer *t, const struct sink *sink)
{
	struct marking m = {t, sink};
	const struct sink marker = {mark_selected, &m};

	return tasks_read(monotonic_ns(), &marker);
}

int tracer_tasks(const struct tracer *t, const struct sink *sink)
{
	for (size_t i = 0; i < t->n_hooks; i++)
		if (!is_tracepoint(t->hooks[i].def) && t->links[i])
			return reader_events(t->links[i], sizeof(struct iolat_task), sink);
	return tasks_without_iterator(t, sink);
}

/* --- the state at a moment ---------------------------------------------------------- */

int tracer_note_sleepers(const struct tracer *t)
{
	return t->waits ? readers_note_sleepers(&t->readers) : 0;
}

/* What ended before the look is told before those who still sleep, so that each wait is counted once. */
static int look_at_sleepers(struct tracer *t, uint64_t now, const struct sink *sink)
{
	AUTO_FREE struct iolat_wait *waits = NULL;
	size_t n = 0;
	int err = t->waits ? reader_sleeps(map_fd(t, "iolat_sleeps"), now, &waits, &n) : 0;

	err = err ?: intake_drain(&t->intake, sink, SIZE_MAX);
	for (size_t i = 0; !err && i < n; i++)
		err = sink->event(sink->ctx, &waits[i], sizeof(waits[i]));
	return err < 0 ? err : 0;
}

int tracer_look(struct tracer *t, const struct sink *sink)
{
	struct iolat_look look = {.head = {IOLAT_EV_LOOK, sizeof(look)}, .ts_ns = monotonic_ns()};
	int err = intake_facts(&t->intake, sink), walked;

	if (err)
		return err;
	walked = readers_inflight(&t->readers);
	if (walked && walked != -ENOTSUP)
		return walked;
	look.inflight = !walked;
	err = sink->event(sink->ctx, &look, sizeof(look));
	return err ?: look_at_sleepers(t, look.ts_ns, sink);
}

/* --- counters ------------------------------------------------------------------- */

/* Program runs that the kernel skipped; it tells since 5.12. */
static bool program_misses(const struct bpf_program *prog, uint64_t *misses)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_program__fd(prog) < 0)
		return true;
	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return false;
	*misses += info.recursion_misses;
	return len >= offsetof(struct bpf_prog_info, recursion_misses) + sizeof(__u64);
}

void tracer_counters(const struct tracer *t, struct iolat_counters *c)
{
	struct bpf_program *prog;

	*c = (struct iolat_counters){
		.head = {.kind = IOLAT_EV_COUNTERS, .size = sizeof(*c)},
		.lost = t->losses->lost - t->before.lost,
		.unmatched = t->losses->unmatched - t->before.unmatched,
		.map_full = t->losses->map_full - t->before.map_full,
		.backward = t->losses->backward - t->before.backward,
		.waits_lost = t->losses->waits_lost - t->before.waits_lost,
		.names_lost = t->losses->names_lost - t->before.names_lost,
		.missed_known = 1,
	};
	bpf_object__for_each_program(prog, t->obj) {
		uint64_t misses = 0;

		c->missed_known &= program_misses(prog, &misses);
		c->missed += misses;
	}
}

uint64_t tracer_unselected(const struct tracer *t, uint32_t disk)
{
	struct iolat_unselected u = {};

	bpf_map_lookup_elem(map_fd(t, "iolat_unselect"), &disk, &u);
	return u.ios;
}

void tracer_forget_disk(const struct tracer *t, uint32_t disk)
{
	bpf_map_delete_elem(map_fd(t, "iolat_unselect"), &disk);
}

/* The kernel prints what a map costs ("memlock:") in the map descriptor's fdinfo. */
static uint64_t map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes;
}

uint64_t tracer_map_bytes(const struct tracer *t)
{
	struct bpf_map *map;
	uint64_t sum = 0;

	bpf_object__for_each_map(map, t->obj)
		sum += map_bytes(bpf_map__fd(map));
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		sum += t->rings[i] ? map_bytes(t->rings[i]) : 0;
	return sum + map_bytes(t->aggregates.table);
}

unsigned int tracer_rings(const struct tracer *t)
{
	return t->n_rings;
}

const char *tracer_variant(const struct tracer *t)
{
	return t->variant;
}
