// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities from /proc/self/status and the lockdown state from securityfs, put into
 * words for load.c's errors and for doctor. A missing file means "not known", never a
 * failure.
 */
#include "collect/privilege.h"

#include <cap-ng.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/sysfs.h"

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
	char state[32];

	sysfs_chosen("/sys/kernel/security", "lockdown", state, sizeof(state));
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(state, states[i]))
			return states[i];
	return NULL;
}

void privilege_as_user(bool on)
{
	static const unsigned int for_files[] = {CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE};

	if (!getuid() || capng_get_caps_process())
		return;
	for (size_t i = 0; i < sizeof(for_files) / sizeof(for_files[0]); i++)
		if (capng_have_capability(CAPNG_PERMITTED, for_files[i]))
			capng_update(on ? CAPNG_DROP : CAPNG_ADD, CAPNG_EFFECTIVE, for_files[i]);
	capng_apply(CAPNG_SELECT_CAPS);
}
