/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes to checked events. The stream is not trusted (a recording may come from
 * anywhere): sizes, enumerators and string ends are checked here and nowhere after.
 */
#ifndef IOLAT_DECODE_DECODE_H
#define IOLAT_DECODE_DECODE_H

#include <stddef.h>

#include "iolat/wire.h"

/* A handler for each kind; every one must be set. An event is valid during the call
 * only. A handler's non-zero return ends up as decode_event's. */
struct event_handlers {
#define X(KIND, name) int (*name)(void *ctx, const struct iolat_##name *e);
	IOLAT_EVENTS(X)
#undef X
};

/* Checks one event and hands it on. `data` is 8-byte aligned and `size` what the carrier
 * (ring, recording) says; a longer event than known is taken (newer writer, fields at the
 * end), a shorter one refused. 0, a handler's return, or
 *   -EBADMSG  short, inconsistent, out of range, unterminated
 *   -ENOTSUP  a kind this reader does not know: skip it
 */
int decode_event(const struct event_handlers *h, void *ctx, const void *data, size_t size);

#endif
