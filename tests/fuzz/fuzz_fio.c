// SPDX-License-Identifier: GPL-2.0
/* Any bytes as what fio writes: what is taken are numbers, what is not has a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fio_result result = {.iops = 0};
	char why[FIO_REASON] = "", *text = malloc(size); /* no NUL behind it */
	int err;

	if (!text)
		return 0;
	memcpy(text, data, size);
	err = fio_parse(text, size, &result, why);
	if (!memchr(why, 0, sizeof(why)) || !err == !!why[0] || result.p50_ns > INT64_MAX || result.p99_ns > INT64_MAX)
		abort();
	free(text);
	return 0;
}
