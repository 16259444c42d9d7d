/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/plain_scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Room for a number in a name, in place of the field. */
#define ITEM_BYTES 20

/* How many metrics the one of the table stands for in a bound scenario. */
static int64_t num_items(
    const spot_metric_t *metric, const spot_field_t *fields, const void *scenario)
{
    const char *key = strchr(metric->name, '{');
    const spot_field_t *field = spot_field_first(fields);
    int64_t number;

    if (key == NULL) {
        return 1;
    }
    key++;
    for (; field != NULL; field = spot_field_next(field)) {
        const size_t length = strlen(field->name);

        if (strncmp(field->name, key, length) == 0 && key[length] == '}') {
            spot_bug_assert(field->type == SPOT_FIELD_INTEGER);
            memcpy(&number, (const char *) scenario + field->offset, sizeof(number));
            return number;
        }
    }
    spot_bug_assert(false); /* the name of a metric has a key that is none */
    return 0;
}

/* Writes the metrics for which the one of the table stands; *name is moved behind their
 * names. */
static void put_items(const spot_metric_t *metric, int64_t num, spot_metric_t *metrics, char **name)
{
    const size_t head_bytes = strcspn(metric->name, "{");
    const size_t name_bytes = strlen(metric->name) + ITEM_BYTES;
    const char *tail = strchr(metric->name, '}');

    for (int64_t j = 0; j < num; j++) {
        metrics[j] = *metric;
        if (tail != NULL) {
            metrics[j].name = *name;
            *name += 1 + snprintf(*name, name_bytes, "%.*s%" PRId64 "%s", (int) head_bytes,
                             metric->name, j, tail + 1);
        }
    }
}

/* Gives a bound scenario metrics of its own, behind its struct. */
static int make_metrics(void **scenario, size_t num_bytes, const spot_field_t *fields)
{
    const spot_outputs_t table = *(const spot_outputs_t *) *scenario;
    size_t num_metrics = 0, names_bytes = 0;
    spot_outputs_t *outputs;
    spot_metric_t *metrics;
    char *name;

    for (size_t j = 0; j < table.num_metrics; j++) {
        const size_t num = (size_t) num_items(&table.metrics[j], fields, *scenario);

        num_metrics += num;
        names_bytes += num * (strlen(table.metrics[j].name) + ITEM_BYTES);
    }
    outputs = realloc(*scenario, num_bytes + num_metrics * sizeof(*metrics) + names_bytes);
    if (outputs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    *scenario = outputs;
    metrics = (void *) ((char *) outputs + num_bytes);
    name = (char *) (metrics + num_metrics);
    outputs->num_metrics = num_metrics;
    outputs->metrics = metrics;
    for (size_t j = 0; j < table.num_metrics; j++) {
        const int64_t num = num_items(&table.metrics[j], fields, outputs);

        put_items(&table.metrics[j], num, metrics, &name);
        metrics += num;
    }
    return 0;
}

int spot_plain_bind(void **scenario, size_t num_bytes, const spot_field_t *fields,
    const spot_outputs_t *outputs, const spot_node_t *root, spot_diag_t *diag)
{
    int ret;

    *scenario = spot_calloc(1, num_bytes);
    if (*scenario == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(*scenario, outputs, sizeof(*outputs));
    ret = spot_bind_document(fields, root, diag, *scenario);
    return ret == 0 ? make_metrics(scenario, num_bytes, fields) : ret;
}

const spot_outputs_t *spot_plain_outputs(const void *scenario)
{
    return scenario;
}
