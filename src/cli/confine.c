// SPDX-License-Identifier: GPL-2.0
/* Capabilities by libcap-ng (capabilities(7)), system calls by libseccomp (seccomp(2)). */
#include "cli/confine.h"

#include <cap-ng.h>
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

/* --- capabilities ----------------------------------------------------------------- */

#define BIT(cap) (1ull << (cap))

/* What tracing takes to the end: map operations by descriptor (5.10 asks for CAP_BPF where unprivileged BPF is off) and
 * programs that are attached late, cgroups by handle, other users' /proc/PID. */
#define TO_TRACE (BIT(CAP_BPF) | BIT(CAP_PERFMON) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE))
/* Files of any user, in anybody's folder; made that user's. */
#define TO_WRITE (BIT(CAP_DAC_OVERRIDE) | BIT(CAP_CHOWN) | BIT(CAP_FOWNER))
/* The interrupt for a COMMAND of another user. */
#define TO_END BIT(CAP_KILL)

/* Of those that there are: an unprivileged user's iolat has what its file was given. Without the bounding set root would get
 * them all back with the next program that it starts; who may not change that set is not root (and libcap-ng tells the
 * system's log of each who tries). */
static void keep_capabilities(uint64_t wanted)
{
	capng_select_t what = CAPNG_SELECT_CAPS;
	uint64_t kept = 0;

	if (capng_get_caps_process())
		return;
	if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		what = CAPNG_SELECT_BOTH;
	for (unsigned int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (wanted & BIT(cap) && capng_have_capability(CAPNG_PERMITTED, cap))
			kept |= BIT(cap);
	capng_clear(what);
	for (unsigned int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (kept & BIT(cap))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET, cap);
	capng_apply(what);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void confine_tracer(bool serves)
{
	keep_capabilities(serves ? TO_TRACE : TO_TRACE | TO_WRITE | TO_END);
}

void confine_measurer(void)
{
	keep_capabilities(getuid() ? 0 : TO_WRITE);
}

/* --- system calls ------------------------------------------------------------------ */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Which system calls a sanitizer makes is not known. */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

static const char *const files_only[] = {
	/* files */
	"access", "chdir", "chmod", "chown", "close", "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64",
	"fallocate", "fchmod", "fchmodat", "fchown", "fchownat", "fcntl", "fdatasync", "fstat", "fstatfs", "fsync",
	"ftruncate", "getcwd", "getdents64", "lchown", "link", "linkat", "lseek", "lstat", "mkdir", "mkdirat",
	"newfstatat", "open", "openat", "openat2", "pread64", "pwrite64", "read", "readlink", "readlinkat", "readv",
	"rename", "renameat", "renameat2", "rmdir", "stat", "statfs", "statx", "sync_file_range", "umask", "unlink",
	"unlinkat", "utimensat", "write", "writev",
	/* a terminal's width, a closed pipe */
	"ioctl", "poll", "ppoll", "pselect6", "select",
	/* memory, time, signals, the end */
	"brk", "clock_getres", "clock_gettime", "clock_nanosleep", "exit", "exit_group", "futex", "getegid", "geteuid",
	"getgid", "getpid", "getrandom", "getrlimit", "getrusage", "gettid", "gettimeofday", "getuid", "madvise", "mmap",
	"mprotect", "mremap", "munmap", "nanosleep", "prlimit64", "restart_syscall", "rseq", "rt_sigaction",
	"rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield", "set_robust_list", "sigaltstack",
	"signalfd4", "sysinfo", "tgkill", "time", "uname",
};

static const char *const never_served[] = {
	/* other programs, and other processes */
	"execve", "execveat", "fork", "vfork", "kill", "tkill", "pidfd_send_signal", "process_vm_readv",
	"process_vm_writev", "ptrace", "kcmp", "pidfd_getfd",
	/* the machine */
	"acct", "add_key", "chroot", "clock_settime", "delete_module", "finit_module", "init_module", "ioperm", "iopl",
	"kexec_file_load", "kexec_load", "keyctl", "mount", "mount_setattr", "move_mount", "fsopen", "open_tree",
	"pivot_root", "quotactl", "reboot", "request_key", "setdomainname", "sethostname", "setns", "settimeofday",
	"swapoff", "swapon", "umount2", "unshare", "userfaultfd",
	/* other users' identities */
	"setfsgid", "setfsuid", "setgid", "setgroups", "setregid", "setresgid", "setresuid", "setreuid", "setuid",
};

/* A name that this architecture or libseccomp does not know needs no rule. */
static void add_rules(scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int call = seccomp_syscall_resolve_name(names[i]);

		if (call != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, action, call, 0);
	}
}

static void filter_calls(uint32_t otherwise, uint32_t action, const char *const *names, size_t n)
{
	scmp_filter_ctx filter = SANITIZED ? NULL : seccomp_init(otherwise);

	if (!filter)
		return;
	add_rules(filter, action, names, n);
	seccomp_load(filter);
	seccomp_release(filter);
}

void confine_reader(void)
{
	keep_capabilities(TO_WRITE);
	filter_calls(SCMP_ACT_ERRNO(ENOSYS), SCMP_ACT_ALLOW, files_only, ARRAY_SIZE(files_only));
}

void confine_server(void)
{
	filter_calls(SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM), never_served, ARRAY_SIZE(never_served));
}
