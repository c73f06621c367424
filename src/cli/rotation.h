/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of a recording in several files. Those of run.iolat are run-000001.iolat, run-000002.iolat, ...: numbers go
 * up, also from run to run, so that a shell's pattern has the files in their order. Nothing but the names is kept anywhere.
 */
#ifndef IOLAT_CLI_ROTATION_H
#define IOLAT_CLI_ROTATION_H

/* The path behind the newest of them, to be freed. Of those that are there only the `keep` newest stay. NULL, errno set:
 * the folder cannot be read, no memory. */
char *rotation_next(const char *path, unsigned int keep);

#endif
