// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities from /proc/self/status and the lockdown state from securityfs, put into
 * words for load.c's errors and for doctor. A missing file means "not known", never a
 * failure.
 */
#include "collect/privilege.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct privilege_def defs[PRIVILEGE_MAX] = {
	[PRIVILEGE_BPF] = {"CAP_BPF", 39, true, "loading programs and maps"},
	[PRIVILEGE_PERFMON] = {"CAP_PERFMON", 38, true, "tracing programs"},
	[PRIVILEGE_READ] = {"CAP_DAC_READ_SEARCH", 2, false,
			    "cgroup paths by id, files of other users"},
	[PRIVILEGE_PTRACE] = {"CAP_SYS_PTRACE", 19, false,
			      "/proc/PID/root and environ of other users' processes"},
};

const struct privilege_def *privilege_def(enum privilege p)
{
	return &defs[p];
}

static uint64_t effective(void)
{
	char line[128];
	uint64_t caps = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps;
}

bool privilege_has(enum privilege p)
{
	uint64_t caps = effective();

	return caps >> defs[p].number & 1 || (defs[p].required && caps >> CAP_SYS_ADMIN & 1);
}

const char *privilege_missing(char *buf, size_t size)
{
	bool bpf = privilege_has(PRIVILEGE_BPF), perfmon = privilege_has(PRIVILEGE_PERFMON);
	const char *lockdown = privilege_lockdown();

	if (!bpf || !perfmon)
		snprintf(buf, size, "%s%s%s missing; run it with sudo", bpf ? "" : "CAP_BPF",
			 bpf || perfmon ? "" : " and ", perfmon ? "" : "CAP_PERFMON");
	else if (lockdown && !strcmp(lockdown, "confidentiality"))
		snprintf(buf, size, "kernel lockdown (confidentiality) forbids reading kernel "
				    "memory; boot with lockdown=integrity or none");
	else
		snprintf(buf, size, "refused by the kernel or a security module (SELinux, "
				    "AppArmor, seccomp, a container's profile)");
	return buf;
}

const char *privilege_lockdown(void)
{
	static const char *const states[] = {"none", "integrity", "confidentiality"};
	char line[128] = "", mark[32];
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (!f)
		return NULL;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		snprintf(mark, sizeof(mark), "[%s]", states[i]);
		if (strstr(line, mark))
			return states[i];
	}
	return NULL;
}

/* The process's own sets; capset(2)'s interface, so that no library is needed for two calls. */
static bool change(bool drop, bool on)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	const __u32 file_bits = 1u << CAP_DAC_READ_SEARCH | 1u << CAP_DAC_OVERRIDE;

	if (syscall(SYS_capget, &head, sets))
		return false;
	if (drop)
		memset(sets, 0, sizeof(sets));
	else if (on)
		sets[0].effective &= ~file_bits;
	else
		sets[0].effective |= sets[0].permitted & file_bits;
	return !syscall(SYS_capset, &head, sets);
}

void privilege_as_user(bool on)
{
	if (getuid())
		change(false, on);
}

void privilege_drop(void)
{
	if (getuid())
		change(true, false);
}
