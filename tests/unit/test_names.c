// SPDX-License-Identifier: GPL-2.0
/* Names from files: the small host below tests/fixtures/cgroups/root, and files that lie. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "collect/name_parse.h"
#include "collect/names.h"

#define FIXTURES "tests/fixtures/cgroups/"

static char *field(char **line)
{
	char *f = strsep(line, "\t\n");

	return f ? f : (char *)"";
}

static void test_fixture_names(void **state)
{
	AUTO_FILE FILE *f = fopen(FIXTURES "names.tsv", "re");
	AUTO_FREE char *line = NULL;
	struct names_host host = {.pids = false};
	size_t size = 0, n = 0;

	assert_non_null(f);
	assert_int_equal(hostfs_open(&host.fs, FIXTURES "root"), 0);
	assert_true(getline(&line, &size, f) > 0);
	for (; getline(&line, &size, f) > 0; n++) {
		char *at = line, *path = field(&at), *id = field(&at), *runtime = field(&at);
		char *name = field(&at), *image = field(&at);
		struct cgpath c;
		struct names got;

		assert_true(names_resolve(&host, path, 0, &c, &got));
		if (strcmp(c.runtime, runtime) || strcmp(got.name, name) || strcmp(got.image, image))
			fail_msg("%s: %s '%s' '%s' from %s", path, c.runtime, got.name, got.image, got.source);
		if (*id)
			assert_string_equal(got.id[0] ? got.id : c.id, id);
	}
	assert_int_equal(n, 17);
	hostfs_close(&host.fs);
}

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_UID "01234567-89ab-cdef-0123-456789abcdef"

/* --- a host in a scratch folder ----------------------------------------------------- */

struct scratch {
	char dir[64];
	struct names_host host;
	struct cgpath what;
	struct names got;
};

static int set_up(void **state)
{
	struct scratch *s = test_calloc(1, sizeof(*s));

	snprintf(s->dir, sizeof(s->dir), "/tmp/iolat-names-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	assert_int_equal(hostfs_open(&s->host.fs, s->dir), 0);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scratch *s = *state;
	char command[128];

	hostfs_close(&s->host.fs);
	snprintf(command, sizeof(command), "rm -rf %s", s->dir);
	assert_int_equal(system(command), 0);
	test_free(s);
	return 0;
}

/* A path below the scratch host, with the folders above it made. */
static const char *place(const struct scratch *s, const char *path, char full[1024])
{
	snprintf(full, 1024, "%s%s", s->dir, path);
	for (char *at = full + strlen(s->dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	return full;
}

static void put(const struct scratch *s, const char *path, const void *text, size_t len)
{
	char full[1024];
	AUTO_FILE FILE *f = fopen(place(s, path, full), "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
}

static void put_text(const struct scratch *s, const char *path, const char *text)
{
	put(s, path, text, strlen(text));
}

static void resolve(struct scratch *s, const char *path)
{
	names_resolve(&s->host, path, 0, &s->what, &s->got);
}

#define expect_name(s, path, want)                                                                 \
	do {                                                                                       \
		resolve(s, path);                                                                  \
		assert_string_equal((s)->got.name, want);                                          \
	} while (0)

static void test_existence(void **state)
{
	struct scratch *s = *state;
	struct hostfs root;
	char path[1200];

	put_text(s, "/a/b", "x");
	assert_true(hostfs_exists(&s->host.fs, "/a/b") && !hostfs_exists(&s->host.fs, "/a/c"));
	assert_int_equal(hostfs_open(&root, "/"), 0);
	snprintf(path, sizeof(path), "/proc/%d/root%s/a/b", (int)getpid(), s->dir);
	assert_true(hostfs_exists(&root, path));
	path[strlen(path) - 1] = 'c';
	assert_false(hostfs_exists(&root, path) || hostfs_exists(&root, "/proc/4194304/root/tmp"));
	assert_false(hostfs_same_root(&root, &s->host.fs));
	hostfs_close(&root);
}

/* --- Docker ------------------------------------------------------------------------- */

#define DOCKER_FILE "/var/lib/docker/containers/" H64 "/config.v2.json"

static void test_docker_must_be_about_the_id(void **state)
{
	static const char *const lies[] = {
		"", "{", "[]", "null", "\"ID\"", "{\"ID\":\"" H64 "\"", "{\"ID\":7,\"Name\":\"/x\"}",
		"{\"ID\":\"" H64 "0\",\"Name\":\"/x\"}", "{\"Name\":\"/x\"}",
		"{\"ID\":\"" H64 "\",\"Name\":[\"/x\"]}",
		"{\"Config\":{\"ID\":\"" H64 "\"},\"Name\":\"/x\"}"};
	struct scratch *s = *state;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		put_text(s, DOCKER_FILE, lies[i]);
		expect_name(s, "/docker/" H64, "");
		assert_string_equal(s->got.source, "");
	}
	put_text(s, DOCKER_FILE, "{\"ID\":\"" H64 "\",\"Name\":\"/x\\u001b[31m\\n\"}");
	expect_name(s, "/docker/" H64, "x\x1b[31m\n"); /* renderers clean it */
	assert_string_equal(s->got.source, DOCKER_FILE);
}

static void test_files_are_not_followed_and_not_too_large(void **state)
{
	struct scratch *s = *state;
	char full[1024], *large = calloc(1, HOSTFS_FILE + 2);
	const char *good = "{\"ID\":\"" H64 "\",\"Name\":\"/x\"}";

	assert_non_null(large);
	put_text(s, "/other", good);
	place(s, DOCKER_FILE, full);
	assert_int_equal(symlink("/other", full), 0);
	expect_name(s, "/docker/" H64, "");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(mkfifo(full, 0600), 0); /* nobody writes: it must not wait */
	expect_name(s, "/docker/" H64, "");
	assert_int_equal(unlink(full), 0);
	memset(large, ' ', HOSTFS_FILE + 1);
	memcpy(large, good, strlen(good));
	put(s, DOCKER_FILE, large, HOSTFS_FILE + 1);
	expect_name(s, "/docker/" H64, "");
	put(s, DOCKER_FILE, large, HOSTFS_FILE);
	expect_name(s, "/docker/" H64, "x");
	free(large);
}

/* Links inside of the way lead to where they lead on the host, not to here. */
static void test_links_stay_below_the_root(void **state)
{
	struct scratch *s = *state;
	char full[1024];

	put_text(s, "/mnt/disk/containers/" H64 "/config.v2.json", "{\"ID\":\"" H64 "\",\"Name\":\"/moved\"}");
	assert_int_equal(symlink("/mnt/disk", place(s, "/var/lib/docker", full)), 0);
	expect_name(s, "/docker/" H64, "moved");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("/../../../../../mnt/disk", full), 0);
	expect_name(s, "/docker/" H64, "moved");
}

static void test_docker_elsewhere(void **state)
{
	struct scratch *s = *state;

	put_text(s, "/etc/passwd", "root:x:0:0::/root:/bin/sh\nbroken\nml:x:1000:7::/home/ml:/bin/sh\n");
	put_text(s, "/home/ml/.local/share/docker/containers/" H64 "/config.v2.json",
		 "{\"ID\":\"" H64 "\",\"Name\":\"/rootless\"}");
	expect_name(s, "/docker/" H64, "");
	expect_name(s, "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" H64 ".scope", "rootless");
	put_text(s, "/proc/77/comm", "dockerd\n");
	put(s, "/proc/77/cmdline", "dockerd\0--data-root", 19); /* its argument is missing */
	expect_name(s, "/docker/" H64, "");
	/* An engine that is not in the path is known by its files. */
	put_text(s, "/var/lib/docker/containers/" H64 "/config.v2.json",
		 "{\"ID\":\"" H64 "\",\"Name\":\"/job\",\"Config\":{\"Image\":\"img\"}}");
	expect_name(s, "/actions_job/" H64, "job");
	assert_string_equal(s->what.runtime, "docker");
	assert_string_equal(s->what.label, "docker:0123456789ab");
	assert_string_equal(s->got.image, "img");
}

/* --- the others ------------------------------------------------------------------------ */

static void test_containerd(void **state)
{
	static const char state_dir[] = "/run/k3s/containerd/io.containerd.runtime.v2.task/";
	struct scratch *s = *state;
	char path[512];

	snprintf(path, sizeof(path), "%sk8s.io/" H64 "/config.json", state_dir);
	put_text(s, path, "{\"linux\":{\"cgroupsPath\":\"x:cri-containerd:" H64 "\"},\"annotations\":{"
			  "\"io.kubernetes.cri.sandbox-name\":\"p\",\"io.kubernetes.cri.sandbox-namespace\":\"n\","
			  "\"io.kubernetes.cri.container-name\":\"c\",\"io.kubernetes.cri.container-type\":\"container\"}}");
	expect_name(s, "/kubepods/pod" POD_UID "/" H64, "n/p/c");
	assert_string_equal(s->got.source, path);
	put_text(s, path, "{\"linux\":{\"cgroupsPath\":\"x:cri-containerd:1" H64 "\"},\"annotations\":{"
			  "\"io.kubernetes.cri.sandbox-name\":\"p\"}}");
	expect_name(s, "/kubepods/pod" POD_UID "/" H64, "");
	/* "/NAME/NAME" is containerd's only where containerd has it. */
	resolve(s, "/team/trainer");
	assert_string_equal(s->got.source, "");
	snprintf(path, sizeof(path), "%steam/trainer/config.json", state_dir);
	put_text(s, path, "{\"linux\":{\"cgroupsPath\":\"/team/trainer\"}}");
	expect_name(s, "/team/trainer", "team/trainer");
	assert_string_equal(s->got.source, path);
}

static void test_podman(void **state)
{
	struct scratch *s = *state;
	static const char path[] = "/machine.slice/libpod-" H64 ".scope/container";

	put_text(s, "/etc/containers/storage.conf", "# graphroot = \"/no\"\n[storage]\n  graphroot=\"/data/pods\" # here\n");
	put_text(s, "/data/pods/overlay-containers/volatile-containers.json",
		 "[7,{\"id\":\"x\",\"names\":[\"no\"]},{\"id\":\"" H64 "\",\"names\":[],\"metadata\":\"{\\\"name\\\":\\\"meta\\\"}\"}]");
	expect_name(s, path, "meta");
	put_text(s, "/data/pods/overlay-containers/containers.json",
		 "[{\"id\":\"" H64 "\",\"names\":[\"first\",\"second\"],\"metadata\":\"{half\"}]");
	expect_name(s, path, "first");
	assert_string_equal(s->got.image, "");
}

static void test_crio(void **state)
{
	struct scratch *s = *state;
	static const char path[] = "/kubepods.slice/kubepods-pod" POD_UID ".slice/crio-" H64 ".scope";
	static const char file[] = "/var/lib/containers/storage/overlay-containers/" H64 "/userdata/config.json";

	put_text(s, file, "{\"annotations\":{\"io.kubernetes.cri-o.ContainerID\":\"other\",\"io.kubernetes.pod.name\":\"p\"}}");
	expect_name(s, path, "");
	put_text(s, file, "{\"annotations\":{\"io.kubernetes.cri-o.ContainerID\":\"" H64 "\",\"io.kubernetes.pod.name\":\"p\","
			  "\"io.kubernetes.pod.namespace\":\"n\",\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}");
	expect_name(s, path, "n/p/[sandbox]");
}

static void test_log_names(void **state)
{
	struct names n = {.name = ""};
	char name[300];

	assert_true(name_parse_log("p-1_ns_c-x-" H64 ".log", H64, &n));
	assert_string_equal(n.name, "ns/p-1/c-x");
	assert_false(name_parse_log("p_ns_c-" H64 ".txt", H64, &n));
	assert_false(name_parse_log("p_ns_c-1" H64 ".log", H64, &n));
	assert_false(name_parse_log("p_ns-" H64 ".log", H64, &n));
	assert_false(name_parse_log("_ns_c-" H64 ".log", H64, &n));
	assert_false(name_parse_log(".log", H64, &n) || name_parse_log("", H64, &n) || name_parse_log("p_n_c-.log", "", &n));
	/* Cut at 251: what is left of the id has to do. */
	snprintf(name, sizeof(name), "p_ns_%0*d-%.20s.log", 225, 7, H64);
	assert_int_equal(strlen(name), 255);
	assert_true(name_parse_log(name, H64, &n));
	name[254] = 'x';
	assert_false(name_parse_log(name, H64, &n));
	assert_true(name_parse_pod("ns_p_" POD_UID, POD_UID, &n));
	assert_false(name_parse_pod("ns_p_" POD_UID "0", POD_UID, &n) || name_parse_pod("ns_" POD_UID, POD_UID, &n));
}

static void test_jobs_by_environment(void **state)
{
	static const char environment[] = "SECRET=hunter2\0SLURM_JOB_ID=12\0SLURM_JOB_SLUID=s9KERH7XQSNK70\0"
					  "SLURM_JOB_NAME=train\0NOMAD_ALLOC_ID=" POD_UID "\0NOMAD_TASK_NAME=t";
	struct scratch *s = *state;

	put(s, "/proc/4000000/environ", environment, sizeof(environment) - 1);
	expect_name(s, "/slurm/uid_0/job_12/step_0", "train");
	expect_name(s, "/slurm/uid_0/job_1/step_0", "");
	expect_name(s, "/system.slice/slurmstepd.scope/s9KERH7XQSNK70/step_0/user/task_0", "train");
	assert_string_equal(s->got.job, "12");
	expect_name(s, "/system.slice/slurmstepd.scope/s9KERH7XQSNK71/step_0", "");
	expect_name(s, "/nomad.slice/share.slice/" POD_UID ".t.scope", "--t-");
	expect_name(s, "/nomad.slice/share.slice/" POD_UID ".u.scope", "");
	assert_null(strstr(s->got.name, "hunter2"));
}

static void test_proxmox(void **state)
{
	struct scratch *s = *state;

	put_text(s, "/etc/pve/lxc/104.conf", "arch: amd64\nhostname: gpu\n");
	put_text(s, "/etc/pve/qemu-server/105.conf", "name: vm one\n");
	expect_name(s, "/lxc/104/ns/init.scope", "gpu");
	expect_name(s, "/lxc/plain", "plain");
	expect_name(s, "/qemu.slice/105.scope", "vm");
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture_names),
		SCRATCH_TEST(test_existence),
		SCRATCH_TEST(test_docker_must_be_about_the_id),
		SCRATCH_TEST(test_files_are_not_followed_and_not_too_large),
		SCRATCH_TEST(test_links_stay_below_the_root),
		SCRATCH_TEST(test_docker_elsewhere),
		SCRATCH_TEST(test_containerd),
		SCRATCH_TEST(test_podman),
		SCRATCH_TEST(test_crio),
		cmocka_unit_test(test_log_names),
		SCRATCH_TEST(test_jobs_by_environment),
		SCRATCH_TEST(test_proxmox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
