/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forecast of the jobs and GPUs that will be submitted, by 10 minutes, from a CSV file
 * with the columns time,pred_gpu_job,pred_gpu_num. Row i is that of the clock time
 * start + 600 s * i; the printed times only have to be 600 s apart. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_FORECAST_STEP_S 600

typedef struct {
    size_t num_rows;
    size_t max_rows;
    struct spot_forecast_row {
        double num_jobs, num_gpus;
    } * rows; /* [num_rows] */
} spot_forecast_t;

/* BAD_INPUT with every reason in diag, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_forecast_read(spot_forecast_t *self, const char *path, spot_diag_t *diag);
void spot_forecast_free(spot_forecast_t *self);
