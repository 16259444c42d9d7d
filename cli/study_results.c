/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study_results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/report_terminal.h"
#include "reports/result_csv.h"
#include "reports/result_json.h"
#include "reports/result_table.h"
#include "reports/sensitivity_report.h"
#include "reports/study_pictures.h"

/* Whether the CSV goes to a file, not to standard output. */
static bool
is_csv_file(const spot_study_results_t *self)
{
    return self->csv_path != NULL && strcmp(self->csv_path, "-") != 0;
}

typedef int (*writer_t)(const spot_store_t *store, FILE *out);

static int
write_table_on(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_result_table_write(context, terminal, out);
}

static int
write_table(const spot_store_t *store, FILE *out)
{
    const spot_terminal_t terminal = spot_terminal_of_output(false);

    return spot_terminal_write(&terminal, write_table_on, store, out);
}

/* path NULL: standard output. */
static int
write_results(
    const spot_store_t *store, writer_t writer, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = writer(store, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

/* "FILE.csv.partial". NULL: no memory. */
static char *
partial_path(const spot_study_results_t *self)
{
    static const char suffix[] = ".partial";
    char *path = malloc(strlen(self->csv_path) + sizeof(suffix));

    if (path != NULL) {
        sprintf(path, "%s%s", self->csv_path, suffix);
    }
    return path;
}

/* What an interrupted study has so far, under another name than the whole would have. */
void
spot_study_results_keep_partial(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    char *path;

    if (!is_csv_file(self)) {
        return;
    }
    path = partial_path(self);
    if (path != NULL && write_results(store, spot_result_csv_write, path, diag) == 0) {
        fprintf(stderr, "what was done so far is in %s\n", path);
    }
    free(path);
}

/* Those of an earlier, interrupted run: the whole is there now. */
static void
remove_partial_results(const spot_study_results_t *self)
{
    char *path;

    if (is_csv_file(self)) {
        path = partial_path(self);
        if (path != NULL) {
            unlink(path);
        }
        free(path);
    }
}

static int
write_standard_output(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    const bool is_csv = self->csv_path != NULL && !is_csv_file(self);

    return write_results(store,
        is_csv          ? spot_result_csv_write
        : self->is_json ? spot_result_json_write
                        : write_table,
        NULL, diag);
}

static int
draw_pictures(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    spot_report_t report;
    int ret = spot_report_init(&report, store);

    if (ret == 0 && self->plot_path != NULL) {
        ret = spot_picture_curves_draw(&report, self->plot_path, diag);
    }
    if (ret == 0 && self->bars_path != NULL) {
        ret = spot_draw_file(spot_picture_ledger.declare, &report, SPOT_FORMAT_SVG,
            self->bars_path, diag);
    }
    spot_report_free(&report);
    return ret;
}

/* Files first: the reader of standard output may stop early. */
int
spot_study_results_write(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    int ret = 0, drawn = 0;

    if (is_csv_file(self)) {
        ret = write_results(store, spot_result_csv_write, self->csv_path, diag);
    }
    if (ret == 0 && self->sensitivity_path != NULL) {
        ret = write_results(
            store, spot_sensitivity_csv_write, self->sensitivity_path, diag);
    }
    if (ret == 0) {
        remove_partial_results(self);
    }
    if (ret == 0 && (self->plot_path != NULL || self->bars_path != NULL)) {
        drawn = draw_pictures(self, store, diag);
    }
    if (ret == 0) { /* also without a picture, which is no reason to lose the rest */
        ret = write_standard_output(self, store, diag);
    }
    return ret == 0 ? drawn : ret;
}
