/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/vc_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/jobs/job_table.h"
#include "traces/jobs/key_table.h"

#define MAX_NODES 1000000

enum { COLUMN_VC, COLUMN_NODES, NUM_COLUMNS };

/* The published files have no name for the first column. */
static const spot_job_column_t columns[NUM_COLUMNS] = {
    {"vc", "", true},
    {"nodes", "num", true},
};

static const void *
name_of(const void *owner, size_t vc_id, size_t *num_bytes)
{
    const spot_vc_list_t *self = owner;

    *num_bytes = strlen(self->vcs[vc_id].name);
    return self->vcs[vc_id].name;
}

int
spot_vc_list_add(spot_vc_list_t *self, const char *name, int32_t num_nodes, size_t line)
{
    char *copy = spot_text_copy(name, strlen(name));
    const spot_vc_size_t vc = {copy, num_nodes, line};
    const int ret = copy == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self, vcs, vc);

    if (ret != 0) {
        free(copy);
    }
    return ret;
}

int32_t
spot_vc_list_find(const spot_vc_list_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        if (strcmp(self->vcs[j].name, name) == 0) {
            return (int32_t) j;
        }
    }
    return -1;
}

static void
read_nodes(spot_job_table_t *table, bool may_be_empty, int64_t *num_nodes)
{
    if (!spot_job_table_integer(table, COLUMN_NODES, 0, MAX_NODES, num_nodes)) {
        *num_nodes = 1;
    } else if (*num_nodes == 0 && !may_be_empty) {
        spot_job_table_report(table, COLUMN_NODES,
            "nodes: VC '%s' has none: 0 needs a pool that adds nodes",
            spot_job_table_field(table, COLUMN_VC));
    }
}

/* A faulty name is not entered; a faulty number counts as 1 so that jobs of the VC are
 * no further errors. */
static int
read_row(spot_vc_list_t *self, spot_key_table_t *names, spot_job_table_t *table,
    bool may_be_empty)
{
    const char *name = spot_job_table_field(table, COLUMN_VC);
    const size_t num_bytes = strlen(name);
    const int32_t other = spot_key_table_find(names, name_of, self, name, num_bytes);
    int64_t num_nodes = 0;
    int ret;

    read_nodes(table, may_be_empty, &num_nodes);
    if (num_bytes == 0 || num_bytes > SPOT_VC_NAME_BYTES) {
        spot_job_table_expected(table, COLUMN_VC, "a name of up to 64 bytes");
        return 0;
    }
    if (other >= 0) {
        spot_job_table_report(table, COLUMN_VC, "vc: '%s' is in line %zu too", name,
            self->vcs[other].line);
        return 0;
    }
    ret = spot_vc_list_add(self, name, (int32_t) num_nodes, table->row.line);
    return ret != 0 ? ret
                    : spot_key_table_enter(names, name, num_bytes, self->num_vcs - 1);
}

int
spot_vc_list_read(
    spot_vc_list_t *self, const char *path, bool may_be_empty, spot_diag_t *diag)
{
    spot_key_table_t names = {0};
    spot_job_table_t table;
    int ret =
        spot_job_table_open(&table, path, NULL, 0, columns, NUM_COLUMNS, false, diag);

    memset(self, 0, sizeof(*self));
    while (ret == 0 && (ret = spot_job_table_next(&table)) == 1) {
        ret = read_row(self, &names, &table, may_be_empty);
    }
    if (ret == 0 && self->num_vcs == 0 && !table.is_faulty) {
        ret = spot_diag_error(
            diag, table.file, table.row.line, 1, "expected at least one VC");
    }
    spot_key_table_free(&names);
    return spot_job_table_close(&table, ret);
}

void
spot_vc_list_free(spot_vc_list_t *self)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].name);
    }
    free(self->vcs);
    memset(self, 0, sizeof(*self));
}
