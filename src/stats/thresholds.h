/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From when on something is worth a sentence. One table for all findings; each number with its reason. Shares
 * are in percent of the time named.
 */
#ifndef IOLAT_STATS_THRESHOLDS_H
#define IOLAT_STATS_THRESHOLDS_H

enum thresholds {
	/* A task's share means something only if the task was there for a while. */
	T_WALL_MS = 200,

	/* not-the-disk: below 5 % the best disk in the world would make a loader 1.05 times as fast. */
	T_HARDLY_PCT = 5,

	/* Reading less than this is not worth a word. */
	T_READ_MIB = 1,

	/* worker-stuck: a fifth of the time is felt, and both three times and 20 points more than the median of
	 * the siblings is more than chance makes of workers that share the files. */
	T_STUCK_PCT = 20,
	T_STUCK_TIMES = 3,
	T_STUCK_MORE_PCT = 20,
	T_STUCK_NAMED = 3, /* workers that are named at most: more of them is another finding */

	/* all-workers-io-bound: half of the time on I/O means that I/O sets the pace; a few workers that just
	 * decode something large do not change that. */
	T_BOUND_PCT = 50,
	T_BOUND_LEAST_PCT = 30,
	T_BOUND_WORKERS_PCT = 75,

	/* Causes of waits (limit, fsync, dirty pages, swap, neighbour, queue): from a tenth of the time on. */
	T_CAUSE_PCT = 10,

	/* noisy-neighbour: under a third, the others' part is no more than fair among three. */
	T_NEIGHBOUR_PCT = 33,

	/* device-saturated: queue time is more than half; a queue of less than a millisecond is what plugging
	 * and merging make. Few requests prove nothing. */
	T_QUEUE_PCT = 50,
	T_QUEUE_MS = 1,
	T_REQUESTS = 100,

	/* small-random-reads: four in five reads are up to 32 KiB (a shard reader asks for 128 KiB and more)
	 * and two in three jump. */
	T_SMALL_PCT = 80,
	T_RANDOM_PCT = 66,

	/* iops-ceiling, in steps of a quarter second: 2 s that differ by at most 8 % from their mean, after 1 s
	 * that was at least 1.4 times as much at no more than half the latency. */
	T_FLAT_STEPS = 8,
	T_FLAT_PCT = 8,
	T_FAST_STEPS = 4,
	T_FAST_PCT = 140,
	T_STEP_TIMES = 2,

	/* cold-cache, larger-than-memory: of data sets that are worth it. Cold: the later epochs read a quarter at most of
	 * what the first did, and wait half as much at most. Larger: they read half of it at least, and half of that again.
	 * Without epochs, too, half of what is read again makes memory worth a word. */
	T_SET_MIB = 8,
	T_WARM_PCT = 25,
	T_WARM_WAITS_PCT = 50,
	T_AGAIN_PCT = 50,

	/* gpu-starved: idle for a third of the time, and the workers wait for half of that at least. */
	T_GPU_IDLE_PCT = 33,
	T_GPU_STARVED_PCT = 50,

	/* unattributed: a tenth of the bytes, as promised; not of next to nothing. */
	T_UNOWNED_PCT = 10,
	T_UNOWNED_MIB = 1,
};

#endif
