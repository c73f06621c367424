// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as the runtimes' files, for each reader of them: nothing is read beyond them,
 * what comes out ends, and a file that does not hold the id gives no name.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collect/name_parse.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ALLOC	"01234567-89ab-cdef-0123-456789abcdef"
#define SLUID	"s9KERH7XQSNK70"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static int holds(const uint8_t *data, size_t size, const char *word)
{
	return memmem(data, size, word, strlen(word)) != NULL;
}

static void check(const struct names *n)
{
	require(memchr(n->runtime, 0, sizeof(n->runtime)) && memchr(n->id, 0, sizeof(n->id)) &&
		memchr(n->name, 0, sizeof(n->name)) && memchr(n->image, 0, sizeof(n->image)) &&
		memchr(n->pod_namespace, 0, sizeof(n->pod_namespace)) &&
		memchr(n->pod_name, 0, sizeof(n->pod_name)) && memchr(n->pod_uid, 0, sizeof(n->pod_uid)) &&
		memchr(n->job, 0, sizeof(n->job)) && memchr(n->source, 0, sizeof(n->source)));
}

/* JSON may write a character as \uNNNN, so only a text without such has to hold the id as it is. */
static void read_json(const uint8_t *data, size_t size, const char *text)
{
	static bool (*const readers[])(const char *, size_t, const char *, struct names *) = {
		name_parse_docker, name_parse_containerd, name_parse_crio, name_parse_storage};
	int may = holds(data, size, ID) || holds(data, size, "\\u");

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		struct names n = {.name = ""};

		require(!readers[i](text, size, ID, &n) || may);
		check(&n);
	}
}

static void read_others(const uint8_t *data, size_t size, const char *text)
{
	struct cgpath slurm = {.job = SLUID}, nomad = {.job = ALLOC, .task = "t"};
	struct names n = {.name = ""};
	char value[32];

	name_parse_docker_nomad(text, size, ALLOC, "t", &n);
	check(&n);
	require(!name_parse_slurm(text, size, &slurm, &n) || holds(data, size, SLUID));
	require(!name_parse_nomad(text, size, &nomad, &n) || holds(data, size, ALLOC));
	name_parse_log(text, ID, &n);
	require(!name_parse_pod(text, ALLOC, &n) || holds(data, size, ALLOC));
	check(&n);
	if (hostfs_setting(text, "graphroot", value, sizeof(value)))
		require(memchr(value, 0, sizeof(value)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	read_json(data, size, text);
	read_others(data, size, text);
	free(text);
	return 0;
}
