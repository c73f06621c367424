/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of output formats: finds a renderer by the name given to --format and
 * lists them for the help. The formats themselves are named in formats.h.
 */
#include "render/render.h"

#include <string.h>

#include "render/formats.h"

static const struct renderer *const renderers[] = {
#define X(format) &renderer_##format,
	RENDER_FORMATS(X)
#undef X
};
#define N_RENDERERS (sizeof(renderers) / sizeof(renderers[0]))

const struct renderer *renderer_at(size_t i)
{
	return i < N_RENDERERS ? renderers[i] : NULL;
}

const struct renderer *renderer_find(const char *name)
{
	for (size_t i = 0; i < N_RENDERERS; i++)
		if (!strcmp(renderers[i]->name, name))
			return renderers[i];
	return NULL;
}
