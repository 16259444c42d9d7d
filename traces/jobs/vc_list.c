/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/vc_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table_file.h"

#define MAX_NODES 1000000

typedef struct {
    const char *name;
    int32_t num_nodes;
} vc_row_t;

enum { COLUMN_VC, COLUMN_NODES };

/* The published files have no name for the first column. */
static const spot_table_file_column_t columns[] = {
    SPOT_TABLE_COLUMN(TEXT, "vc", vc_row_t, name, .other_name = ""),
    SPOT_TABLE_COLUMN(COUNT, "nodes", vc_row_t, num_nodes, .max = MAX_NODES, .other_name = "num"),
};

int spot_vc_list_add(spot_vc_list_t *self, const char *name, int32_t num_nodes, size_t line)
{
    char *copy = spot_text_copy(name, strlen(name));
    const spot_vc_size_t vc = {copy, num_nodes, line};
    const int ret = copy == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self, vcs, vc);

    if (ret != 0) {
        free(copy);
    }
    return ret;
}

int32_t spot_vc_list_find(const spot_vc_list_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        if (strcmp(self->vcs[j].name, name) == 0) {
            return (int32_t) j;
        }
    }
    return -1;
}

/* A faulty name is not entered; a faulty number counts as 1 so that jobs of the VC are
 * no further errors. */
static int read_row(spot_vc_list_t *self, spot_table_file_t *file, bool may_be_empty)
{
    vc_row_t vc;
    int32_t other;

    if (!spot_table_file_take(file, &vc)) {
        vc.num_nodes = 1;
    } else if (vc.num_nodes == 0 && !may_be_empty) {
        spot_table_file_report_at(
            file, COLUMN_NODES, "nodes: VC '%s' has none: 0 needs a pool that adds nodes", vc.name);
    }
    if (vc.name[0] == '\0' || strlen(vc.name) > SPOT_VC_NAME_BYTES) {
        spot_table_file_report_field(
            file, &file->row, COLUMN_VC, "expected a name of up to 64 bytes");
        return 0;
    }
    other = spot_vc_list_find(self, vc.name);
    if (other >= 0) {
        spot_table_file_report_at(
            file, COLUMN_VC, "vc: '%s' is in line %zu too", vc.name, self->vcs[other].line);
        return 0;
    }
    return spot_vc_list_add(self, vc.name, vc.num_nodes, file->row.line);
}

int spot_vc_list_read(spot_vc_list_t *self, const char *path, bool may_be_empty, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .noun = "VC", .row_bytes = sizeof(vc_row_t)};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret = spot_table_file_open(&file);

    memset(self, 0, sizeof(*self));
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        ret = read_row(self, &file, may_be_empty);
    }
    return spot_table_file_close(&file, ret);
}

void spot_vc_list_free(spot_vc_list_t *self)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].name);
    }
    free(self->vcs);
    memset(self, 0, sizeof(*self));
}
