// SPDX-License-Identifier: GPL-2.0-or-later
/* Show vcpc top on a terminal, with ncurses. */
#define _GNU_SOURCE
#include <ctype.h>
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "top.h"
#include "vcpc.h"

#define FILTER	64

/*
 * struct screen - the state of the display
 * @first: row at the top
 * @err: error from the last snapshot, or 0
 * @typing: a filter is being typed
 */
struct screen {
	struct top_view *view;
	struct shim_trace *trace;
	size_t first;
	int err;
	bool paused, typing;
	uint64_t interval, next;	/* in nanoseconds; @next is the time of the next snapshot */
	char filter[FILTER];
};

static const char *state_text(const struct screen *s)
{
	switch (s->err) {
	case 0:
		return s->view->nall ? NULL : "no transactions yet";
	case -EAGAIN:
		return "waiting for the first interval ...";
	case -ENODATA:
		return TOP_NO_PROCESSES;
	case -ENOENT:
	case -ESTALE:
		return "tracing is off; turn it on with 'vcpc trace on'";
	default:
		return strerror(-s->err);
	}
}

static void put_line(int row, const char *line, bool heading)
{
	if (heading)
		attron(A_REVERSE);
	mvaddnstr(row, 0, line, -1);
	if (heading)
		attroff(A_REVERSE);
}

static void screen_draw(struct screen *s)
{
	int lines = LINES - 3;
	char *line = malloc(4 * (size_t)(COLS > 0 ? COLS : 1) + 512);
	const char *state = state_text(s);

	if (!line)
		return;
	erase();
	top_title(s->view, s->paused, line, 256);
	mvaddnstr(0, 0, line, COLS);
	top_line(s->view, NULL, COLS, line);
	put_line(1, line, true);
	if (s->first + (lines > 0 ? lines : 1) > s->view->nrows)
		s->first = s->view->nrows > (size_t)lines && lines > 0 ? s->view->nrows - lines : 0;
	for (int i = 0; i < lines && s->first + i < s->view->nrows; i++) {
		top_line(s->view, &s->view->rows[s->first + i], COLS, line);
		put_line(2 + i, line, false);
	}
	if (state)
		mvaddnstr(3, 0, state, COLS);
	if (s->typing)
		snprintf(line, 256, "names with: %s_", s->filter);
	else
		snprintf(line, 256, "q quit  p pause  b group by  s sort  r reverse  / filter  arrows scroll");
	mvaddnstr(LINES - 1, 0, line, COLS - 1);
	free(line);
	refresh();
}

static void type(struct screen *s, int c)
{
	size_t len = strlen(s->filter);

	if (c == 27)
		s->filter[0] = '\0';
	if (c == '\n' || c == '\r' || c == KEY_ENTER || c == 27)
		s->typing = false;
	else if ((c == KEY_BACKSPACE || c == 127 || c == '\b') && len)
		s->filter[len - 1] = '\0';
	else if (c >= ' ' && c < 256 && c != 127 && len < FILTER - 1)
		s->filter[len] = c, s->filter[len + 1] = '\0';
	s->view->filter = *s->filter ? s->filter : NULL;
	top_arrange(s->view);
}

static void scroll_by(struct screen *s, long rows)
{
	s->first = rows < 0 && (size_t)-rows > s->first ? 0 : s->first + rows;
}

/* Show the next kind of rows, and drop the snapshots, which belong to the previous kind. */
static void next_by(struct screen *s)
{
	s->view->by = (s->view->by + 1) % TOP_BYS;
	s->first = 0;
	top_forget(s->view);
	s->err = top_again(s->view, &s->trace);
	s->paused = false;
	s->next = vcpc_now() + s->interval;
}

/* Handle a key. Return false to quit. */
static bool obey(struct screen *s, int c)
{
	long page = LINES > 4 ? LINES - 3 : 1;

	switch (c) {
	case 'q':
		return false;
	case 'p':
	case ' ':
		s->paused = !s->paused;
		break;
	case 'b':
		next_by(s);
		break;
	case 's':
		s->view->key = (s->view->key + 1) % TOP_KEYS;
		break;
	case 'r':
		s->view->reverse = !s->view->reverse;
		break;
	case '/':
		s->typing = true;
		break;
	case KEY_UP:
	case KEY_DOWN:
		scroll_by(s, c == KEY_UP ? -1 : 1);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		scroll_by(s, c == KEY_PPAGE ? -page : page);
		break;
	default:
		break;
	}
	top_arrange(s->view);
	return true;
}

/* Return whether the terminal was closed.  If it was, getch() would always return immediately. */
static bool is_gone(void)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void screen_run(struct screen *s)
{
	int c;

	for (;;) {
		uint64_t now = vcpc_now();

		if (now >= s->next) {
			s->next = now + s->interval;
			if (!s->paused)
				s->err = top_again(s->view, &s->trace);
		}
		screen_draw(s);
		now = vcpc_now();
		timeout(now < s->next ? (int)((s->next - now) / 1000000) + 1 : 0);
		c = getch();
		if (c == ERR && is_gone())
			return;
		if (c == ERR || c == KEY_RESIZE)
			continue;
		if (s->typing)
			type(s, c);
		else if (!obey(s, c))
			return;
	}
}

int top_screen(struct top_view *view, uint64_t interval)
{
	struct screen s = { .view = view, .interval = interval };
	const char *term = getenv("TERM");
	SCREEN *screen;

	if (view->filter) {
		snprintf(s.filter, sizeof(s.filter), "%s", view->filter);
		view->filter = s.filter;
	}
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return vcpc_fail(0, "unknown terminal type '%s'; 'vcpc top --once' needs no terminal", term ? term : "");
	set_escdelay(50);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	screen_run(&s);
	endwin();
	delscreen(screen);
	shim_trace_close(s.trace);
	view->filter = NULL;
	return 0;
}
