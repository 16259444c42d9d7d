/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of command lines in shells, whose scripts are in cli/completion/. */
#pragma once

/* words: [num_words] behind "spotsim", at least one, the last one as far as it is typed.
 * bash splits "--NAME=VALUE" into three words. Prints what the last one may be, a line
 * each, behind a tab what that is; or ":files", with the endings that count, or
 * ":folders". */
void spot_complete(int num_words, char *const *words);
