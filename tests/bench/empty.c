// SPDX-License-Identifier: GPL-2.0
/*
 * empty OBJECT: attaches the object's programs that this kernel takes, prints a line, and stays until it
 * is told to stop. tests/bench/bench.py measures what they cost.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

static int attach_all(struct bpf_object *obj)
{
	struct bpf_program *prog;
	int attached = 0;

	bpf_object__for_each_program(prog, obj)
		attached += bpf_program__attach(prog) != NULL;
	return attached;
}

int main(int argc, char **argv)
{
	struct bpf_object *obj = argc == 2 ? bpf_object__open_file(argv[1], NULL) : NULL;

	if (!obj || bpf_object__load(obj) || !attach_all(obj)) {
		fprintf(stderr, "empty: cannot load and attach the programs\n");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
