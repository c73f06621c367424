/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How busy the GPUs are, and whose they are: NVIDIA's by its management library where that is installed (it is looked
 * for at run time and never needed), AMD's by sysfs. Becomes GPU and GPU_PROCESS events.
 */
#ifndef IOLAT_COLLECT_GPU_H
#define IOLAT_COLLECT_GPU_H

#include <stdint.h>

#include "collect/sink.h"

struct gpus;

/* NULL: none here, or no memory. `drm`: the folder of AMD's, NULL: /sys/class/drm. */
struct gpus *gpus_open(const char *drm);
void gpus_close(struct gpus *g);

/* One sample of each. 0, or what the sink returned. */
int gpus_sample(struct gpus *g, uint64_t now_ns, const struct sink *to);

#endif
