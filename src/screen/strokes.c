// SPDX-License-Identifier: GPL-2.0
/* Bars and lines, column by column. */
#include "screen/strokes.h"

#include <string.h>

#define LEVELS 8

static const char *const full[REASON_MAX][2] = {
	[REASON_DISK] = {"#", "█"},	    [REASON_THROTTLE] = {"=", "▓"},
	[REASON_NETWORK_FS] = {"~", "░"},   [REASON_FUSE] = {"~", "░"},
	[REASON_PAGE_FAULT] = {"%", "▒"},   [REASON_OTHER] = {"+", "▪"},
};

const char *stroke_of(enum wait_reason reason, bool utf8)
{
	return full[reason][utf8];
}

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static char *put(char *at, const char *stroke)
{
	size_t len = strlen(stroke);

	memcpy(at, stroke, len + 1);
	return at + len;
}

/* The reason that the column stands for when the reasons are laid one behind the other. */
static enum wait_reason reason_at(const uint64_t reasons[REASON_MAX], double share)
{
	double sum = 0, reached = 0;

	for (int r = 0; r < REASON_MAX; r++)
		sum += (double)reasons[r];
	for (int r = 0; r < REASON_MAX; r++) {
		reached += (double)reasons[r];
		if (sum > 0 && share * sum <= reached && reasons[r])
			return r;
	}
	return REASON_DISK;
}

void stroke_bar(char out[STROKES_SIZE], int width, double pct, const uint64_t reasons[REASON_MAX], bool utf8)
{
	static const char *const rest[2] = {".", "·"};
	double columns;
	int drawn;

	width = clamp(width, 0, STROKES_MAX);
	columns = pct / 100 * width;
	/* A little is drawn as something, not quite all as not all. */
	drawn = clamp((int)(columns + 0.5), pct >= 1, pct < 99 ? width - 1 : width);
	*out = '\0';
	for (int i = 0; i < width; i++) {
		enum wait_reason r = reasons && drawn ? reason_at(reasons, (i + 0.5) / drawn)
						      : REASON_DISK;

		out = put(out, i < drawn ? full[r][utf8] : rest[utf8]);
	}
}

/* --- a minute ------------------------------------------------------------------------- */

const char *line_name(enum line_of what)
{
	static const char *const names[LINE_MAX] = {
		[LINE_BLOCKED] = "blocked",
		[LINE_P99] = "p99",
		[LINE_IOPS] = "IOPS",
		[LINE_BYTES] = "bytes",
	};

	return names[what];
}

static double value(const struct moment *m, enum line_of what)
{
	switch (what) {
	case LINE_BLOCKED:
		return m->blocked_ns;
	case LINE_P99:
		return (double)m->p99_ns;
	case LINE_IOPS:
		return m->ios;
	default:
		return m->bytes;
	}
}

static double highest(const struct group *g, enum line_of what, int from, int to)
{
	double most = 0;

	for (int i = from; i < to; i++)
		if (value(&g->minute[i], what) > most)
			most = value(&g->minute[i], what);
	return most;
}

static const char *level_stroke(double v, double most, bool utf8)
{
	static const char *const levels[LEVELS][2] = {
		{"_", "▁"}, {"_", "▂"}, {".", "▃"}, {"-", "▄"},
		{"=", "▅"}, {"+", "▆"}, {"*", "▇"}, {"#", "█"},
	};

	if (v <= 0 || most <= 0)
		return " ";
	return levels[clamp((int)(v / most * LEVELS - 0.5), 0, LEVELS - 1)][utf8];
}

void stroke_line(char out[STROKES_SIZE], int width, const struct group *g, enum line_of what, bool utf8)
{
	double most = what == LINE_BLOCKED ? 1e9 : highest(g, what, 0, MEMORY_SECONDS);

	width = clamp(width, 0, MEMORY_SECONDS);
	*out = '\0';
	for (int i = 0; i < width; i++) {
		int from = i * MEMORY_SECONDS / width, to = (i + 1) * MEMORY_SECONDS / width;

		out = put(out, level_stroke(highest(g, what, from, to), most, utf8));
	}
}
