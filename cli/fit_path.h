/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a model finds the trace it is of: paths in a model start at its folder. */
#ifndef SPOT_CLI_FIT_PATH_H
#define SPOT_CLI_FIT_PATH_H

/* Relative where both files are below a common folder other than the root, so that this
 * may be moved; else absolute, as for a model on standard output (NULL or "-"), of which
 * nobody knows where it goes. To be freed; NULL: no memory, or no such folder. */
char *spot_fit_path_from_model(const char *trace_path, const char *model_path);

#endif
