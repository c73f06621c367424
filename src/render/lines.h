/* SPDX-License-Identifier: GPL-2.0 */
/* Lines that are laid out in memory, as a terminal shows them. */
#ifndef IOLAT_RENDER_LINES_H
#define IOLAT_RENDER_LINES_H

#include <stdio.h>

/* Puts the lines of `text`, each ended by a newline, without blanks at their ends. Where `width` is not 0, they are cut
 * to that many columns; from the offset `sentences` on they go on in the next line instead, unless it is too narrow to
 * read. The text is changed. */
void lines_put(FILE *out, char *text, long sentences, int width);

#endif
