/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/advice.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml_write.h"

void
spot_alternatives_free(spot_alternatives_t *self)
{
    spot_texts_free(&self->texts);
    free(self->items);
    free(self->left_out);
    free(self->notes);
    memset(self, 0, sizeof(*self));
}

int
spot_advice_set(spot_yaml_t *scenario, spot_diag_t *diag, const char *format, ...)
{
    spot_texts_t texts = {.error = 0};
    const char *assignment;
    va_list values;
    int ret;

    va_start(values, format);
    assignment = spot_texts_vadd(&texts, format, values);
    va_end(values);
    ret = texts.error != 0
              ? texts.error
              : spot_yaml_assign(scenario, "the question", assignment, diag);
    spot_texts_free(&texts);
    return ret;
}

const char *
spot_advice_flow(spot_texts_t *texts, const spot_node_t *node)
{
    FILE *out = spot_texts_begin(texts);

    if (out != NULL) {
        spot_yaml_write_flow(node, out);
    }
    return spot_texts_end(texts, out);
}
