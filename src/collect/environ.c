// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of what launchers leave in the environment of a rank, and the shapes of command
 * lines that Python's multiprocessing makes.
 */
#include "collect/environ.h"

#include <string.h>

#include "base/units.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ARGS_LIMIT    64 /* arguments that are looked at */

/* --- environment ------------------------------------------------------------------ */

static const char *const keys[ENV_MAX] = {
	[ENV_RANK] = "RANK",
	[ENV_WORLD_SIZE] = "WORLD_SIZE",
	[ENV_LOCAL_RANK] = "LOCAL_RANK",
	[ENV_NODE_RANK] = "NODE_RANK",
	[ENV_GROUP_RANK] = "GROUP_RANK",
	[ENV_PMI_RANK] = "PMI_RANK",
	[ENV_PMI_SIZE] = "PMI_SIZE",
	[ENV_OMPI_RANK] = "OMPI_COMM_WORLD_RANK",
	[ENV_OMPI_SIZE] = "OMPI_COMM_WORLD_SIZE",
	[ENV_MV2_RANK] = "MV2_COMM_WORLD_RANK",
	[ENV_MV2_SIZE] = "MV2_COMM_WORLD_SIZE",
	[ENV_HOROVOD_RANK] = "HOROVOD_RANK",
	[ENV_HOROVOD_SIZE] = "HOROVOD_SIZE",
	[ENV_PADDLE_GLOBAL_RANK] = "PADDLE_GLOBAL_RANK",
	[ENV_PADDLE_TRAINER_ID] = "PADDLE_TRAINER_ID",
	[ENV_PADDLE_TRAINERS] = "PADDLE_TRAINERS_NUM",
	[ENV_SLURM_PROCID] = "SLURM_PROCID",
	[ENV_SLURM_STEP_TASKS] = "SLURM_STEP_NUM_TASKS",
	[ENV_SLURM_JOB_ID] = "SLURM_JOB_ID",
};

static bool always(const struct environ_scan *s)
{
	return true;
}

/* A step of one task, or a batch script, has SLURM_PROCID 0 whatever is started in it. */
static bool several_tasks(const struct environ_scan *s)
{
	return s->values[ENV_SLURM_STEP_TASKS] > 1;
}

/* Lightning tells no rank. LOCAL_RANK is one where the node is the first (as it is by default). */
static bool first_node(const struct environ_scan *s)
{
	return s->values[ENV_NODE_RANK] <= 0 && s->values[ENV_GROUP_RANK] <= 0;
}

/* The first whose rank is there wins. LOCAL_RANK is often set by hand under MPI and Slurm, so it
 * comes behind them. */
static const struct launcher {
	enum environ_key rank, size;
	bool (*holds)(const struct environ_scan *s);
	unsigned int flags;
} launchers[] = {
	{ENV_RANK, ENV_WORLD_SIZE, always, 0}, /* torchrun, DeepSpeed, accelerate */
	{ENV_PMI_RANK, ENV_PMI_SIZE, always, 0},
	{ENV_OMPI_RANK, ENV_OMPI_SIZE, always, 0},
	{ENV_MV2_RANK, ENV_MV2_SIZE, always, 0},
	{ENV_HOROVOD_RANK, ENV_HOROVOD_SIZE, always, 0},
	{ENV_PADDLE_GLOBAL_RANK, ENV_PADDLE_TRAINERS, always, 0},
	{ENV_PADDLE_TRAINER_ID, ENV_PADDLE_TRAINERS, always, 0},
	{ENV_SLURM_PROCID, ENV_SLURM_STEP_TASKS, several_tasks, 0},
	{ENV_LOCAL_RANK, ENV_WORLD_SIZE, first_node, IOLAT_FACT_LOCAL_RANK}, /* Lightning */
	{ENV_SLURM_PROCID, ENV_SLURM_STEP_TASKS, always, 0},
};

void environ_init(struct environ_scan *s)
{
	for (int i = 0; i < ENV_MAX; i++)
		s->values[i] = -1;
}

void environ_take(struct environ_scan *s, const char *assignment)
{
	const char *value = strchr(assignment, '=');
	uint64_t n;

	if (!value)
		return;
	for (int i = 0; i < ENV_MAX; i++) {
		size_t len = strlen(keys[i]);

		if (value == assignment + len && !strncmp(assignment, keys[i], len) &&
		    !parse_u64(value + 1, &n) && n <= INT32_MAX)
			s->values[i] = (int64_t)n;
	}
}

/* A rank of another node that nobody tells is none; it is not one of the launcher around it either.
 */
static const struct launcher *find_launcher(const struct environ_scan *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
		const struct launcher *l = &launchers[i];

		if (s->values[l->rank] < 0)
			continue;
		if (l->holds(s))
			return l;
		if (l->flags & IOLAT_FACT_LOCAL_RANK)
			break;
	}
	return NULL;
}

void environ_tell(const struct environ_scan *s, struct iolat_process_facts *out)
{
	const struct launcher *l = find_launcher(s);

	out->slurm_job = s->values[ENV_SLURM_JOB_ID] > 0 ? s->values[ENV_SLURM_JOB_ID] : 0;
	out->rank = -1;
	out->world_size = 0;
	if (!l)
		return;
	out->flags |= l->flags;
	out->rank = (int32_t)s->values[l->rank];
	if (s->values[l->size] > out->rank)
		out->world_size = (uint32_t)s->values[l->size];
}

/* --- command line ----------------------------------------------------------------- */

static const struct module {
	const char *name;
	unsigned int flag;
} modules[] = {
	{"spawn", IOLAT_FACT_SPAWNED},
	{"popen_loky_posix", IOLAT_FACT_SPAWNED},
	{"forkserver", IOLAT_FACT_FORKSERVER},
	{"resource_tracker", IOLAT_FACT_TRACKER},
	{"semaphore_tracker", IOLAT_FACT_TRACKER}, /* until Python 3.7 */
};

/* Python's own and those made after it: multiprocess (Hugging Face datasets), loky (joblib),
 * billiard. */
static const char *const packages[] = {"multiprocessing.", "multiprocess.", "loky.", "billiard."};

static bool in_package(const char *path, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		const char *at = strstr(path, packages[i]);

		if (at && at < path + len && (at == path || at[-1] == '.'))
			return true;
	}
	return false;
}

/* The flag of a dotted module name that is `len` bytes long. */
static unsigned int module_flag(const char *path, size_t len)
{
	const char *last = memrchr(path, '.', len);

	if (!last++ || !in_package(path, len))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (strlen(modules[i].name) == (size_t)(path + len - last) &&
		    !strncmp(last, modules[i].name, path + len - last))
			return modules[i].flag;
	return 0;
}

/* "from multiprocessing.spawn import spawn_main; spawn_main(...)" */
static unsigned int code_flag(const char *code)
{
	const char *module = code + strlen("from ");

	if (strncmp(code, "from ", strlen("from ")))
		return 0;
	return module_flag(module, strcspn(module, " "));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool command_is_python(const char *program)
{
	const char *name = base_name(program);

	return !strncmp(name, "python", strlen("python")) || !strncmp(name, "pypy", strlen("pypy"));
}

static bool is_shell(const char *program)
{
	static const char *const shells[] = {"sh", "dash", "bash", "ash", "zsh"};

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(base_name(program), shells[i]))
			return true;
	return false;
}

/* Options of the interpreter may stand before -c, so every argument is looked at. */
bool command_take(struct command_scan *s, const char *arg)
{
	bool is_c = !strcmp(arg, "-c");

	if (s->n == 0)
		s->shell = is_shell(arg);
	else if (s->n == 1 && s->shell && is_c)
		s->flags |= IOLAT_FACT_SHELL_COMMAND;
	if (s->code_next)
		s->flags |= code_flag(arg);
	if (!strcmp(arg, "--multiprocessing-fork")) /* frozen programs have no -c */
		s->flags |= IOLAT_FACT_SPAWNED;
	s->flags |= s->module_next ? module_flag(arg, strlen(arg)) : 0;
	s->code_next = is_c;
	s->module_next = !strcmp(arg, "-m");
	return ++s->n < ARGS_LIMIT;
}
