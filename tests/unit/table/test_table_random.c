/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random tables on terminals of random widths: no line is too wide, no cell is lost, and
 * each is in the line of its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/terminal.h"
#include "reports/table/document.h"

#define NUM_TABLES 3000
#define MAX_ROWS 6
#define MAX_COLUMNS 9

/* xorshift64 */
typedef struct {
    uint64_t state;
} dice_t;

static size_t throw_dice(dice_t *self, size_t num_sides)
{
    self->state ^= self->state << 13;
    self->state ^= self->state >> 7;
    self->state ^= self->state << 17;
    return (size_t) (self->state % num_sides);
}

static void add_random_column(spot_table_t *table, dice_t *dice, size_t num_keys)
{
    static const char *const parts[] = {
        "job", ".", "_", "checkpoint", "every", " ", "per_minute", "größe", "(s)"};
    static const char *const units[] = {"", "s", "USD/h", "samples/USD"};
    char name[128] = "n";

    for (size_t j = throw_dice(dice, 6); j > 0; j--) {
        strcat(name, parts[throw_dice(dice, sizeof(parts) / sizeof(parts[0]))]);
    }
    strcat(name, "x");
    spot_table_add_column(table, (spot_table_column_t){.name = name,
                                     .unit = units[throw_dice(dice, 4)],
                                     .kind = (spot_table_kind_t) throw_dice(dice, 3),
                                     .is_key = table->num_columns < num_keys});
}

/* Each cell says where it is: "r3c2 r3c2". */
static void add_random_cell(spot_table_t *table, dice_t *dice, size_t row_id, size_t column_id)
{
    char token[32], text[512] = "";

    snprintf(token, sizeof(token), "r%zuc%zu", row_id, column_id);
    if (table->columns[column_id].kind != SPOT_TABLE_NUMBER) {
        for (size_t j = throw_dice(dice, 12); j > 0; j--) {
            strcat(text, throw_dice(dice, 3) == 0 ? "a " : "preemption ");
        }
        strcat(text, token);
        spot_table_add_text(table, text);
        return;
    }
    switch (throw_dice(dice, 5)) {
        case 0:
            spot_table_add_count(table, (int64_t) throw_dice(dice, 1000000));
            break;
        case 1:
            spot_table_add_above(table, (double) throw_dice(dice, 100000));
            break;
        case 2:
            spot_table_add_number(table, (double) NAN);
            break;
        default:
            spot_table_add_estimate(
                table, (double) throw_dice(dice, 10000) / 7, (double) throw_dice(dice, 100) / 30);
            spot_table_add_marks(table, throw_dice(dice, 2) == 0 ? "*!" : "");
            break;
    }
    spot_table_set_remark(table, token);
}

static void fill_random(spot_table_t *table, dice_t *dice)
{
    const size_t num_columns = 1 + throw_dice(dice, MAX_COLUMNS);
    const size_t num_rows = throw_dice(dice, MAX_ROWS);
    const size_t num_keys = throw_dice(dice, 3);

    for (size_t j = 0; j < num_columns; j++) {
        add_random_column(table, dice, num_keys);
    }
    for (size_t j = 0; j < num_rows; j++) {
        spot_table_add_row(table);
        for (size_t k = 0; k < num_columns; k++) {
            if (k == (num_keys > 0 ? num_keys : 1) && throw_dice(dice, 8) == 0) {
                char rest[64];

                snprintf(rest, sizeof(rest), "cannot run: too few instances r%zuc%zu", j, k);
                spot_table_add_rest(table, rest);
                break;
            }
            add_random_cell(table, dice, j, k);
        }
    }
}

/* A line that is too wide is one word or one number. */
static void assert_fits(const char *line, size_t num_bytes, int width)
{
    const size_t indent = strspn(line, " ");

    if (spot_wrap_width(line, num_bytes) > width) {
        if (memchr(line + indent, ' ', num_bytes - indent) != NULL) {
            fail_msg("wider than %d: \"%.*s\"", width, (int) num_bytes, line);
        }
    }
}

/* How often each cell is there, in counts[rows][columns]; a line has cells of one row.
 */
static void count_cells(const char *text, int width, int counts[MAX_ROWS][MAX_COLUMNS])
{
    while (*text != '\0') {
        const size_t num_bytes = strcspn(text, "\n");
        long row_id = -1;

        assert_fits(text, num_bytes, width);
        assert_true(num_bytes == 0 || text[num_bytes - 1] != ' ');
        for (const char *place = text; place < text + num_bytes; place++) {
            char *end;

            if (*place == 'r' && place[1] >= '0' && place[1] <= '9') {
                const long row = strtol(place + 1, &end, 10);

                assert_int_equal(*end, 'c');
                assert_true(row_id < 0 || row_id == row);
                row_id = row;
                counts[row][strtol(end + 1, NULL, 10)]++;
            }
        }
        text += num_bytes + 1;
    }
}

static void assert_whole(const spot_table_t *table, const char *text, int width)
{
    const size_t num_keys = spot_table_num_keys(table);
    int counts[MAX_ROWS][MAX_COLUMNS] = {{0}};

    count_cells(text, width, counts);
    for (size_t j = 0; j < table->num_rows; j++) {
        for (size_t k = 0; k < table->num_columns; k++) {
            const bool is_there = spot_table_cell(table, j, k)->content != SPOT_TABLE_EMPTY;

            if (k < num_keys) {
                assert_true(counts[j][k] >= 1);
            } else {
                assert_int_equal(counts[j][k], is_there ? 1 : 0);
            }
        }
    }
}

static void test_random_tables(void **state)
{
    dice_t dice = {20261124};

    (void) state;
    for (int j = 0; j < NUM_TABLES; j++) {
        const spot_terminal_t terminal = {40 + (int) throw_dice(&dice, 161), false, true};
        spot_table_t table = {.name = "random"};
        char *text = NULL;
        size_t num_bytes;
        FILE *out = open_memstream(&text, &num_bytes);

        assert_non_null(out);
        fill_random(&table, &dice);
        assert_int_equal(spot_table_write_terminal(&table, &terminal, out), 0);
        assert_int_equal(fclose(out), 0);
        assert_whole(&table, text, terminal.width);
        free(text);
        spot_table_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_tables)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
