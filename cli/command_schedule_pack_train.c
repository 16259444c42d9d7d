/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_tables.h"
#include "models/colocation.h"

typedef struct {
    const char *table_path;
    const char *colocation_path;
    const char *labels_path;
    int64_t depth;
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.depth = 2};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a table of workloads", 0, "TABLE", table_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "colocation", 0, "FILE", colocation_path,
        "Find labels from this co-location table too, and learn them where TABLE has "
        "none",
        .endings = ".csv or .gz"),
    SPOT_OPTION(
        COUNT, "depth", 0, "N", depth, "Depth of the tree (default 2)", .max = SPOT_TREE_MAX_DEPTH),
    SPOT_OPTION(WRITTEN, "output", 'o', "LABELS.csv", labels_path,
        "Write the workloads with their labels; - is standard output, instead of the "
        "rules",
        .endings = ".csv"),
    SPOT_OPTION_JSON(target.is_json, "Print rules and accuracies as one JSON object"),
    SPOT_OPTION_END,
};

static void add_accuracy(spot_table_t *table, const char *name, size_t num_right, size_t num_labels)
{
    spot_table_add_row(table);
    spot_table_add_text(table, name);
    spot_table_add_count(table, (int64_t) num_right);
    spot_table_add_count(table, (int64_t) num_labels);
    spot_table_add_number(table, (double) num_right / (double) num_labels);
}

/* The rules that lead to the leaves, and how many labels they find. Returns the number
 * that all of them find. */
static size_t fill_rules(spot_table_t *table, const spot_packing_labels_t *labels)
{
    static const spot_table_column_t columns[] = {
        {.name = "rule", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "label"},
        {.name = "right"},
        {.name = "of"},
    };
    size_t num_right = 0;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < labels->tree.num_nodes; j++) {
        const spot_tree_node_t *node = &labels->tree.nodes[j];
        FILE *rule;

        if (node->feature_id >= 0) {
            continue;
        }
        spot_table_add_row(table);
        rule = spot_table_begin_text(table);
        if (rule != NULL) {
            spot_packing_rule_write(labels, j, rule);
        }
        spot_table_end_cell(table, rule);
        spot_table_add_count(table, node->label);
        spot_table_add_count(table, (int64_t) node->num_right);
        spot_table_add_count(table, (int64_t) node->num_rows);
        num_right += node->num_right;
    }
    return num_right;
}

static void fill_accuracy(
    spot_table_t *table, const spot_packing_labels_t *labels, size_t num_right, bool has_pairs)
{
    static const spot_table_column_t columns[] = {
        {.name = "labels", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "right"},
        {.name = "of"},
        {.name = "share", .is_fixed = true, .num_decimals = 3},
    };
    const bool is_given = labels->num_labels > 0;
    const size_t num_learned = is_given ? labels->num_labels : labels->num_workloads;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    add_accuracy(table, "of the tree", num_right, num_learned);
    add_accuracy(table, "left out, one by one", labels->num_left_out, num_learned);
    if (is_given && has_pairs) {
        add_accuracy(table, "from co-location", labels->num_automatic, num_learned);
    }
}

static void write_labels(const void *labels, FILE *out)
{
    spot_packing_labels_write(labels, out);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "rules"}, {.name = "accuracy"}};
    spot_packing_labels_t labels;
    int ret = spot_packing_labels_train(&labels, arguments->table_path, arguments->colocation_path,
        (int) arguments->depth, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        fill_accuracy(&tables[1], &labels, fill_rules(&tables[0], &labels),
            arguments->colocation_path != NULL);
        ret = spot_schedule_results(
            call, &arguments->target, arguments->labels_path, write_labels, &labels, 2, tables);
    }
    spot_packing_labels_free(&labels);
    return ret;
}

const spot_command_t spot_command_schedule_pack_train = {
    .name = "schedule pack-train",
    .arguments = "TABLE",
    .summary = "Learn which workloads can share GPUs: 0 tiny, 1 medium, 2 jumbo",
    .doc = "TABLE is a CSV file with the columns model, dataset, batchsize, amp, "
           "gpu_util, gmem_util, gmem and, optional, speed and label. A tree (CART, "
           "index of Gini) learns the labels from amp, gpu_util, gmem_util and gmem. "
           "The labels that are written as sharescore are those of the tree; of a "
           "workload with a label, those of a tree that was fitted to the others.\n\n"
           "With a co-location table the mean speed of a workload beside others gives a "
           "label too: 2 below 0.85 or without a measured pair, 1 below 0.95, else 0.",
    .examples = "  spotsim schedule pack-train workloads.csv --depth 2 -o labels.csv\n"
                "  spotsim schedule pack-train workloads.csv --colocation pairs.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
