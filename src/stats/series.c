// SPDX-License-Identifier: GPL-2.0
/* A ring of steps; a step that is stale starts anew when it is hit. */
#include "stats/series.h"

void series_add(struct series *s, uint64_t end_ns, const struct series_part *part)
{
	uint64_t number = end_ns / SERIES_STEP_NS;
	struct series_step *step = &s->steps[number % SERIES_STEPS];

	if (step->number > number) /* longer ago than is kept */
		return;
	if (step->number != number)
		*step = (struct series_step){.number = number};
	if (number > s->last)
		s->last = number;
	step->sums.ios += part->ios;
	step->sums.bytes += part->bytes;
	step->sums.ns += part->ns;
}

const struct series_step *series_back(const struct series *s, size_t back)
{
	uint64_t number = s->last - 1 - back;
	const struct series_step *step = &s->steps[number % SERIES_STEPS];

	return back + 1 < SERIES_STEPS && s->last > back + 1 && step->number == number ? step : NULL;
}
