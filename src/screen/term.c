// SPDX-License-Identifier: GPL-2.0
/*
 * The terminal is opened anew, so that it can be written to without waiting and nobody else's descriptor is changed.
 * ncurses gets a file in memory in its place.
 */
#include "screen/term.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <ncurses.h>

#include "screen/paint.h"

#define ESCAPE_MS    25	  /* an escape key is no longer sequence after that */
#define LEAVE_MS     1000 /* for the last bytes */
#define PART	     4096 /* bytes at a time */

struct term {
	int fd;			/* the terminal; reads and writes do not wait */
	int memory;		/* where ncurses writes to */
	FILE *in, *out;		/* ncurses' sides of both */
	SCREEN *screen;
	off_t passed;		/* bytes of `memory` that have gone */
	struct termios before;
	int errors, real_errors;	/* messages that wait, and where they belong; -1: they go on */
	int lines, columns;
	bool shown;		/* something has been drawn */
};

/* --- the way out -------------------------------------------------------------------- */

static off_t drawn(const struct term *t)
{
	return lseek(t->memory, 0, SEEK_END);
}

bool term_busy(const struct term *t)
{
	return drawn(t) > t->passed;
}

/* 0: there is more to go, 1: all has gone, -EAGAIN, -errno. */
static int pass_part(struct term *t)
{
	char part[PART];
	ssize_t n = pread(t->memory, part, sizeof(part), t->passed);

	if (n <= 0)
		return 1;
	n = write(t->fd, part, (size_t)n);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	t->passed += n;
	return 0;
}

static void start_over(struct term *t)
{
	if (!ftruncate(t->memory, 0))
		lseek(t->memory, 0, SEEK_SET);
	t->passed = 0;
}

int term_pass_on(struct term *t)
{
	int ret;

	do
		ret = pass_part(t);
	while (!ret);
	if (ret == 1)
		start_over(t);
	return ret == -EAGAIN || ret == 1 ? 0 : ret;
}

static void pass_all(struct term *t)
{
	struct pollfd fd = {.fd = t->fd, .events = POLLOUT};

	while (!term_pass_on(t) && term_busy(t))
		if (poll(&fd, 1, LEAVE_MS) <= 0)
			return;
}

/* --- modes -------------------------------------------------------------------------- */

/* Keys come one by one; INT works as ever, what stops a program does not: tracing goes on meanwhile. */
static int take_modes(struct term *t)
{
	struct termios modes = t->before;

	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	modes.c_iflag &= ~(tcflag_t)(IXON | INLCR | IGNCR);
	modes.c_cc[VSUSP] = modes.c_cc[VQUIT] = _POSIX_VDISABLE;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	return tcsetattr(t->fd, TCSADRAIN, &modes) ? -errno : 0;
}

static bool size_of(const struct term *t, int *lines, int *columns)
{
	struct winsize w;

	if (ioctl(t->fd, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		return false;
	*lines = w.ws_row;
	*columns = w.ws_col;
	return true;
}

bool term_resized(struct term *t)
{
	int lines = t->lines, columns = t->columns;

	if (!size_of(t, &lines, &columns) || (lines == t->lines && columns == t->columns))
		return false;
	t->lines = lines;
	t->columns = columns;
	resizeterm(lines, columns);
	return true;
}

void term_repaint(struct term *t)
{
	take_modes(t);
	clearok(curscr, TRUE);
}

/* --- messages ------------------------------------------------------------------------ */

/* What anybody says on standard error would stand amid the picture and be lost with it. */
static void hold_errors(struct term *t)
{
	t->errors = t->real_errors = -1;
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	t->errors = memfd_create("iolat-messages", MFD_CLOEXEC);
	t->real_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (t->errors >= 0 && t->real_errors >= 0)
		dup2(t->errors, STDERR_FILENO);
}

static void say_errors(struct term *t)
{
	char part[PART];
	off_t at = 0;
	ssize_t n;

	if (t->real_errors >= 0) {
		fflush(stderr);
		dup2(t->real_errors, STDERR_FILENO);
		close(t->real_errors);
	}
	if (t->errors < 0)
		return;
	while ((n = pread(t->errors, part, sizeof(part), at)) > 0) {
		fwrite(part, 1, (size_t)n, stderr);
		at += n;
	}
	close(t->errors);
}

/* --- opening and closing ------------------------------------------------------------- */

static bool is_ours(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group < 0 || group == getpgrp();
}

static int open_terminal(struct term *t)
{
	char name[256];

	if (ttyname_r(STDOUT_FILENO, name, sizeof(name)))
		return -ENOTTY;
	t->fd = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (t->fd < 0)
		return -errno;
	if (!is_ours(t->fd) || tcgetattr(t->fd, &t->before) || !size_of(t, &t->lines, &t->columns))
		return -ENOTTY;
	return 0;
}

static int open_streams(struct term *t)
{
	int in = fcntl(t->fd, F_DUPFD_CLOEXEC, 3), out;

	t->memory = memfd_create("iolat-screen", MFD_CLOEXEC);
	out = t->memory < 0 ? -1 : fcntl(t->memory, F_DUPFD_CLOEXEC, 3);
	t->in = in < 0 ? NULL : fdopen(in, "r");
	t->out = out < 0 ? NULL : fdopen(out, "w");
	return t->in && t->out ? 0 : -errno;
}

/* ncurses would act upon these signals by itself. */
static void keep_signals(void)
{
	signal(SIGTSTP, SIG_IGN);
	signal(SIGWINCH, SIG_IGN);
}

static int start_curses(struct term *t)
{
	keep_signals();
	setlocale(LC_CTYPE, "");
	t->screen = newterm(NULL, t->out, t->in);
	if (!t->screen)
		return -ENOTTY;
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) /* it cannot move its cursor */
		return -ENOTTY;
	resizeterm(t->lines, t->columns);
	set_escdelay(ESCAPE_MS);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED |
			  BUTTON5_PRESSED,
		  NULL);
	paint_start();
	return 0;
}

static void release(struct term *t)
{
	if (t->screen)
		delscreen(t->screen);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	if (t->memory >= 0)
		close(t->memory);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
}

int term_open(struct term **out)
{
	struct term *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->fd = t->memory = -1;
	err = open_terminal(t) ?: open_streams(t) ?: start_curses(t) ?: take_modes(t);
	if (err) {
		release(t);
		return err;
	}
	hold_errors(t);
	*out = t;
	return 0;
}

void term_leave(struct term *t)
{
	if (t->shown) {
		endwin();
		pass_all(t);
	}
	tcsetattr(t->fd, TCSANOW, &t->before); /* and waits for nothing */
}

void term_return(struct term *t)
{
	start_over(t);
	term_repaint(t);
}

void term_close(struct term *t)
{
	term_leave(t);
	say_errors(t);
	release(t);
}

int term_fd(const struct term *t)
{
	return t->fd;
}

/* --- keys ------------------------------------------------------------------------------ */

static struct term_key mouse_key(void)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return (struct term_key){.code = TERM_OTHER};
	if (e.bstate & BUTTON4_PRESSED)
		return (struct term_key){.code = TERM_UP};
	if (e.bstate & BUTTON5_PRESSED)
		return (struct term_key){.code = TERM_DOWN};
	return (struct term_key){TERM_CLICK, e.y, e.x};
}

static int translate(int code)
{
	static const struct {
		int curses, ours;
	} keys[] = {
		{KEY_UP, TERM_UP},	  {KEY_DOWN, TERM_DOWN},   {KEY_LEFT, TERM_LEFT},
		{KEY_RIGHT, TERM_RIGHT},  {KEY_PPAGE, TERM_PAGE_UP}, {KEY_NPAGE, TERM_PAGE_DOWN},
		{KEY_HOME, TERM_HOME},	  {KEY_END, TERM_END},	   {KEY_BACKSPACE, TERM_BACKSPACE},
		{KEY_ENTER, TERM_ENTER},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == code)
			return keys[i].ours;
	return TERM_OTHER;
}

bool term_key(struct term *t, struct term_key *key)
{
	wint_t code;

	switch (get_wch(&code)) {
	case KEY_CODE_YES:
		*key = code == KEY_MOUSE ? mouse_key() : (struct term_key){.code = translate((int)code)};
		return true;
	case OK:
		*key = (struct term_key){.code = code == '\r' ? TERM_ENTER : (int)code};
		if (code == 0x7f || code == '\b')
			key->code = TERM_BACKSPACE;
		return true;
	default:
		return false;
	}
}

/* --- a frame ------------------------------------------------------------------------------ */

void term_begin(struct term *t)
{
	erase();
}

int term_end(struct term *t)
{
	t->shown = true;
	wnoutrefresh(stdscr);
	doupdate();
	return term_pass_on(t);
}
