/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/csv_field.h"
#include "traces/compare/comparison.h"

void
spot_comparison_csv_write(const spot_comparison_t *self, FILE *out)
{
    fputs("trace,model,replicates", out);
    for (int j = 0; j < 2 * SPOT_FIDELITY_NUM_METRICS; j++) {
        const bool is_sd = j >= SPOT_FIDELITY_NUM_METRICS;

        fprintf(out, ",%s%s", is_sd ? "sd_" : "",
            spot_fidelity_metrics[j % SPOT_FIDELITY_NUM_METRICS].name);
    }
    fputc('\n', out);
    for (size_t j = 0; j < self->num_columns; j++) {
        const spot_comparison_column_t *column = &self->columns[j];

        /* Neither the name of a trace nor a label has a comma or a quote. */
        fprintf(
            out, "%s,%s,%" PRId64, self->name, column->label, column->num_replications);
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->means[k]);
        }
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->sds[k]);
        }
        fputc('\n', out);
    }
}
