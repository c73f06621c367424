/* SPDX-License-Identifier: GPL-2.0 */
/* A file as bytes inside the program, taken from disk by the assembler. */
#ifndef IOLAT_BASE_EMBED_H
#define IOLAT_BASE_EMBED_H

/* Defines `name` and `name_end`, the file's first byte and the one behind its last. `path` is a
 * literal, seen from the folder that the compiler runs in; make has to be told of the dependency.
 * Hidden, as arm64's linker mixes local symbols up that are reached by the global offset table. */
#define EMBED(name, path)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".balign 16\n" #name ":\n"                                                         \
		".incbin \"" path "\"\n" #name "_end:\n"                                           \
		".previous\n");                                                                    \
	extern __attribute__((visibility("hidden"))) const char name[], name##_end[]

#endif
