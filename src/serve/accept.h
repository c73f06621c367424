/* SPDX-License-Identifier: GPL-2.0 */
/* Which form of the metrics a scraper wants. */
#ifndef IOLAT_SERVE_ACCEPT_H
#define IOLAT_SERVE_ACCEPT_H

#include "render/prometheus.h"

/* By the Accept header (NULL: there is none): the form it weighs most, of equals the first; the text form where it
 * names none that there is. */
enum prometheus_form accept_form(const char *accept);

#endif
