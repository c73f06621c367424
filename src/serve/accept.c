// SPDX-License-Identifier: GPL-2.0
/* Reads an Accept header: media ranges with parameters, a weight `q` among them (RFC 9110, 12.5.1). */
#include "serve/accept.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

struct word {
	const char *at;
	size_t len;
};

/* The next part of a list, without blanks around it. Quoted strings do not occur in what is looked for. */
static bool next_part(const char **rest, char separator, struct word *w)
{
	const char *end;

	if (!*rest)
		return false;
	end = strchr(*rest, separator);
	w->at = *rest + strspn(*rest, " \t");
	w->len = end ? (size_t)(end - *rest) : strlen(*rest);
	w->len -= w->len ? (size_t)(w->at - *rest) : 0;
	*rest = end ? end + 1 : NULL;
	while (w->len && strchr(" \t", w->at[w->len - 1]))
		w->len--;
	return true;
}

static bool is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !strncasecmp(w->at, text, w->len);
}

/* In thousandths, as exact as the header can be; what is no weight is 0. */
static int weight(const struct word *w)
{
	int value = 0, scale = 1000;

	for (size_t i = 2; i < w->len && scale; i++) {
		if (w->at[i] == '.')
			continue;
		if (w->at[i] < '0' || w->at[i] > '9')
			return 0;
		value += (w->at[i] - '0') * scale;
		scale /= 10;
	}
	return value > 1000 ? 1000 : value;
}

struct range {
	int form;	/* -1: none that there is */
	int q;
};

static int form_of(const struct word *type)
{
	if (is(type, "application/openmetrics-text"))
		return PROMETHEUS_OPENMETRICS;
	if (is(type, "application/vnd.google.protobuf"))
		return PROMETHEUS_PROTOBUF;
	if (is(type, "text/plain") || is(type, "text/*") || is(type, "*/*"))
		return PROMETHEUS_TEXT;
	return -1;
}

/* Whether a parameter is none of those that say which of a type's forms is meant, or names the one that there is. */
static bool parameter_fits(int form, const struct word *p)
{
	static const char *const wanted[PROMETHEUS_FORMS][3] = {
		[PROMETHEUS_TEXT] = {"version=0.0.4"},
		[PROMETHEUS_OPENMETRICS] = {"version=1.0.0"},
		[PROMETHEUS_PROTOBUF] = {"proto=io.prometheus.client.MetricFamily", "encoding=delimited"},
	};

	for (int i = 0; form >= 0 && i < 3 && wanted[form][i]; i++) {
		size_t name = strcspn(wanted[form][i], "=") + 1;

		if (p->len >= name && !strncasecmp(p->at, wanted[form][i], name))
			return is(p, wanted[form][i]);
	}
	return true;
}

static struct range read_range(const struct word *w)
{
	char copy[256] = "";
	const char *rest = copy;
	struct range r = {-1, 1000};
	struct word part;

	if (w->len >= sizeof(copy))
		return r;
	memcpy(copy, w->at, w->len);
	next_part(&rest, ';', &part);
	r.form = form_of(&part);
	while (next_part(&rest, ';', &part)) {
		if (!strncasecmp(part.at, "q=", 2))
			r.q = weight(&part);
		else if (!parameter_fits(r.form, &part))
			r.form = -1;
	}
	return r;
}

enum prometheus_form accept_form(const char *accept)
{
	struct range best = {PROMETHEUS_TEXT, 0};
	struct word w;

	while (next_part(&accept, ',', &w)) {
		struct range r = read_range(&w);

		if (r.form >= 0 && r.q > best.q)
			best = r;
	}
	return (enum prometheus_form)best.form;
}
