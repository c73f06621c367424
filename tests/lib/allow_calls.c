// SPDX-License-Identifier: GPL-2.0
/*
 * allow_calls [-]CALL... -- PROGRAM [ARGS]: runs it with these system calls and no others, as systemd's SystemCallFilter= does. An
 * unknown one is left out; one behind a "-" is said not to be there; any other ends the program by SIGSYS.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int i;

	for (i = 1; filter && i < argc && strcmp(argv[i], "--"); i++) {
		bool taken = argv[i][0] == '-';
		int call = seccomp_syscall_resolve_name(argv[i] + taken);

		if (call != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, taken ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_ALLOW, call, 0);
	}
	if (!filter || i + 1 >= argc || seccomp_load(filter)) {
		fprintf(stderr, "allow_calls: cannot load the filter\n");
		return 1;
	}
	execv(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 1;
}
