// SPDX-License-Identifier: GPL-2.0
/* What lines of training logs are taken for: loggers' forms, hostile ones, and what is no mark at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trainlog/trainlog.h"

#define NOW 1796080049ull /* 2026-11-30 23:07:29 UTC */

struct got {
	char text[1024];
	int stop; /* what the sink answers */
};

static int take(void *ctx, const struct iolat_mark *e)
{
	static const char *const whats[] = {"log", "start", "inside", "end"};
	struct got *g = ctx;
	size_t len = strlen(g->text);
	time_t t = (time_t)(e->wall_ns / 1000000000);
	char stamp[32];
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%F %T", gmtime_r(&t, &tm));
	snprintf(g->text + len, sizeof(g->text) - len, "%s%s.%03" PRIu64 " %s %s", len ? "; " : "", stamp,
		 (uint64_t)(e->wall_ns / 1000000 % 1000), whats[e->what], e->name);
	return g->stop;
}

static struct trainlog *open_log(const char *pattern)
{
	struct trainlog *l;
	char why[200] = "";

	if (trainlog_new(&l, pattern, why, sizeof(why)))
		fail_msg("%s", why);
	return l;
}

static const char *read_with(struct got *g, const char *pattern, const char *text)
{
	struct trainlog *l = open_log(pattern);
	const struct mark_sink to = {take, g};

	*g = (struct got){.text = ""};
	assert_int_equal(trainlog_feed(l, text, strlen(text), NOW * 1000000000, &to), 0);
	assert_int_equal(trainlog_finish(l, NOW * 1000000000, &to), 0);
	trainlog_free(l);
	return g->text;
}

struct line {
	const char *text, *marks;
};

static void check_lines(const struct line *lines, size_t n)
{
	struct got g;

	for (size_t i = 0; i < n; i++)
		if (strcmp(read_with(&g, NULL, lines[i].text), lines[i].marks))
			fail_msg("'%s'\n     is '%s'\ninstead of '%s'", lines[i].text, g.text, lines[i].marks);
}
#define CHECK(lines) check_lines(lines, sizeof(lines) / sizeof(lines[0]))

static void test_forms_of_stamps(void **state)
{
	static const struct line lines[] = {
		{"2026-11-30 23:07:29,123 - train - INFO - Epoch 3", "2026-11-30 23:07:29.123 start epoch 3"},
		{"2026-11-30T23:07:29.5Z Epoch 3", "2026-11-30 23:07:29.500 start epoch 3"},
		{"2026-12-01T07:07:29+08:00 Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"2026-12-01 07:07:29.250 +0800 Epoch 3", "2026-11-30 23:07:29.250 start epoch 3"},
		{"[2026/11/30 23:07:29] ppocr INFO: Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"11/30/2026 23:07:29 - INFO - __main__ - Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"I1130 23:07:29.654321 1234 train.cc:12] Epoch 3", "2026-11-30 23:07:29.654 start epoch 3"},
		{"[11/30 23:07:29 d2.engine]: Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"Mon Nov 30 23:07:29 2026 Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"Nov 30 23:07:29 node7 train[12]: Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"30/Nov/2026:23:07:29 +0000 Epoch 3", "2026-11-30 23:07:29.000 start epoch 3"},
		{"1796080049.75 Epoch 3", "2026-11-30 23:07:29.750 start epoch 3"},
		{"2026年11月30日 23时07分29秒 第 3 轮 开始", "2026-11-30 23:07:29.000 start epoch 3"},
		{"2026-11-30 23:07:29 Epoch 3, eta: 2026-12-24 01:00:00", "2026-11-30 23:07:29.000 start epoch 3"},
		/* glog in January, read in November */
		{"I0102 00:00:01.000000 1 a.py:1] Epoch 3", "2027-01-02 00:00:01.000 start epoch 3"},
		/* no times */
		{"2026-13-30 23:07:29 Epoch 3", ""},
		{"2026-02-30 23:07:29 Epoch 3", ""},
		{"2026-11-30 24:07:29 Epoch 3", ""},
		{"23:07:29 Epoch 3", ""},
		{"Epoch 3 eta: 2026-12-24 01:00:00", ""},
		{"12026-11-30 23:07:29 Epoch 3", ""},
		{"Epoch 3", ""},
	};

	CHECK(lines);
}

static void test_loggers(void **state)
{
#define T "2026-11-30 23:07:29 "
#define AT "2026-11-30 23:07:29.000 "
	static const struct line lines[] = {
		/* torchvision's and timm's references */
		{T "Epoch: [3][ 10/100]\tTime 0.1 Data 0.05 Loss 2.3", AT "inside epoch 3"},
		{T "Epoch: [3][100/100]\tTime 0.1", AT "end epoch 3"},
		{T "Train: 3 [  50/1251 (  4%)]  Loss: 6.9", ""},
		{T "Train Epoch: 3 [6400/60000 (11%)]\tLoss: 0.5", AT "inside epoch 3"},
		{T "Train Epoch: 3 [0/60000 (0%)]\tLoss: 2.3", AT "start epoch 3"},
		{T "Epoch: [3][  0/100]\tTime 0.1 Data 0.05 Loss 2.3", AT "start epoch 3"},
		{T "Epoch [3/10], Step [100/600], Loss: 0.5", AT "inside epoch 3"},
		{T "Epoch 3: train_loss=0.25 val_acc=0.9", AT "end epoch 3"},
		{T "epoch 3 finished in 12.5s", AT "end epoch 3"},
		{T "Starting epoch 3 of 10", AT "start epoch 3"},
		/* Lightning, tqdm, Keras, with a stamp before the line */
		{T "Epoch 3:  50%|#####     | 5/10 [00:01<00:01,  5.00it/s, loss=0.1]", AT "inside epoch 3"},
		{T "Epoch 3: 100%|##########| 10/10 [00:02<00:00,  5.00it/s, loss=0.1]", AT "end epoch 3"},
		{T "Epoch 3/10", AT "start epoch 3"},
		{T "Epoch 3/10\n" T "1/2 [====>....] - ETA: 1s - loss: 0.1\r" T "2/2 [=====] - 1s", AT "start epoch 3"},
		/* mmengine */
		{T "- mmengine - INFO - Epoch(train)  [3][  50/937]  lr: 1.0e-02  data_time: 0.01", AT "inside epoch 3"},
		/* Paddle */
		{"[2026/11/30 23:07:29] ppocr INFO: epoch: [3/500], global_step: 10, lr: 0.001, avg_reader_cost: 0.10 s",
		 AT "inside epoch 3"},
		{T "epoch: 3, batch_id: 20, loss is: 0.5", AT "inside epoch 3"},
		{T "epoch 3, loss is 0.5", AT "end epoch 3"},
		/* Hugging Face: fractions */
		{T "{'loss': 0.5, 'learning_rate': 5e-05, 'epoch': 3.25}", AT "inside epoch 3"},
		{T "{'eval_loss': 0.5, 'epoch': 4.0}", AT "end epoch 3"},
		/* JSON lines */
		{"{\"time\": \"2026-11-30T23:07:29Z\", \"epoch\": 3, \"step\": 12, \"loss\": 0.1}", AT "inside epoch 3"},
		{"{\"ts\": 1796080049, \"event\": \"epoch_start\", \"epoch\": 3}", AT "start epoch 3"},
		{"{\"timestamp\": 1796080049123, \"epoch\": 3}", "2026-11-30 23:07:29.123 start epoch 3"},
		{"{\"asctime\": \"2026-11-30 23:07:29\", \"message\": \"\\u7b2c 3 \\u8f6e\\u5f00\\u59cb\"}",
		 AT "start epoch 3"},
		/* Chinese */
		{T "第 3 轮", AT "start epoch 3"},
		{T "第3轮训练结束,耗时 12 秒", AT "end epoch 3"},
		{T "第十二轮 损失: 0.3", AT "end epoch 12"},
		{T "第一百零五轮开始", AT "start epoch 105"},
		{T "轮次:3/10 迭代:20/100 损失:0.5", AT "inside epoch 3"},
		{T "第3个epoch开始", AT "start epoch 3"},
		{T "第 200 步 损失 0.5", AT "end step 200"},
		/* steps alone */
		{T "step 100 loss 0.5", AT "end step 100"},
		{T "[iter: 19  total_loss: 1.2", AT "end step 19"},
		{T "step=100/1000", AT "end step 100"},
		/* colours */
		{"\x1b[32m" T "\x1b[0m Epoch \x1b[1m3\x1b[0m", AT "start epoch 3"},
		/* settings, and other epochs than this one */
		{T "num_epochs: 10, max_epochs=10, Num Epochs = 3, epochs: 5", ""},
		{T "training for 10 epochs", ""},
		{T "=> loaded checkpoint 'a.pt' (epoch 3)", ""},
		{T "resuming from epoch 3", ""},
		{T "best epoch: 3", ""},
		{T "best acc 0.9 at epoch 3", ""},
		{T "训练轮数: 10", ""},
		{T "最佳模型: 第 3 轮", ""},
		{T "batch_size: 32, num_steps: 100", ""},
		{T "epoch_time: 12", ""},
		{T "save_epoch: 5", ""},
		{T "epoch", ""},
		{T "", ""},
	};

	CHECK(lines);
}

/* A step is told only where no epoch is. */
static void test_steps_lie_in_epochs(void **state)
{
	struct got g;

	assert_string_equal(read_with(&g, NULL, T "step 1\n" T "Epoch 3\n" T "step 2\n" T "step 3\n"),
			    AT "end step 1; " AT "start epoch 3");
}

static void test_what_says_nothing_new_is_left_out(void **state)
{
	struct got g;

	assert_string_equal(read_with(&g, NULL, T "Epoch: [0][1/9]\n" T "Epoch: [0][2/9]\n" T "Epoch: [0][9/9]\n"),
			    AT "inside epoch 0; " AT "end epoch 0");
}

static void test_patterns(void **state)
{
	struct got g;

	assert_string_equal(read_with(&g, "pass (?<epoch>\\d+)", T "pass 7\n" T "Epoch 1\n"), AT "start epoch 7");
	assert_string_equal(read_with(&g, "pass (?<epoch>\\S+)", T "pass -3\n"), AT "start epoch 0"); /* no number */
	assert_string_equal(read_with(&g, ">>> (?<name>\\w+)", T ">>> preprocess\n" T ">>> train"),
			    AT "start preprocess; " AT "start train");
	assert_string_equal(read_with(&g, "(?<name>\\w+):(?:(?<start>on)|(?<end>off))", T "eval:off"), AT "end eval");
	assert_string_equal(read_with(&g, "^.*?at (?<time>.*): tick (?<step>\\d+)",
				      "2020-01-01 00:00:00 at 2026-11-30 23:07:29: tick 4"),
			    AT "end step 4");
	assert_string_equal(read_with(&g, "(?<name>x+)", T "\xff\xfe x"), AT "start x");
}

static void refused(const char *pattern, const char *reason)
{
	struct trainlog *l = NULL;
	char why[200] = "";

	assert_int_equal(trainlog_new(&l, pattern, why, sizeof(why)), -EINVAL);
	assert_null(l);
	if (!strstr(why, reason))
		fail_msg("'%s': '%s'", pattern, why);
}

static void test_patterns_that_cannot_be(void **state)
{
	refused("(", "parenthesis");
	refused("epoch (\\d+)", "groups");
	refused("(?<time>.*)", "groups");
	refused("(?<name>\x80)", "UTF-8");
	refused("\\C(?<name>x)", "\\C");
}

/* Would take longer than anyone waits without a limit. */
static void test_a_pattern_that_explodes(void **state)
{
	struct got g;
	char line[400];

	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_string_equal(read_with(&g, "^(?<name>(a+)+)+$(?<!a)", line), "");
}

static void test_bytes_that_nobody_means(void **state)
{
	struct got g;
	char long_line[20000];

	assert_string_equal(read_with(&g, NULL, T "Epoch 3\xff\xff\n\xff" T "Epoch 4"),
			    AT "start epoch 3; " AT "start epoch 4");
	assert_string_equal(read_with(&g, NULL, "\x1b[\x1b[3\n\r\r\n{\"\\u\\uzzzz\\u12"), "");
	memset(long_line, 'x', sizeof(long_line));
	memcpy(long_line, T "Epoch 3 ", strlen(T "Epoch 3 "));
	strcpy(long_line + sizeof(long_line) - 60, " Epoch 4\n" T "Epoch 5");
	assert_string_equal(read_with(&g, NULL, long_line), AT "start epoch 3; " AT "start epoch 5");
	assert_string_equal(read_with(&g, NULL, T "Epoch 99999999999999999999"), "");
}

/* Bytes come as they are written, in pieces. */
static void test_pieces(void **state)
{
	const char *text = T "Epoch 3\n" T "Epo";
	struct trainlog *l = open_log(NULL);
	struct got g = {.text = ""};
	const struct mark_sink to = {take, &g};

	for (size_t i = 0; text[i]; i++)
		assert_int_equal(trainlog_feed(l, text + i, 1, 0, &to), 0);
	assert_string_equal(g.text, AT "start epoch 3");
	trainlog_restart(l); /* another file: the rest of this line never comes */
	assert_int_equal(trainlog_feed(l, "ch 9\n", 5, 0, &to), 0);
	assert_string_equal(g.text, AT "start epoch 3");
	g.stop = -ENOMEM;
	assert_int_equal(trainlog_feed(l, T "Epoch 4\n", strlen(T "Epoch 4\n"), 0, &to), -ENOMEM);
	trainlog_free(l);
}

static struct trainlog_found found_in(struct trainlog *l, const char *text)
{
	struct got g = {.text = ""};
	const struct mark_sink to = {take, &g};

	assert_int_equal(trainlog_feed(l, text, strlen(text), 0, &to), 0);
	return trainlog_found(l);
}

static void test_the_first_line_that_failed(void **state)
{
	struct trainlog *l = open_log(NULL);
	struct trainlog_found f = found_in(l, "hello\n\nEpoch 1/3\nEpoch 2/3\n");

	assert_int_equal(f.marks, 0);
	assert_int_equal(f.failed_line, 3);
	assert_string_equal(f.failed, "Epoch 1/3");
	assert_string_equal(f.lacks, "no time stamp");
	f = found_in(l, T "Epoch 3\n");
	assert_int_equal(f.marks, 1);
	assert_int_equal(f.first_ns, NOW * 1000000000);
	trainlog_free(l);

	l = open_log(NULL);
	f = found_in(l, "\n\r\n" T "hello\x01\x1b[31m\nworld\n");
	assert_int_equal(f.failed_line, 3);
	assert_string_equal(f.failed, T "hello?");
	assert_string_equal(f.lacks, "no epoch or step");
	trainlog_free(l);

	l = open_log(NULL);
	assert_string_equal(found_in(l, "").failed, "");
	trainlog_free(l);
}

static void test_local_time(void **state)
{
	struct got g;

	setenv("TZ", "Asia/Shanghai", 1);
	tzset();
	assert_string_equal(read_with(&g, NULL, "2026-12-01 07:07:29 Epoch 3"), AT "start epoch 3");
	assert_string_equal(read_with(&g, NULL, "2026-11-30 23:07:29Z Epoch 3"), AT "start epoch 3");
	setenv("TZ", "UTC", 1);
	tzset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_stamps),
		cmocka_unit_test(test_loggers),
		cmocka_unit_test(test_steps_lie_in_epochs),
		cmocka_unit_test(test_what_says_nothing_new_is_left_out),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_patterns_that_cannot_be),
		cmocka_unit_test(test_a_pattern_that_explodes),
		cmocka_unit_test(test_bytes_that_nobody_means),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_the_first_line_that_failed),
		cmocka_unit_test(test_local_time),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
