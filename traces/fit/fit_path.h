/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of a trace as a model names it: paths in a model start at its folder. */
#pragma once

/* Relative if both files are below a common folder other than the root, so that this
 * folder can be moved; else absolute, also for a model on standard output (NULL or "-").
 * The caller frees it. NULL: no memory, or no such folder. */
char *spot_fit_path_from_model(const char *trace_path, const char *model_path);
