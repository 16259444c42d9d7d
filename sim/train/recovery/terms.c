/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/terms.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool spot_terms_has(const spot_terms_t *self, const char *option)
{
    return spot_node_get(self->node, option) != NULL;
}

int64_t spot_terms_ms(const spot_terms_t *self, const char *option, int64_t given_ms,
    int64_t published_ms, int64_t otherwise_ms)
{
    return spot_terms_has(self, option) ? given_ms
           : self->is_published         ? published_ms
                                        : otherwise_ms;
}

double spot_terms_number(
    const spot_terms_t *self, const char *option, double given, double published, double otherwise)
{
    return spot_terms_has(self, option) ? given : self->is_published ? published : otherwise;
}

void spot_terms_lack(spot_terms_t *self, const char *format, ...)
{
    char *before = self->lacks, *need = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&need, &num_bytes);
    va_list arguments;

    self->num_lacks++;
    if (out == NULL) {
        self->bind->is_out_of_memory = true;
        return;
    }
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) != 0) {
        free(need);
        self->bind->is_out_of_memory = true;
        return;
    }
    spot_bind_error(self->bind, self->node, "recovery", "%s needs %s", self->system, need);
    out = open_memstream(&self->lacks, &num_bytes);
    if (out != NULL) {
        fprintf(out, "%s%s%s needs %s", before == NULL ? "" : before, before == NULL ? "" : "; ",
            self->system, need);
    }
    if (out == NULL || fclose(out) != 0) {
        self->bind->is_out_of_memory = true;
    }
    free(before);
    free(need);
}

bool spot_terms_can_copy(spot_terms_t *self, const char *what, const char *instead)
{
    const bool has_state = spot_model_state_bytes(&self->job->model) > 0;
    const bool has_network = self->job->network_bytes_per_s > 0;

    if (what != NULL && !(has_state && has_network)) {
        spot_terms_lack(self, "%s: give %s%s%s, or %s", what,
            has_state ? ""
                      : "job.model, e.g. {parameters: 1.5e9, layers: 50, "
                        "bytes_per_parameter: 16}",
            has_state || has_network ? "" : ", and ",
            has_network ? "" : "fleet.network, e.g. 10 Gbit/s", instead);
    }
    return has_state && has_network;
}

int64_t spot_terms_copy_ms(const spot_job_t *job, double share)
{
    return spot_transfer_ms(share * spot_model_state_bytes(&job->model), job->network_bytes_per_s);
}
