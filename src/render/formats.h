/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of output formats: X(format) stands for struct renderer renderer_format,
 * which a file of its own defines. The registry (render.c) is made from it, in this
 * order; a new output is one line here and one file.
 */
#ifndef IOLAT_RENDER_FORMATS_H
#define IOLAT_RENDER_FORMATS_H

#include "render/render.h"

#define RENDER_FORMATS(X)                                                                          \
	X(table)                                                                                   \
	X(json)                                                                                    \
	X(csv)                                                                                     \
	X(trace)                                                                                   \
	X(html)                                                                                    \
	X(prometheus)                                                                              \
	X(hdr)                                                                                     \
	X(fio)

#define X(format) extern const struct renderer renderer_##format;
RENDER_FORMATS(X)
#undef X

#endif
