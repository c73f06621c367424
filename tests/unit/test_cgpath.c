// SPDX-License-Identifier: GPL-2.0
/* Cgroup paths against tests/fixtures/cgroups, and kinds that stand in no row there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "attrib/cgpath.h"
#include "base/cleanup.h"

#define FIXTURES "tests/fixtures/cgroups/"

/* The next tab-separated field; the line is taken apart. */
static char *field(char **line)
{
	char *f = strsep(line, "\t\n");

	return f ? f : (char *)"";
}

static void expect(const char *path, const char *runtime, const char *id, const char *pod,
		   const char *job, const char *label)
{
	struct cgpath c;

	cgpath_parse(path, &c);
	if (strcmp(c.runtime, runtime) || strcmp(c.id, id) || strcmp(c.pod_uid, pod) ||
	    strcmp(c.job, job) || strcmp(c.label, label))
		fail_msg("%s\n gives %s id=%s pod=%s job=%s label=%s\n not   %s id=%s pod=%s job=%s label=%s",
			 path, c.runtime, c.id, c.pod_uid, c.job, c.label, runtime, id, pod, job,
			 label);
}

static void test_fixture_paths(void **state)
{
	AUTO_FILE FILE *f = fopen(FIXTURES "paths.tsv", "re");
	AUTO_FREE char *line = NULL;
	size_t size = 0, n = 0;

	assert_non_null(f);
	assert_true(getline(&line, &size, f) > 0);
	for (; getline(&line, &size, f) > 0; n++) {
		char *at = line, *path = field(&at), *runtime, *id, *pod, *job;

		field(&at);
		runtime = field(&at);
		id = field(&at);
		pod = field(&at);
		job = field(&at);
		expect(path, runtime, id, pod, job, field(&at));
	}
	assert_int_equal(n, 124);
}

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define I64 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "01234567-89ab-cdef-0123-456789abcdef"
#define UID_ "01234567_89ab_cdef_0123_456789abcdef"

/* Kinds that stand in no row of the fixtures. */
static void test_more_kinds(void **state)
{
	expect("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice:crio:" H64,
	       "k8s-crio", H64, UID, "", "k8s:01234567/0123456789ab");
	expect("/a/kubepods-pod" UID_ ".slice:runsc:" H64 "/x", "k8s-gvisor", H64, UID, "",
	       "k8s:01234567/0123456789ab");
	expect("/kube.slice/kube-kubepods.slice/kube-kubepods-besteffort-pod" UID_ ".slice", "k8s-pod", "", UID,
	       "", "k8s:01234567");
	expect("/system.slice:docker:" H64, "docker", H64, "", "", "docker:0123456789ab");
	expect("/machine.slice:libpod:" H64, "podman", H64, "", "", "podman:0123456789ab");
	expect("/k8s.io/" H64, "containerd", H64, "", "", "containerd:k8s.io/0123456789ab");
	expect("/user.slice/user-7.slice/user@7.service/user.slice/nerdctl-" H64 ".scope", "nerdctl", H64, "", "",
	       "nerdctl:0123456789ab");
	expect("/lxc/box/docker/" H64, "docker", H64, "", "", "docker:0123456789ab@lxc:box");
	expect("/docker/" H64 "/kubepods/pod" UID "/" I64 "/docker/" H64, "docker", H64, UID, "",
	       "docker:0123456789ab@k8s:01234567/fedcba987654@docker:0123456789ab");
	expect("/slurm_n1/uid_7/job_12", "slurm", "", "", "12", "slurm:12");
	expect("/system.slice/n1_slurmstepd.scope/s9KERH7XQSNK70/step_batch/slurm", "slurm-stepd", "", "",
	       "s9KERH7XQSNK70", "slurm:s9KERH7XQSNK70.batch");
	expect("/system.slice/n1_slurmstepd.scope/s9KERH7XQSNKU0/step_1", "systemd", "", "", "",
	       "scope:n1_slurmstepd"); /* a SLUID has no I, L, O and U */
	expect("/system.slice/n1_slurmstepd.scope/sABCDEFGH1234/step_1", "systemd", "", "", "",
	       "scope:n1_slurmstepd");
	expect("/nomad/" UID ".my.task", "nomad", "", "", UID, "nomad:01234567/my.task");
	expect("/user.slice/user-1000.slice/session-3.scope", "user", "", "", "", "user:1000/session-3");
	expect("/user.slice", "systemd", "", "", "", "slice:user");
	expect("/system.slice/a.service/b.slice", "systemd", "", "", "", "svc:a");
	expect("/system.slice/foo\\x2dbar.service", "systemd", "", "", "", "svc:foo-bar");
	expect("/_docker/" H64, "docker", H64, "", "", "docker:0123456789ab");
	expect("docker/" H64 " (deleted)", "docker", H64, "", "", "docker:0123456789ab");
	expect("//docker///" H64 "/", "docker", H64, "", "", "docker:0123456789ab");
	expect("/../../docker/" H64, "docker", H64, "", "", "docker:0123456789ab");
}

static void test_nothing_is_guessed(void **state)
{
	static const char *const unknown[] = {
		"/docker/0123456789ab", "/docker/" H64 "0", "/docker/x" H64, "/docker/web", "/lxc",
		"/docker-" H64, "/kubepodsx/y/pod" UID, "/pod" UID "/x/y", "/a/b/c", "/job_7", "/garden/x",
		"/a b/c", "/a/.b", "/a-/b", "/\xff\xfe/x", "/user/1000.user", "/ecs/" UID, "/a",
		"/system.slice2/x/y"};
	char want[512];

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		snprintf(want, sizeof(want), "cg:%s", unknown[i]);
		expect(unknown[i], "none", "", "", "", want);
	}
	expect("/system.slice/var-lib-docker-overlay2-" H64 "-merged.mount", "systemd", "", "", "",
	       "slice:system");
	expect("/system.slice/docker-" H64 "x.scope", "systemd", "", "", "", "scope:docker-" H64 "x");
}

static void test_details(void **state)
{
	struct cgpath c;

	cgpath_parse("/kubepods/pod" UID "/crio-conmon-" H64, &c);
	assert_true(c.helper && cgpath_is_helper(c.container) && !cgpath_is_helper("docker"));
	assert_int_equal(c.engine, ENGINE_CRIO);
	cgpath_parse("/docker/" H64 "/slurm/uid_0/job_9/step_2/task_1", &c);
	assert_string_equal(c.runtime, "slurm");
	assert_string_equal(c.container, "docker");
	assert_string_equal(c.id, H64);
	assert_string_equal(c.step, "2");
	assert_int_equal(c.job_engine, ENGINE_SLURM);
	cgpath_parse("/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" H64 ".scope", &c);
	assert_int_equal(c.uid, 1000);
	cgpath_parse("/user.slice/user-99999999999.slice", &c);
	assert_int_equal(c.uid, UINT32_MAX);
	cgpath_parse("/team/trainer", &c);
	assert_true(c.by_shape);
	assert_string_equal(c.name, "team/trainer");
	cgpath_parse("/machine.slice/machine-libpod_pod_" H64 ".slice", &c);
	assert_null(c.container); /* a pod of podman's is no container */
	cgpath_parse("/lxc.payload.box/init.scope", &c);
	assert_string_equal(c.name, "box");
}

static char *slurp(const char *path)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, 65535, f) > 0);
	return text;
}

static void test_fixture_tasks(void **state)
{
	AUTO_FILE FILE *f = fopen(FIXTURES "proc-cgroup/expected.tsv", "re");
	AUTO_FREE char *line = NULL;
	size_t size = 0, n = 0;

	assert_non_null(f);
	assert_true(getline(&line, &size, f) > 0);
	for (; getline(&line, &size, f) > 0; n++) {
		char *at = line, *file = field(&at), name[256], got[1024];
		AUTO_FREE char *text = NULL;

		snprintf(name, sizeof(name), FIXTURES "proc-cgroup/%s", file);
		text = slurp(name);
		field(&at);
		assert_true(cgpath_of_task(text, got, sizeof(got)));
		assert_string_equal(got, field(&at));
	}
	assert_int_equal(n, 8);
}

static void test_odd_task_files(void **state)
{
	char got[16];

	assert_false(cgpath_of_task("", got, sizeof(got)));
	assert_false(cgpath_of_task("\n:\n1:cpu\n", got, sizeof(got)));
	assert_false(cgpath_of_task("3:cpu,cpuacct:/a/b\n", got, sizeof(got)));
	assert_true(cgpath_of_task("3:net_cls,blkio:/a\n1:cpu:/a/b/c", got, sizeof(got)));
	assert_string_equal(got, "/a");
	assert_true(cgpath_of_task("0::/0123456789abcdefgh", got, sizeof(got)));
	assert_string_equal(got, "/0123456789abcd"); /* cut, but ended */
}

/* Whatever the bytes, the fields end and the label is there. */
static void test_hostile_paths(void **state)
{
	static const char *const words[] = {"docker", "/", "-", H64, ".scope", "kubepods", "pod" UID, "..",
					    "%I", "\\x2f", "\\x00", "\\xff", "_", "\xc3", ":", "slurm", " (deleted)",
					    "user-1.slice", "user.slice", "lxc.payload."};
	uint64_t random = 88172645463325252;
	char path[8192];

	for (int i = 0; i < 20000; i++) {
		struct cgpath c;

		path[0] = '\0';
		for (int n = 0; n < (i % 50) + 1; n++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			strcat(path, words[random % (sizeof(words) / sizeof(words[0]))]);
		}
		cgpath_parse(path, &c);
		assert_non_null(c.runtime);
		assert_true(c.label[0] && memchr(c.label, 0, sizeof(c.label)) && memchr(c.id, 0, sizeof(c.id)) &&
			    memchr(c.pod_uid, 0, sizeof(c.pod_uid)) && memchr(c.job, 0, sizeof(c.job)));
	}
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	expect(path, "host", "", "", "", "host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture_paths),
		cmocka_unit_test(test_more_kinds),
		cmocka_unit_test(test_nothing_is_guessed),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_fixture_tasks),
		cmocka_unit_test(test_odd_task_files),
		cmocka_unit_test(test_hostile_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
