// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of expressions: what names an epoch, what names a step, which lines only speak of one, and the words that tell
 * whether it begins or has ended. A line without such words that tells a loss was written at the end.
 */
#include "trainlog/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "base/text.h"
#include "base/units.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Settings ("num_epochs: 10") and other epochs than this one are no marks. */
#define NOT_SET \
	"(?<![a-z])(?<!num_)(?<!num )(?<!max_)(?<!max )(?<!total_)(?<!total )(?<!best_)(?<!best )(?<!per )(?<!per_)(?<!last )" \
	"(?<!last_)(?<!save_)(?<!log_)(?<!eval_)"
#define OF_STEPS "(?:[\\])]?\\s*[,:]?\\s*\\[\\s*(?<step>\\d{1,12})\\s*/\\s*(?<steps>\\d{1,12}))?"

static const char *const epochs[] = {
	NOT_SET "epoch(?:\\((?:train|val|test)\\))?[\"']?\\s*(?:[:：=#]\\s*)?[\\[(]?\\s*(?<epoch>\\d{1,9}(?:\\.\\d+)?)(?!\\d|:\\d)"
		"(?:\\s*(?:/|of)\\s*\\d+)?" OF_STEPS,
	"第\\s*(?<epoch>\\d{1,9}|[一二三四五六七八九十百零〇两]{1,7})\\s*(?:/\\s*\\d+\\s*)?(?:轮|个?\\s*epoch|个?\\s*周期|代|遍|回合)"
	"(?!数)" OF_STEPS,
	("轮次\\s*[:：=]?\\s*[\\[(]?\\s*(?<epoch>\\d{1,9})(?:\\s*/\\s*\\d+)?" OF_STEPS),
};

static const char *const steps[] = {
	NOT_SET "(?:global[_ ]?)?(?:steps?|iter|iteration|batch(?:_idx?)?|itr)[\"']?\\s*(?:[:：=#]\\s*)?[\\[(]?\\s*(?<step>\\d{1,12})(?![\\d.]|:\\d)"
		"(?:\\s*(?:/|of)\\s*(?<steps>\\d{1,12}))?",
	"第\\s*(?<step>\\d{1,12})\\s*(?:/\\s*(?<steps>\\d{1,12})\\s*)?(?:步|个?\\s*(?:batch|step|iter)|次迭代|个?批次)",
	"(?:迭代|步数)\\s*[:：=]\\s*(?<step>\\d{1,12})(?:\\s*/\\s*(?<steps>\\d{1,12}))?",
	/* the bars of tqdm and Keras */
	"(?<![\\d/.])(?<step>\\d{1,12})/(?<steps>\\d{1,12})\\s*\\[[=<>.\\d]",
};

static const char *const words[] = {
	[IOLAT_MARK_LOG] = "resum|load(?:ed|ing) (?:the |from )?(?:checkpoint|model|weights|state)|best\\W{0,3}(?:epoch|model|checkpoint)|"
			   "best .{0,40}(?:at|in|from) epoch|加载|恢复|最佳|最优",
	[IOLAT_MARK_START] = "\\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?|began)\\b|开始",
	[IOLAT_MARK_INSIDE] = "(?:loss|acc|accuracy|learning_rate|lr|auc|m?iou|map|ppl|bleu|perplexity|top-?1|损失|精度|准确率|学习率)"
			      "\\w*[\"']?(?: is)?\\s*[:：=]?\\s*[-\\d.]",
	[IOLAT_MARK_END] = "\\b(?:end(?:s|ed)?|done|finish(?:es|ed)?|completed?|took|elapsed|stopp(?:ed|ing))\\b|结束|完成|耗时|用时|完毕",
};

struct marks {
	struct regex *epochs[ARRAY_SIZE(epochs)];
	struct regex *steps[ARRAY_SIZE(steps)];
	struct regex *words[ARRAY_SIZE(words)];
	struct regex *pattern; /* the user's, or NULL */
};

void marks_free(struct marks *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(epochs); i++)
		regex_free(m->epochs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		regex_free(m->steps[i]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		regex_free(m->words[i]);
	regex_free(m->pattern);
	free(m);
}

static int compile(struct regex **out, const char *const *patterns, size_t n)
{
	char why[128];
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = regex_new(&out[i], patterns[i], true, why, sizeof(why));
	return err;
}

static int compile_pattern(struct marks *m, const char *pattern, char *why, size_t why_size)
{
	int err = regex_new(&m->pattern, pattern, true, why, why_size);

	if (err || regex_has_group(m->pattern, "epoch") || regex_has_group(m->pattern, "step") ||
	    regex_has_group(m->pattern, "name"))
		return err;
	snprintf(why, why_size, "it has none of the groups (?<epoch>...), (?<step>...), (?<name>...)");
	return -EINVAL;
}

int marks_new(struct marks **out, const char *pattern, char *why, size_t why_size)
{
	struct marks *m = calloc(1, sizeof(*m));
	int err = m ? 0 : -ENOMEM;

	*out = NULL;
	err = err ?: compile(m->epochs, epochs, ARRAY_SIZE(epochs));
	err = err ?: compile(m->steps, steps, ARRAY_SIZE(steps));
	err = err ?: compile(m->words, words, ARRAY_SIZE(words));
	if (!err && pattern)
		err = compile_pattern(m, pattern, why, why_size);
	if (err)
		marks_free(m);
	else
		*out = m;
	return err;
}

/* --- numbers ------------------------------------------------------------------------ */

/* 三, 十二, 二十, 一百零五; 0 for what is no number. */
static uint64_t chinese(const char *s)
{
	static const char *const digits[] = {"零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"};
	uint64_t sum = 0, digit = 0;
	int len;

	for (; (len = utf8_next(s, NULL)); s += len) {
		char c[8] = "";

		memcpy(c, s, (size_t)len);
		for (uint64_t i = 0; i < ARRAY_SIZE(digits); i++)
			if (strstr(digits[i], c))
				digit = i;
		if (!strcmp(c, "十") || !strcmp(c, "百")) {
			sum += (digit ? digit : 1) * (strcmp(c, "十") ? 100 : 10);
			digit = 0;
		}
	}
	return sum + digit;
}

static uint64_t number(const struct regex *r, const char *group)
{
	char text[32];
	uint64_t n;

	if (!regex_text(r, group, text, sizeof(text)))
		return 0;
	if ((unsigned char)text[0] >= 0x80)
		return chinese(text);
	/* Of "3.25" epochs the third has ended; a pattern of the user's may take in what is no number at all. */
	text[strspn(text, "0123456789")] = '\0';
	return parse_u64(text, &n) ? 0 : n;
}

/* --- what a line says ---------------------------------------------------------------- */

static bool any(struct regex *const *r, size_t n, const char *line, size_t len, struct regex **found)
{
	for (size_t i = 0; i < n; i++) {
		*found = r[i];
		if (regex_match(r[i], line, len, 0))
			return true;
	}
	return false;
}

static bool says(struct marks *m, enum iolat_mark_what what, const char *line, size_t len)
{
	return regex_match(m->words[what], line, len, 0);
}

static enum iolat_mark_what edge(struct marks *m, const struct mark *mark, const char *line, size_t len)
{
	if (mark->steps && mark->step >= mark->steps)
		return IOLAT_MARK_END;
	if (mark->step)
		return IOLAT_MARK_INSIDE;
	if (mark->steps || says(m, IOLAT_MARK_START, line, len)) /* none of its steps is done yet */
		return IOLAT_MARK_START;
	if (says(m, IOLAT_MARK_END, line, len) || says(m, IOLAT_MARK_INSIDE, line, len))
		return IOLAT_MARK_END;
	return IOLAT_MARK_START;
}

static void name_it(struct mark *mark, enum iolat_mark_kind kind, uint64_t n)
{
	mark->kind = kind;
	mark->number = n;
	snprintf(mark->name, sizeof(mark->name), "%s %" PRIu64, kind == IOLAT_MARK_EPOCH ? "epoch" : "step", n);
}

/* Hugging Face counts in fractions: 1.5 is in epoch 1, and 1.0 is the end of epoch 0. */
static bool fractional(const struct regex *r, struct mark *mark)
{
	char text[32];
	const char *point;

	regex_text(r, "epoch", text, sizeof(text));
	point = strchr(text, '.');
	if (!point)
		return false;
	mark->what = IOLAT_MARK_INSIDE;
	if (mark->number && !point[1 + strspn(point + 1, "0")]) {
		mark->what = IOLAT_MARK_END;
		name_it(mark, IOLAT_MARK_EPOCH, mark->number - 1);
	}
	return true;
}

/* Steps stand anywhere in a line that names an epoch. */
static void find_steps(struct marks *m, const char *line, size_t len, struct mark *mark)
{
	struct regex *r;

	if (mark->steps || !any(m->steps, ARRAY_SIZE(steps), line, len, &r))
		return;
	mark->step = number(r, "step");
	mark->steps = number(r, "steps");
}

static void take_epoch(struct marks *m, const struct regex *r, const char *line, size_t len, struct mark *mark)
{
	name_it(mark, IOLAT_MARK_EPOCH, number(r, "epoch"));
	mark->step = number(r, "step");
	mark->steps = number(r, "steps");
	if (fractional(r, mark))
		return;
	if (!m->pattern)
		find_steps(m, line, len, mark);
	mark->what = edge(m, mark, line, len);
}

/* A step's line is written when the step is over. */
static void take_step(struct marks *m, const struct regex *r, const char *line, size_t len, struct mark *mark)
{
	name_it(mark, IOLAT_MARK_STEP, number(r, "step"));
	mark->what = says(m, IOLAT_MARK_START, line, len) ? IOLAT_MARK_START : IOLAT_MARK_END;
}

static void take_name(const struct regex *r, struct mark *mark)
{
	char raw[IOLAT_MARK_LEN];

	regex_text(r, "name", raw, sizeof(raw));
	text_printable(mark->name, sizeof(mark->name), raw);
	mark->kind = IOLAT_MARK_NAMED;
	mark->what = IOLAT_MARK_START;
}

static bool has(const struct regex *r, const char *group)
{
	const char *at;
	size_t len;

	return regex_group(r, group, &at, &len) && len;
}

static bool find_pattern(struct marks *m, const char *line, size_t len, struct mark *mark)
{
	struct regex *r = m->pattern;

	if (!regex_match(r, line, len, 0))
		return false;
	if (has(r, "name"))
		take_name(r, mark);
	else if (has(r, "epoch"))
		take_epoch(m, r, line, len, mark);
	else if (has(r, "step"))
		take_step(m, r, line, len, mark);
	else
		return false;
	if (has(r, "start"))
		mark->what = IOLAT_MARK_START;
	else if (has(r, "end"))
		mark->what = IOLAT_MARK_END;
	return true;
}

bool marks_find(struct marks *m, const char *line, size_t len, struct mark *mark)
{
	struct regex *r;

	*mark = (struct mark){.what = IOLAT_MARK_LOG};
	if (m->pattern)
		return find_pattern(m, line, len, mark);
	if (says(m, IOLAT_MARK_LOG, line, len))
		return false;
	if (any(m->epochs, ARRAY_SIZE(epochs), line, len, &r))
		take_epoch(m, r, line, len, mark);
	else if (any(m->steps, ARRAY_SIZE(steps), line, len, &r))
		take_step(m, r, line, len, mark);
	else
		return false;
	return true;
}

bool marks_time(const struct marks *m, const char **at, size_t *len)
{
	return m->pattern && regex_group(m->pattern, "time", at, len);
}
