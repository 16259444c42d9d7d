/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/coverage_table.h"

#include <math.h>

#include "base/json.h"
#include "reports/table/table_machine.h"
#include "reports/table/table_terminal.h"

/* Counts of rows: the key of programs, and what people read behind the number. */
static const struct {
    const char *key, *words;
    size_t offset;
} counts[] = {
#define MEMBER(member) offsetof(spot_job_counts_t, member)
    {"rows_read", NULL, MEMBER(read)},
    {"rows_kept", NULL, MEMBER(kept)},
    {"without_gpus", "without GPUs", MEMBER(without_gpus)},
    {"unknown_vc", "of VCs that the cluster has not", MEMBER(unknown_vc)},
    {"dropped_vc", "of VCs that are dropped", MEMBER(dropped_vc)},
    {"outside", "outside the window", MEMBER(outside)},
    {"too_short", "below 1 s", MEMBER(too_short)},
    {"unsorted", NULL, MEMBER(unsorted)},
#undef MEMBER
};

enum { NUM_COUNTS = sizeof(counts) / sizeof(counts[0]) };

typedef enum { FORM_TEXT, FORM_CSV, FORM_JSON } form_t;

static int64_t count_of(const spot_coverage_t *self, size_t count_id)
{
    const char *members = (const char *) self->counts;

    return *(const int64_t *) (const void *) (members + counts[count_id].offset);
}

/* What is not known is empty. */
static void add_count(spot_table_t *table, int64_t count, bool is_known)
{
    if (is_known) {
        spot_table_add_count(table, count);
    } else {
        spot_table_add_empty(table);
    }
}

static void fill(const spot_coverage_t *self, spot_table_t *table, form_t form)
{
    const bool is_machine = form != FORM_TEXT;
    const bool has_nodes = self->rows[self->num_rows - 1].num_nodes > 0;
    const bool has_users = self->rows[self->num_rows - 1].num_users > 0;
    const spot_table_column_t columns[] = {
        {.name = is_machine ? "vc" : "VC", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "nodes"},
        {.name = is_machine ? "gpus" : "GPUs"},
        {.name = "jobs"},
        {.name = "users"},
        {.name = "load", .is_fixed = true, .num_decimals = 3},
        {.name = is_machine ? "largest_gpus" : "largest", .unit = is_machine ? NULL : "GPUs"},
        {.name = is_machine ? "longest_s" : "longest", .unit = is_machine ? NULL : "s"},
    };

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < NUM_COUNTS && form == FORM_CSV; j++) {
        spot_table_add_column(table, (spot_table_column_t){.name = counts[j].key});
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_job_coverage_t *row = &self->rows[j];

        spot_table_add_row(table);
        spot_table_add_text(table, row->vc);
        add_count(table, row->num_nodes, has_nodes);
        add_count(table, row->num_gpus, has_nodes);
        spot_table_add_count(table, row->num_jobs);
        add_count(table, row->num_users, has_users);
        if (isnan(row->load)) {
            spot_table_add_empty(table);
        } else {
            spot_table_add_number(table, row->load);
        }
        add_count(table, row->most_gpus, row->num_jobs > 0);
        add_count(table, row->longest_s, row->num_jobs > 0);
    }
    for (size_t j = 0; j < NUM_COUNTS && form == FORM_CSV; j++) {
        spot_table_add_count(table, count_of(self, j)); /* of all, the last row */
    }
}

/* Writes how many rows were read, and why others than those that are kept were dropped:
 * the short ones only if they are needed for the sum. */
static void write_caption(const spot_coverage_t *self, FILE *out)
{
    int64_t num_left = self->counts->read - self->counts->kept;
    const char *before = ":";

    fprintf(out, "%lld rows read, %lld kept", (long long) self->counts->read,
        (long long) self->counts->kept);
    for (size_t j = 0; j < NUM_COUNTS; j++) {
        const int64_t count = count_of(self, j);

        if (counts[j].words != NULL && count > 0 && num_left > 0) {
            fprintf(out, "%s %lld %s", before, (long long) count, counts[j].words);
            num_left -= count;
            before = ",";
        }
    }
}

int spot_coverage_write_text(
    const spot_coverage_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    FILE *caption = spot_table_begin_text(&table);
    int ret;

    if (caption != NULL) {
        write_caption(self, caption);
    }
    spot_table_end_caption(&table, caption);
    fill(self, &table, FORM_TEXT);
    if (isnan(self->rows[self->num_rows - 1].load)) {
        spot_table_add_note(&table, "",
            "The load, GPU time asked for per GPU and second, needs the nodes of the "
            "VCs: --vcs.");
    }
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

int spot_coverage_write_csv(const spot_coverage_t *self, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    int ret;

    fill(self, &table, FORM_CSV);
    ret = spot_table_write_csv(&table, out);
    spot_table_free(&table);
    return ret;
}

int spot_coverage_write_json(const spot_coverage_t *self, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    spot_json_t json;
    int ret;

    fill(self, &table, FORM_JSON);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_open(&json, "rows", '{');
    for (size_t j = 0; j < NUM_COUNTS; j++) {
        spot_json_integer(&json, counts[j].key, count_of(self, j));
    }
    spot_json_close(&json, '}');
    spot_json_open(&json, "vcs", '[');
    ret = spot_table_write_json(&table, &json);
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fputc('\n', out);
    spot_table_free(&table);
    return ret;
}
