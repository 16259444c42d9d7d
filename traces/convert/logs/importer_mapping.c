/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any CSV file with a row of columns and any JSON records, by mapping: --columns says
 * which column or member has what, --events what the words of the events mean. The keys
 * of --columns choose between events, lives and counts. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/number.h"
#include "traces/convert/logs/instance_log.h"

enum { TIME, EVENT, INSTANCE, COUNT, START, END, CAUSE, ZONE, TYPE, NUM_KEYS };
enum { IGNORE = SPOT_NUM_SAYS, UNLISTED, MAX_SHOWN = 30 };

static const char *const keys[] = {
    "time", "event", "instance", "count", "start", "end", "cause", "zone", "type", NULL};
static const char *const kinds[] = {
    "add", "preempt", "stop", "gone", "notice", "advice", "ignore", NULL};

/* A change of the fleet, or a number of instances. */
struct item {
    int64_t time_ms;
    spot_says_t says;
    int32_t count;
    size_t order;
};

/* What the times of a log are: a unit since 1970, or as they are given. */
enum { NUM_UNITS = 4, FROM_ZERO = NUM_UNITS, DATES };
static const char *const clocks[] = {"s", "ms", "us", "ns", "from 0", "dates"};

typedef struct {
    spot_import_t *import;
    spot_instance_log_t log;
    spot_texts_t texts;
    size_t input_id;
    spot_json_value_t row;         /* of CSV, as an object of num_bytes fields */
    spot_names_t names;            /* of the members of the first record */
    const char *columns[NUM_KEYS]; /* by key; NULL: not given */
    bool has[NUM_KEYS];            /* a record has it */
    bool is_refused;               /* a column is not there: nothing more is read */
    size_t num_rules, max_rules;
    struct rule {
        const char *word; /* with * and ? as in a shell */
        int says;         /* spot_says_t or IGNORE */
    } * rules;
    spot_names_t unlisted; /* words that no rule has */
    size_t num_found, max_found;
    int64_t *found;         /* [unlisted.num_names] how often */
    spot_log_place_t place; /* of the first of them */
    const char *clock;      /* of clocks; NULL: not known yet */
    size_t num_items, max_items;
    struct item *items; /* where instances have no names */
} state_t;

/* Lists the paths of members. */
static int name_members(state_t *self, const char *path, const spot_json_value_t *value)
{
    int32_t name_id;
    int ret = 0;

    for (; ret == 0 && value != NULL && value->key != NULL; value = value->next) {
        const char *name = spot_texts_add(&self->texts, "%s%s", path, value->key);

        ret = value->kind == SPOT_JSON_OPEN_OBJECT
                  ? name_members(self, spot_texts_add(&self->texts, "%s.", name), value->first)
              : name[0] != '\0' ? spot_names_add(&self->names, name, strlen(name), &name_id)
                                : 0;
    }
    return ret;
}

/* A list of texts, some with numbers. */
static const char *show(spot_texts_t *texts, const spot_names_t *set, const int64_t *numbers)
{
    const char *list = "";
    char shown[SPOT_CSV_SHOWN_BYTES];

    for (size_t j = 0; j < set->num_names && j < MAX_SHOWN; j++) {
        list = spot_texts_add(texts, numbers == NULL ? "%s%s%s" : "%s%s'%s' (%lld)", list,
            j == 0 ? "" : ", ", spot_csv_shown(set->names[j], shown),
            numbers == NULL ? 0 : (long long) numbers[j]);
    }
    return set->num_names > MAX_SHOWN ? spot_texts_add(texts, "%s, ...", list) : list;
}

/* Reports that there is no such column; without --columns, what they could be. */
static int refuse_column(state_t *self, const spot_json_value_t *record, int key)
{
    static const char *const guesses[] = {
        "*[Tt]ime*", "*[Ee]vent*", "*[Nn]ode*", "*[Ss]tamp*", "*[Rr]eason*", "*[Ii]nstance*"};
    const char *found[] = {"COLUMN", "COLUMN", "COLUMN"};
    const char *path = self->import->inputs[self->input_id].path;
    char problem[SPOT_NAME_PROBLEM_BYTES];

    self->is_refused = true;
    if (self->columns[key] != NULL) {
        return spot_diag_error(self->import->diag, path, record->line, record->column,
            "%s: %s; there are %s", keys[key],
            spot_name_problem(self->columns[key], "column", "",
                (const char *const *) self->names.names, self->names.num_names, problem),
            show(&self->texts, &self->names, NULL));
    }
    for (size_t j = 0; j < 6 * self->names.num_names; j++) {
        if (fnmatch(guesses[j % 6], self->names.names[j / 6], 0) == 0) {
            found[j % 3] = self->names.names[j / 6];
        }
    }
    return spot_diag_error(self->import->diag, path, 0, 0,
        self->names.num_names < 2
            ? "%s for any CSV or JSON lines"
            : "%s, such as --columns time=%s,event=%s,instance=%s; there are %s",
        self->import->task->format == NULL ? "the format is not recognised; " SPOT_CONVERT_EXPECTED
                                           : "expected --columns",
        found[0], found[1], found[2], show(&self->texts, &self->names, NULL));
}

/* ---- Options ---- */

static int find_text(const char *const *texts, const char *text)
{
    int j = 0;

    while (texts[j] != NULL && strcasecmp(texts[j], text) != 0) {
        j++;
    }
    return j;
}

/* Takes the items LEFT=RIGHT of --columns or --events. */
static int take_pairs(state_t *self, bool is_event, const char *text)
{
    char *item = text == NULL ? NULL : spot_arena_text(&self->texts.arena, text), *next;
    int ret = self->texts.arena.error;

    for (; ret == 0 && item != NULL; item = next) {
        char *sign = NULL;
        int id = NUM_KEYS;

        next = strchr(item, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        sign = is_event ? strrchr(item, '=') : strchr(item, '=');
        if (sign != NULL && sign != item && sign[1] != '\0') {
            *sign = '\0';
            id = is_event ? find_text(kinds, sign + 1) : find_text(keys, item);
        }
        if (is_event && id <= IGNORE) {
            ret = SPOT_ARRAY_APPEND(self, rules, (struct rule){item, id});
        } else if (!is_event && id < NUM_KEYS && self->columns[id] == NULL) {
            self->columns[id] = sign + 1;
        } else {
            ret = spot_diag_error(self->import->diag, is_event ? "--events" : "--columns", 0, 0,
                is_event ? "%s: expected WORD=KIND, a kind is add, preempt, stop, gone, "
                           "notice, advice or ignore"
                         : "%s: expected KEY=COLUMN, each key once of time, event, "
                           "instance, count, start, end, cause, zone and type",
                item);
        }
    }
    return ret;
}

/* Checks that the keys given are those of events, counts or lives. */
static int check_columns(state_t *self)
{
    static const char *const shapes[] = {"time event", "time event instance", "time event count",
        "time count", "start end", "instance start end", "start end cause",
        "instance start end cause", NULL};
    const spot_convert_t *task = self->import->task;
    const char *given = "";

    for (int j = 0; j < ZONE; j++) {
        given = spot_texts_join(&self->texts, given, " ", self->columns[j] == NULL ? "" : keys[j]);
    }
    if (shapes[find_text(shapes, given)] == NULL ||
        (self->columns[INSTANCE] == NULL && (task->only != NULL || task->notice_ms > 0))) {
        return spot_diag_error(self->import->diag, "--columns", 0, 0,
            "expected time,event[,instance or count], start,end[,instance][,cause] or "
            "time,count, and an instance for --only and --notice, got %s",
            given);
    }
    return 0;
}

/* ---- Values ---- */

static int expected(const state_t *self, const spot_json_value_t *cell, int key, const char *what)
{
    const spot_log_place_t place = spot_log_place(self->input_id, cell);

    return spot_instance_log_expected(&self->log, &place, keys[key], what, cell->text);
}

/* What a word says: as the rule that has it, else the first pattern that fits; without
 * --events, the kind that it is. "" says nothing. */
static int judge_word(state_t *self, const spot_json_value_t *cell, int *says)
{
    const char *word = cell->text;
    int32_t word_id;
    int ret;

    *says = *word == '\0'                        ? IGNORE
            : self->import->task->events == NULL ? find_text(kinds, word)
                                                 : UNLISTED;
    for (size_t j = 0; j < 2 * self->num_rules && *says == UNLISTED; j++) {
        const struct rule *rule = &self->rules[j % self->num_rules];

        if ((j < self->num_rules ? strcasecmp(rule->word, word) : fnmatch(rule->word, word, 0)) ==
            0) {
            *says = rule->says;
        }
    }
    if (*says != UNLISTED) {
        return 0;
    }
    ret = spot_names_add(&self->unlisted, word, strlen(word), &word_id);
    if (ret == 0 && (size_t) word_id == self->num_found) {
        ret = SPOT_ARRAY_APPEND(self, found, 0);
        self->place = word_id == 0 ? spot_log_place(self->input_id, cell) : self->place;
    }
    if (ret == 0) {
        self->found[word_id]++;
    }
    return ret;
}

/* Reads a time: with a date, a number in --unit, or one since 1970 whose unit its size
 * shows. All times of a log are alike. */
static int read_time(state_t *self, const spot_json_value_t *cell, int key, int64_t *time_ms)
{
    const double units_ms[] = {1e3, 1, 1e-3, 1e-6}, given_ms = (double) self->import->task->unit_ms;
    const double y2000_ms = 946684800e3, y2100_ms = 4102444800e3;
    const spot_log_place_t place = spot_log_place(self->input_id, cell);
    const char *clock = NULL;
    double value;

    if (spot_number_parse(cell->text, &value) != 0) {
        const int ret = spot_instance_log_time(&self->log, &place, keys[key], cell->text, time_ms);

        if (ret != 0) {
            return ret;
        }
        clock = clocks[DATES];
    }
    for (size_t j = 0; clock == NULL && j < NUM_UNITS; j++) {
        const double ms = value * (given_ms > 0 ? given_ms : units_ms[j]);

        if (ms >= (given_ms > 0 ? 0 : y2000_ms) && ms < y2100_ms) {
            clock = clocks[ms < y2000_ms ? FROM_ZERO : j];
            *time_ms = llround(ms);
        }
    }
    if (clock == NULL || (self->clock != NULL && self->clock != clock)) {
        return expected(self, cell, key,
            clock != NULL ? "a time like those before"
                          : "a time such as 2024-06-07T17:00:00Z, a number since 1970 "
                            "in s, ms, us or ns, or one from 0 in --unit");
    }
    self->clock = clock;
    return 0;
}

/* Adds what a record says of an instance, or of several without names. */
static int add(state_t *self, const spot_json_value_t *const *cells, int64_t time_ms, int says)
{
    const spot_log_place_t place = spot_log_place(self->input_id, cells[INSTANCE]);
    struct item item = {time_ms, (spot_says_t) says, 1, self->num_items};

    if (self->columns[INSTANCE] != NULL) {
        return spot_instance_log_add(&self->log, &place, time_ms, item.says, cells[INSTANCE]->text);
    }
    if (self->columns[COUNT] != NULL &&
        spot_import_count_parse(cells[COUNT]->text, &item.count) != 0) {
        return expected(self, cells[COUNT], COUNT, "an integer from 0");
    }
    return SPOT_ARRAY_APPEND(self, items, item);
}

/* Adds the end of a life, if it has one, and its start. */
static int take_life(state_t *self, const spot_json_value_t *const *cells)
{
    const bool is_over = *cells[END]->text != '\0';
    int64_t start_ms = 0, end_ms = INT64_MAX;
    int says = SPOT_SAYS_GONE;
    int ret = read_time(self, cells[START], START, &start_ms);

    ret = ret == 0 && is_over ? read_time(self, cells[END], END, &end_ms) : ret;
    if (ret == 0 && is_over && *cells[CAUSE]->text != '\0') {
        ret = judge_word(self, cells[CAUSE], &says);
    }
    if (ret == 0 && end_ms < start_ms) {
        ret = expected(self, cells[END], END, "a time after the start");
    } else if (ret == 0 &&
               (says < SPOT_SAYS_PREEMPTED || (says > SPOT_SAYS_GONE && says < IGNORE))) {
        ret =
            expected(self, cells[CAUSE], CAUSE, "a word that means preempt, stop, gone or ignore");
    }
    if (ret != 0 || says >= IGNORE || end_ms == start_ms) {
        self->log.num_other += ret == 0 && says == IGNORE;
        self->import->num_lifeless += ret == 0 && says < IGNORE;
        return ret;
    }
    ret = is_over ? add(self, cells, end_ms, says) : 0;
    return ret == 0 ? add(self, cells, start_ms, SPOT_SAYS_RUNS) : ret;
}

static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t none = {
        .kind = SPOT_JSON_TEXT, .text = "", .line = record->line, .column = record->column};
    const spot_json_value_t *cells[NUM_KEYS];
    int says = SPOT_SAYS_RUNS;
    int64_t time_ms = 0;
    int ret = self->names.num_names == 0 ? name_members(self, "", record->first) : 0;

    if (ret != 0 || self->is_refused || self->import->task->columns == NULL) {
        return ret != 0 || self->is_refused ? ret : refuse_column(self, record, TIME);
    }
    for (int j = 0; j < NUM_KEYS && ret == 0; j++) {
        const char *path = self->columns[j];
        const spot_json_value_t *cell = path == NULL ? NULL : spot_json_member(record, path);

        cell = cell == NULL && path != NULL ? spot_json_at(record, path) : cell;
        self->has[j] |= cell != NULL;
        cells[j] = cell == NULL || (cell->kind == SPOT_JSON_WORD && strcmp(cell->text, "null") == 0)
                       ? &none
                       : cell;
        if (cells[j]->kind < SPOT_JSON_TEXT) {
            ret = expected(self, cell, j, "one value");
        }
    }
    if (ret == 0 && self->columns[EVENT] != NULL) {
        ret = judge_word(self, cells[EVENT], &says);
    }
    if (ret != 0 || says >= IGNORE) {
        self->log.num_other += ret == 0 && says == IGNORE;
        return ret;
    }
    for (int j = 0; j < NUM_KEYS; j++) {
        if (!self->has[j] && self->columns[j] != NULL &&
            (j == TIME || j == INSTANCE || j == START)) {
            return refuse_column(self, record, j);
        }
    }
    spot_instance_log_label(&self->log, SPOT_LABEL_ZONE, cells[ZONE]->text);
    spot_instance_log_label(&self->log, SPOT_LABEL_TYPE, cells[TYPE]->text);
    if (self->columns[START] != NULL) {
        return take_life(self, cells);
    }
    ret = read_time(self, cells[TIME], TIME, &time_ms);
    return ret == 0 ? add(self, cells, time_ms, says) : ret;
}

/* ---- The log ---- */

/* Hands a row of CSV on as an object. */
static int take_row(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    spot_json_value_t *value = self->row.first;
    const char *wrong = spot_csv_wrong_separator(row->text);
    const bool is_head = value == NULL;

    if (is_head && !self->is_refused && wrong != NULL) {
        self->is_refused = true;
        return spot_diag_error(self->import->diag, self->import->inputs[self->input_id].path,
            row->line, 1, "expected fields with commas between, got %s", wrong);
    }
    if (is_head) {
        value = spot_arena_take(&self->texts.arena, row->num_fields, sizeof(*value));
        self->row.first = value;
        self->row.num_bytes = row->num_fields;
    } else if (spot_import_num_fields(self->import, self->input_id, row, self->row.num_bytes) !=
               0) {
        return SPOT_ERR_BAD_INPUT;
    }
    for (size_t j = 0; value != NULL && j < row->num_fields; j++, value++) {
        *value = (spot_json_value_t){.kind = SPOT_JSON_TEXT,
            .key = is_head ? spot_texts_add(&self->texts, "%s", row->fields[j]) : value->key,
            .text = row->fields[j],
            .line = row->line,
            .column = row->columns[j],
            .next = j + 1 < row->num_fields ? value + 1 : NULL};
    }
    self->row.line = row->line;
    self->row.column = 1;
    return is_head ? name_members(self, "", self->row.first) : take_record(self, &self->row);
}

static int read_records(state_t *self)
{
    const spot_json_value_t head = {.line = 1, .column = 1};
    int ret = 0;

    for (; ret == 0 && self->input_id < self->import->num_inputs; self->input_id++) {
        self->row.first = NULL;
        ret = spot_instance_log_read(
            &self->log, self->input_id, NULL, take_record, true, take_row, self);
    }
    self->input_id = 0;
    for (int j = 0; j < NUM_KEYS && ret == 0 && !self->is_refused; j++) {
        const bool is_missing = self->import->task->columns == NULL
                                    ? j == TIME
                                    : self->columns[j] != NULL && !self->has[j];

        ret = is_missing ? refuse_column(self, &head, j) : 0;
    }
    if (self->num_found > 0 && !self->is_refused) {
        const spot_log_place_t *at = &self->place;

        ret = spot_diag_error(self->import->diag, self->import->inputs[at->input_id].path, at->line,
            at->column, "--events does not list %s; expected WORD=KIND of each, or '*=ignore'",
            show(&self->texts, &self->unlisted, self->found));
    }
    return ret;
}

/* By time, losses before additions, in order. */
static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    const bool a_adds = a->says == SPOT_SAYS_RUNS, b_adds = b->says == SPOT_SAYS_RUNS;

    return a->time_ms != b->time_ms ? (a->time_ms > b->time_ms ? 1 : -1)
           : a_adds != b_adds       ? a_adds - b_adds
                                    : (a->order > b->order) - (a->order < b->order);
}

/* It says that instances may go, not that they do. */
static bool is_warning(const struct item *self)
{
    return self->says == SPOT_SAYS_NOTICE || self->says == SPOT_SAYS_ADVICE;
}

/* Gives instances numbers as names: the latest goes first, and the fewest that the
 * losses need run before the log. Of counts at one time the last one holds. */
static int name_items(state_t *self)
{
    const bool is_sample = self->columns[EVENT] == NULL && self->columns[START] == NULL;
    int64_t running = 0, before = 0;
    int ret;

    qsort(self->items, self->num_items, sizeof(*self->items), compare);
    for (size_t j = 0; j < self->num_items && !is_sample; j++) {
        const struct item *item = &self->items[j];

        running += item->says == SPOT_SAYS_RUNS ? item->count : is_warning(item) ? 0 : -item->count;
        before = running < -before ? -running : before;
    }
    self->log.size = before;
    for (size_t j = 0; j < self->num_items; j++) {
        const struct item *item = &self->items[j];
        const bool is_last = j + 1 == self->num_items || item[1].time_ms > item->time_ms;
        const int64_t size = is_sample          ? (is_last ? item->count : self->log.size)
                             : is_warning(item) ? self->log.size
                             : item->says == SPOT_SAYS_RUNS ? self->log.size + item->count
                                                            : self->log.size - item->count;

        self->log.num_notices += item->says == SPOT_SAYS_NOTICE ? item->count : 0;
        self->log.num_advised += item->says == SPOT_SAYS_ADVICE ? item->count : 0;
        ret = spot_instance_log_resize(
            &self->log, item->time_ms, size, is_sample ? SPOT_SAYS_GONE : item->says);
        if (ret != 0) {
            return ret;
        }
    }
    SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "without_names", before, "%s",
        is_sample ? "counts hide what comes and goes between two of them"
                  : "the log does not say how many instances ran before it: the fewest "
                    "that its losses need are assumed");
    return 0;
}

static int finish(state_t *self)
{
    spot_instance_log_t *log = &self->log;
    spot_import_t *import = self->import;
    int ret = self->num_items > 0 ? name_items(self) : 0;

    for (size_t j = 0; j < log->num_records && self->columns[START] != NULL; j++) {
        /* Lives of an instance end before they start at one time. */
        log->records[j].order |= log->records[j].says == SPOT_SAYS_RUNS ? 1U << 31 : 0;
    }
    if (self->clock == clocks[FROM_ZERO] && import->task->now != NULL) {
        return spot_diag_error(
            import->diag, spot_convert_until(import->task), 0, 0, "the times have no date");
    }
    log->has_starts = self->columns[EVENT] != NULL;
    ret = ret == 0 ? spot_instance_log_finish(log) : ret;
    for (size_t j = 0; j < import->report->num_remarks && self->columns[START]; j++) {
        if (strcmp(import->report->remarks[j].key, "repeated") == 0) {
            return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
                "lives of an instance overlap: %s", import->report->remarks[j].text);
        }
    }
    if (self->num_items > 0) {
        import->report->num_records = (int64_t) self->num_items + log->num_other;
    }
    if (ret == 0 && self->clock == clocks[FROM_ZERO]) {
        spot_import_key(import, "start", "unknown");
    } else if (ret == 0 && self->clock != clocks[DATES]) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_READ, "unit", 0,
            "the times are taken as %s since 1970", self->clock);
    }
    return ret;
}

static int read_mapping(spot_import_t *import)
{
    state_t self = {.import = import};
    int ret = spot_instance_log_init(&self.log, import);

    ret = ret == 0 ? take_pairs(&self, false, import->task->columns) : ret;
    ret = ret == 0 ? take_pairs(&self, true, import->task->events) : ret;
    ret = ret == 0 && import->task->columns != NULL ? check_columns(&self) : ret;
    ret = ret == 0 ? read_records(&self) : ret;
    ret = ret == 0 ? finish(&self) : ret;
    free(self.rules);
    free(self.found);
    free(self.items);
    spot_names_free(&self.unlisted);
    spot_names_free(&self.names);
    spot_texts_free(&self.texts);
    spot_instance_log_free(&self.log);
    return ret;
}

static bool sniff(const spot_convert_head_t *head)
{
    return head->task->columns != NULL;
}

const spot_importer_t spot_importer_mapping = {
    .name = "mapping",
    .doc = "any CSV with a row of columns and any JSON records, by --columns and "
           "--events: events, lives or counts",
    .source = "any log",
    .takes = SPOT_TAKES_LOG | SPOT_TAKES_MAPPING,
    .sniff = sniff,
    .read = read_mapping,
};
