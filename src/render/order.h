/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of rows, the same in every output: by the sort column, numbers the largest
 * first and names by the alphabet, what is not known at the end.
 */
#ifndef IOLAT_RENDER_ORDER_H
#define IOLAT_RENDER_ORDER_H

#include "render/render.h"

/* A new array of the frame's rows, to be freed; NULL: no memory. Never NULL for no rows. */
const struct row **order_rows(const struct snapshot *s, const struct render_options *o);

#endif
