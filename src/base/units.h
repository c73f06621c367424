/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with units, in both directions. Parsers take the whole string or refuse
 * it: 0, or -EINVAL (not a number, unknown unit, rest behind it, negative), -ERANGE
 * (does not fit 64 bits); *out is set only on success.
 */
#ifndef IOLAT_BASE_UNITS_H
#define IOLAT_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Decimal digits only. */
int parse_u64(const char *s, uint64_t *out);

/* "250ms", "1.5s", "2m", "1h", "0"; units ns us ms s m h. A bare number other than 0 is refused.
 * What a fraction has below 1 ns is cut off, but never so that nothing is left ("0.0001us"). */
int parse_duration(const char *s, uint64_t *ns);

/* "64K", "4M", "1.5G", "512"; units, in either case, are powers of 1024, with an optional "iB" or
 * "B" behind them. Fractions as in parse_duration, and only with a unit. */
int parse_size(const char *s, uint64_t *bytes);

#define UNITS_LEN 24	/* room that every fmt_ function needs at most */

/* "730ns", "12.3us", "20.1ms", "1.50s", "12.0m"; three significant digits. Seconds up to 600,
 * then minutes up to 600, then hours. Returns buf. */
char *fmt_duration(char buf[UNITS_LEN], uint64_t ns);

/* "512B", "4.0K", "1.5M", "20G"; powers of 1024. Returns buf. */
char *fmt_bytes(char buf[UNITS_LEN], double bytes);

/* A wall-clock stamp by RFC 3339 in local time with zone: "2026-03-01T12:00:00.123456789+01:00". */
#define RFC3339_LEN 40
char *fmt_rfc3339(char buf[RFC3339_LEN], uint64_t wall_ns);

#endif
