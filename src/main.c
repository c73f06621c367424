// SPDX-License-Identifier: GPL-2.0
/* Wiring only: from the command line to the command. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/diff.h"
#include "cli/doctor.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/serve.h"

/* What is opened later is not taken for standard output or error where the caller has closed those: writing to them
 * fails, as it would have. */
static void hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	static int (*const commands[COMMAND_MAX])(const struct options *o) = {
		[COMMAND_LIVE] = live_run,
		[COMMAND_RECORD] = live_run,
		[COMMAND_REPORT] = report_run,
		[COMMAND_DIFF] = diff_run,
		[COMMAND_SERVE] = serve_run,
		[COMMAND_DOCTOR] = doctor_run,
	};
	struct options o;
	int status;

	hold_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* a reader that has gone is told by the write */
	status = options_parse(&o, argc, argv);
	if (status >= 0)
		return status;
	status = commands[o.command](&o);
	options_free(&o);
	return status;
}
