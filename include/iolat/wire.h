/* SPDX-License-Identifier: GPL-2.0 */
/* The headers of this folder for user space: brings the types that BPF code has from vmlinux.h. */
#ifndef IOLAT_WIRE_H
#define IOLAT_WIRE_H

#include <linux/types.h>

#include "iolat/event.h"
#include "iolat/aggregate.h"
#include "iolat/knobs.h"

#endif
