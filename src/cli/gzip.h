/* SPDX-License-Identifier: GPL-2.0 */
/* A stream whose bytes are compressed on their way into another one. */
#ifndef IOLAT_CLI_GZIP_H
#define IOLAT_CLI_GZIP_H

#include <stdio.h>

/* NULL: no memory. fclose() ends the compression and leaves `to` open; errors of `to` become the stream's. */
FILE *gzip_onto(FILE *to);

#endif
