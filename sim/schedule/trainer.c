/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/train/assumed.h"

#define PREFIX "core:"

const spot_field_t spot_trainer_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_trainer_t, name)};

static const spot_field_t *training_table(const spot_node_t *root)
{
    return root->kind == SPOT_NODE_MAP ? spot_scenario_fields : NULL;
}

const spot_field_t spot_trainer_path = {.type = SPOT_FIELD_PATH,
    .offset = offsetof(spot_trainer_t, path),
    .file_table = training_table};

int spot_trainers_read(spot_trainers_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < self->num_trainers; j++) {
        spot_trainer_t *trainer = &self->trainers[j];
        int error = SPOT_ERR_NO_MEMORY;

        trainer->training = spot_calloc(1, sizeof(*trainer->training));
        if (trainer->training != NULL) {
            error = spot_scenario_read(trainer->training, trainer->path, NULL, diag);
        }
        ret = spot_error_first(ret, error);
    }
    return ret;
}

void spot_trainers_free(spot_trainers_t *self)
{
    for (size_t j = 0; j < self->num_trainers; j++) {
        free(self->trainers[j].name);
        free(self->trainers[j].path);
        if (self->trainers[j].training != NULL) {
            spot_scenario_free(self->trainers[j].training);
            free(self->trainers[j].training);
        }
    }
    free(self->trainers);
    *self = (spot_trainers_t){0};
}

const spot_trainer_t *spot_trainers_find(const spot_trainers_t *self, const char *text)
{
    if (text == NULL || strncmp(text, PREFIX, sizeof(PREFIX) - 1) != 0) {
        return NULL;
    }
    for (size_t j = 0; j < self->num_trainers; j++) {
        if (strcmp(self->trainers[j].name, text + sizeof(PREFIX) - 1) == 0) {
            return &self->trainers[j];
        }
    }
    return NULL;
}

/* Of a job in the cluster; its trace, fleet and prices are those of the scheduler, but
 * for what the training engine does itself with the nodes that it is given. */
static bool training_decides(const spot_trainer_t *self, const char *key, bool prepares)
{
    static const char *const others[] = {"horizon", "trace", "fleet"};
    static const char *const own[] = {"fleet.notice", "fleet.preparation", "fleet.capacity"};
    spot_yaml_t document;
    spot_diag_t diag;
    bool decides = true;

    bool is_own = false;

    for (size_t j = 0; j < (prepares ? sizeof(own) / sizeof(own[0]) : 1); j++) {
        is_own |= strcmp(key, own[j]) == 0;
    }
    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        if (!is_own && strncmp(key, others[j], strlen(others[j])) == 0) {
            return false;
        }
    }
    spot_diag_init(&diag);
    if (spot_yaml_read(&document, self->path, &diag) == 0) {
        decides = spot_train_decides(self->training, document.root, key);
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return decides;
}

bool spot_trainers_decide(const spot_trainers_t *self, const char *key, bool prepares)
{
    for (size_t j = 0; j < self->num_trainers; j++) {
        const size_t num_bytes = strlen(self->trainers[j].name);

        if (strncmp(key, self->trainers[j].name, num_bytes) == 0 &&
            strncmp(key + num_bytes, ": ", 2) == 0) {
            return training_decides(&self->trainers[j], key + num_bytes + 2, prepares);
        }
    }
    return true;
}
