/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of SkyPilot's controllers of managed jobs, `sky jobs logs --controller ID`: lines
 * "I 09-12 22:49:49 controller.py:545] ...", maybe behind "(name, pid=1) ", with ms and
 * PID=n in newer releases. sky/jobs/controller.py, sky/jobs/state.py, sky_logging.py. */
#include <string.h>

#include "base/memory.h"
#include "traces/convert/logs/instance_log.h"

/* The begins of messages. A recovery alone says nothing of the cluster. */
static const struct {
    const char *text;
    spot_says_t says;
} rules[] = {{"Job started.", SPOT_SAYS_RUNS}, {"==== Recovered. ====", SPOT_SAYS_RUNS},
    {"Cluster is preempted or failed", SPOT_SAYS_GONE},
    {"Cluster is preempted", SPOT_SAYS_PREEMPTED}, {"Job succeeded.", SPOT_SAYS_STOPPED},
    {"Job cancelled.", SPOT_SAYS_STOPPED}};
enum { NUM_RULES = sizeof(rules) / sizeof(rules[0]) };

typedef struct {
    spot_instance_log_t log;
    spot_log_place_t place;
    spot_texts_t texts;
    const char *name; /* of the cluster under way */
} state_t;

/* The line of the log within a line, or NULL. */
static const char *find_line(const char *line)
{
    const char *text = line + (*line == '(' ? strcspn(line, ")") : 0);

    text += strspn(text, ") ");
    return strlen(text) > 16 && strchr("DIWE", text[0]) != NULL && text[1] == ' ' &&
                   text[4] == '-' && text[10] == ':' && strstr(text, "] ") != NULL
               ? text
               : NULL;
}

static bool sniff(const spot_convert_head_t *head)
{
    return find_line(head->line) != NULL && strstr(head->text, "controller.py:") != NULL;
}

static int take_line(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    const char *line = find_line(row->text);
    const char *text = line == NULL ? "" : strstr(line, "] ") + 2;
    const char *job = strstr(text, " job "), *name = strstr(text, ", name: '");
    int64_t time_ms;
    size_t j = 0;

    if (job != NULL && name != NULL && strncmp(text, "Submitted ", 10) == 0) {
        name += strlen(", name: '");
        self->name = spot_texts_add(&self->texts, "%.*s-%.*s", (int) strcspn(name, "'"), name,
            (int) strspn(job + 5, "0123456789"), job + 5);
    }
    while (j < NUM_RULES && strncmp(text, rules[j].text, strlen(rules[j].text)) != 0) {
        j++;
    }
    if (j == NUM_RULES) {
        self->log.num_other++;
        return 0;
    }
    self->place.line = row->line;
    self->place.column = (size_t) (line - row->text) + 1;
    return spot_instance_log_time_of_year(&self->log, &self->place,
               spot_texts_add(&self->texts, "%.14s", line + 2), &time_ms) != 0
               ? SPOT_ERR_BAD_INPUT
               : spot_instance_log_add(
                     &self->log, &self->place, time_ms, rules[j].says, self->name);
}

static int read_skyjobs(spot_import_t *import)
{
    state_t self = {.name = NULL};
    int ret = spot_instance_log_init(&self.log, import);

    if (ret == 0 && import->task->now == NULL) {
        ret = spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "the lines have no year: expected --until, the time when they were read");
    }
    for (; ret == 0 && self.place.input_id < import->num_inputs; self.place.input_id++) {
        self.name = spot_texts_add(&self.texts, "cluster-%zu", self.place.input_id + 1);
        ret = spot_import_lines(import, self.place.input_id, take_line, &self);
    }
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "clusters", 0,
        "an instance is a cluster, however many nodes it has; it is lost when that was "
        "seen");
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_instance_log_free(&self.log);
    spot_texts_free(&self.texts);
    return ret;
}

const spot_importer_t spot_importer_skyjobs = {
    .name = "skypilot-jobs",
    .doc = "logs of controllers of managed jobs, one file each, read at --until",
    .source = "SkyPilot",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_skyjobs,
};
