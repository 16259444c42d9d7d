/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/units.h"
#include "base/yaml.h"

/* ---- The model ---- */

const spot_generator_t *const spot_generators[] = {
    &spot_generator_seed,
    &spot_generator_mrp,
    &spot_generator_block,
    &spot_generator_replay,
    &spot_generator_fleet_replay,
    &spot_generator_lifetimes,
    &spot_generator_chance,
    &spot_generator_zones,
    NULL,
};

#define DEFAULT_TICK_S 60
#define MIN_FREQUENCY 0.001
#define MAX_FREQUENCY 1000

static const char *const victims_names[] = {"uniform", NULL};

/* Generated traces are named or counts, never availability. */
static const char *const generated_kind_names[] = {"named", "counts", NULL};

const spot_field_t spot_model_common_fields[] = {
    {SPOT_RANGE(INTEGER, "spotsim-model", spot_model_common_t, version, 1, 1, "1",
        "version of the model file's format")},
    {.name = "generator", .type = SPOT_FIELD_SELECTOR, .help = "name of the generator"},
    {SPOT_VALUE(
        TEXT, "name", spot_model_common_t, name, "", "name of the model, written into traces")},
    {SPOT_RANGE(NUMBER, "tick_s", spot_model_common_t, tick_s, 0.001, 86400, "",
         "tick of the trace", "tick in s; a scenario's own tick wins"),
        .otherwise = "60", SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "capacity", spot_model_common_t, capacity, 1, SPOT_MAX_INSTANCES, "",
        "trace capacity", "most instances at a time; a scenario's own fleet wins")},
    {SPOT_RANGE(INTEGER, "initial", spot_model_common_t, initial, 0, SPOT_MAX_INSTANCES, "",
        "initial instances", "instances at time 0; a scenario's own fleet wins")},
    {SPOT_RANGE(NUMBER, "horizon_s", spot_model_common_t, horizon_s, 0.001, 3e9, "", "trace length",
        "length of a generated trace in s; a scenario's own horizon wins")},
    {SPOT_CHOICE("kind", spot_model_common_t, kind, generated_kind_names, "named",
        "whether generated traces name their instances")},
    {SPOT_CHOICE("victims", spot_model_common_t, victims, victims_names, "uniform",
        "which instances are preempted: all equally likely")},
    {.name = NULL, .fields = spot_model_recorded_fields},
};

const spot_field_t spot_model_recorded_fields[] = {
    {SPOT_RANGE(NUMBER, "frequency", spot_model_common_t, frequency, MIN_FREQUENCY, MAX_FREQUENCY,
        "1", "trace frequency",
        "how fast the clock of the trace runs: with 2 all that it gives happens twice "
        "as often: rates double, gaps, lives, periods and hours of the day are half as "
        "long, and its tick and its prices follow; preparation, notices and the job "
        "keep their time")},
    {SPOT_FIELDS(ONE_OF, "price", spot_model_common_t, price, spot_price_forms, "",
         "price of a spot instance since the start of the trace; wins over the "
         "scenario's fleet.price.spot"),
        .settle = spot_price_steps_settle, .expected = SPOT_PRICE_EXPECTED},
    {.name = NULL},
};

/* The value {model: PATH} of "trace:". */
typedef struct {
    char *path;
    double frequency; /* 0: that of the file */
} model_file_t;

const spot_field_t spot_model_file_fields[] = {
    {SPOT_VALUE(PATH, "model", model_file_t, path, NULL,
         "a model file, relative to the document; trace: PATH is short for it"),
        .file_table = spot_trace_model_table},
    {SPOT_RANGE(NUMBER, "frequency", model_file_t, frequency, MIN_FREQUENCY, MAX_FREQUENCY, "",
        "trace frequency", "wins over the frequency that the model file gives")},
    {.name = NULL},
};

/* Reports a node that is no model, in the trace of a scenario or in a file, which may
 * also be meant as a scenario. */
static void report_form(spot_bind_t *bind, const spot_node_t *node)
{
    spot_bind_error(bind, node, NULL, "%s",
        bind->path[0] == '\0'
            ? "expected a model (generator: NAME) or a scenario (scenario: NAME)"
            : "trace: expected {generator: NAME, ...}, {file: PATH}, {model: PATH} "
              "or the path of a model file");
}

static const spot_generator_t *generator_of_name(const char *name)
{
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        if (strcmp(spot_generators[j]->name, name) == 0) {
            return spot_generators[j];
        }
    }
    return NULL;
}

static const spot_generator_t *find_generator(spot_bind_t *bind, const spot_node_t *node)
{
    const spot_node_t *name = spot_node_get(node, "generator");
    const spot_node_t *file = spot_node_get(node, "file");
    const spot_generator_t *generator;
    spot_suggest_t near;

    if (file != NULL && name == NULL) {
        return &spot_generator_file;
    }
    if (file != NULL) {
        spot_bind_error(bind, file, "file", "expected either generator or file, got both");
        return NULL;
    }
    if (name == NULL || name->kind != SPOT_NODE_SCALAR) {
        report_form(bind, name == NULL ? node : name);
        return NULL;
    }
    generator = generator_of_name(name->text);
    if (generator != NULL) {
        return generator;
    }
    spot_suggest_init(&near, name->text);
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        spot_suggest_offer(&near, spot_generators[j]->name);
    }
    spot_bind_unknown(bind, name, "generator", "generator", &near, "");
    return NULL;
}

static void warn_ignored(
    spot_bind_t *bind, const spot_node_t *node, const char *key, const char *winner)
{
    const spot_node_t *place = spot_node_place(node, key);

    spot_diag_warn(bind->diag, place->file, place->line, place->column, "%s%s is ignored: %s wins",
        bind->path, key, winner);
}

/* Within a scenario or several zones, tick and horizon are those of the whole; others in
 * the model warn. */
static void settle_tick(spot_model_common_t *common, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting)
{
    int64_t model_ms = 0;

    if (common->tick_s != 0 &&
        (spot_duration_from_s(common->tick_s, &model_ms) != 0 || model_ms != setting->tick_ms)) {
        char tick[SPOT_DURATION_TEXT_BYTES], winner[128];

        spot_duration_text(setting->tick_ms, tick);
        snprintf(winner, sizeof(winner), "%s, %s instead of %.6g s,",
            setting->is_zone ? "the tick of all zones" : "the scenario's tick", tick,
            common->tick_s);
        warn_ignored(bind, node, "tick_s", winner);
    }
    common->tick_ms = setting->tick_ms;
}

static void settle_horizon(spot_model_common_t *common, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting)
{
    int64_t model_ms = 0;

    if (common->horizon_s != 0 && (spot_duration_from_s(common->horizon_s, &model_ms) != 0 ||
                                      model_ms != setting->horizon_ms)) {
        warn_ignored(bind, node, "horizon_s",
            setting->is_zone ? "the horizon of all zones" : "the scenario's horizon");
    }
    common->horizon_ms = setting->horizon_ms;
    common->is_within = true;
}

/* With a frequency the trace may see more time than the run. */
static void check_frequency(spot_bind_t *bind, const spot_node_t *node,
    const spot_model_common_t *common, int64_t horizon_ms)
{
    if ((double) horizon_ms * common->frequency > 2.0 * (double) SPOT_MAX_DURATION_MS) {
        spot_bind_error(bind, spot_node_place(node, "frequency"), "frequency",
            "%g times the horizon is more than 200 years", common->frequency);
    }
}

static const spot_generator_population_t *generator_population(const spot_generator_t *self)
{
    static const spot_generator_population_t none = {0};

    return self->population == NULL ? &none : self->population;
}

static const spot_generator_population_t *population_of(const spot_trace_model_t *self)
{
    return generator_population(self->generator);
}

static void settle_in_scenario(const spot_trace_model_t *self, spot_bind_t *bind,
    const spot_node_t *node, const spot_trace_setting_t *setting)
{
    spot_model_common_t *common = self->model;

    settle_tick(common, bind, node, setting);
    if (common->capacity != 0 && common->capacity != setting->capacity) {
        warn_ignored(bind, node, "capacity", "the scenario's fleet.capacity");
    }
    if (population_of(self)->largest_initial == NULL && common->initial != -1 &&
        common->initial != setting->initial) {
        warn_ignored(bind, node, "initial", "the scenario's fleet.initial");
    }
    settle_horizon(common, bind, node, setting);
    common->capacity = setting->capacity;
    common->initial = setting->initial;
}

/* Without a scenario a model must give capacity and initial, unless its recording
 * does. */
static void check_own_fleet(
    const spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const spot_model_common_t *common = self->model;
    const bool is_missing =
        !population_of(self)->is_recorded && population_of(self)->largest_initial == NULL;

    if (is_missing && spot_node_get(node, "capacity") == NULL) {
        spot_bind_error(bind, node, NULL, "missing key \"%scapacity\"", bind->path);
    }
    if (is_missing && spot_node_get(node, "initial") == NULL) {
        spot_bind_error(bind, node, NULL, "missing key \"%sinitial\"", bind->path);
    } else if (common->capacity != 0 && common->initial > common->capacity) {
        spot_bind_error(bind, spot_node_place(node, "initial"), "initial",
            "%lld instances are more than the capacity of %lld", (long long) common->initial,
            (long long) common->capacity);
    }
}

/* Settles a model file without a scenario, in which missing keys are errors. */
static void settle_alone(const spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_model_common_t *common = self->model;
    const double tick_s =
        common->tick_s == 0 && !population_of(self)->is_recorded ? DEFAULT_TICK_S : common->tick_s;

    check_own_fleet(self, bind, node);
    if (spot_duration_from_s(tick_s, &common->tick_ms) != 0 ||
        spot_duration_from_s(common->horizon_s, &common->horizon_ms) != 0) {
        spot_bind_error(bind, node, NULL, "a duration of more than 100 years");
    }
}

static void settle(const spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const void *like)
{
    spot_model_common_t *common = self->model;

    if (population_of(self)->largest_initial != NULL && common->initial != -1) {
        warn_ignored(bind, node, "initial", "what the model itself starts with");
        common->initial = -1;
    }
    if (setting != NULL && setting->is_zone) {
        settle_tick(common, bind, node, setting);
        settle_horizon(common, bind, node, setting);
        check_own_fleet(self, bind, node);
    } else if (setting != NULL) {
        settle_in_scenario(self, bind, node, setting);
    } else if (self->generator != &spot_generator_file) {
        settle_alone(self, bind, node);
    }
    check_frequency(bind, node, common, common->horizon_ms);
    if (self->generator->bind_parts != NULL) {
        self->generator->bind_parts(self->model, bind, node, setting, like);
    }
}

/* What has gone wrong since diag had num_errors. */
static int binding_error(const spot_bind_t *bind, size_t num_errors)
{
    return bind->is_out_of_memory                ? SPOT_ERR_NO_MEMORY
           : bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT
                                                 : 0;
}

static int bind_model(spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const spot_trace_model_t *like)
{
    const size_t num_errors = bind->diag->num_errors;
    const void *like_model;
    spot_model_common_t *common;
    int ret;

    self->generator = find_generator(bind, node);
    if (self->generator == NULL) {
        return SPOT_ERR_BAD_INPUT;
    }
    self->model = spot_calloc(1, self->generator->model_size);
    if (self->model == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    like_model = like != NULL && like->generator == self->generator ? like->model : NULL;
    common = self->model;
    common->initial = -1;
    spot_bind_map(bind, self->generator->options, NULL, node, self->model);
    settle(self, bind, node, setting, like_model);
    ret = binding_error(bind, num_errors);
    if (ret != 0) {
        return ret;
    }
    if (self->generator->prepare != NULL) {
        ret = self->generator->prepare(self->model, like_model, bind->diag);
    }
    if (ret == 0 && population_of(self)->recording != NULL) {
        self->recording = population_of(self)->recording(self->model);
    }
    if (ret == 0) {
        spot_recorded_trace_check_price(common, &common->price, bind->diag, node, "price");
    }
    spot_price_steps_speed_up(&common->price, common->frequency);
    return ret;
}

/* Binds the model of a file, with the frequency that stands beside its path. */
static int bind_model_file(spot_trace_model_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *frequency, const spot_trace_setting_t *setting,
    const spot_trace_model_t *like)
{
    spot_yaml_t document;
    int ret = spot_yaml_read(&document, path, bind->diag);

    if (ret == 0 && frequency != NULL && document.root->kind == SPOT_NODE_MAP) {
        spot_node_t *copy = spot_yaml_new_scalar(&document, frequency->text, frequency);

        ret = copy == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(&document, "frequency", copy);
    }
    ret = ret == 0 ? bind_model(self, bind, document.root, setting, like) : ret;
    spot_yaml_free(&document);
    return ret;
}

/* Binds {model: PATH}. */
static int bind_model_map(spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const spot_trace_model_t *like)
{
    const size_t num_errors = bind->diag->num_errors;
    model_file_t file = {0};
    int ret;

    spot_bind_map(bind, spot_model_file_fields, NULL, node, &file);
    ret = binding_error(bind, num_errors);
    if (ret == 0) {
        ret =
            bind_model_file(self, bind, file.path, spot_node_get(node, "frequency"), setting, like);
    }
    free(file.path);
    return ret;
}

/* name: the path of the model file that node names, or NULL. */
static int init(spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_node_t *name, const spot_trace_setting_t *setting, const spot_trace_model_t *like)
{
    char *path;
    int ret;

    memset(self, 0, sizeof(*self));
    if (name == NULL) {
        return bind_model(self, bind, node, setting, like);
    }
    if (name->kind == SPOT_NODE_SCALAR && strstr(name->text, ".csv") != NULL) {
        spot_bind_error(bind, name, NULL, "trace: a recorded trace is {file: PATH}");
        return SPOT_ERR_BAD_INPUT;
    }
    if (name != node) {
        return bind_model_map(self, bind, node, setting, like);
    }
    path = spot_node_file_path(node);
    ret =
        path == NULL ? SPOT_ERR_NO_MEMORY : bind_model_file(self, bind, path, NULL, setting, like);
    free(path);
    return ret;
}

/* Goes on from a hash of what was before with the texts, kinds and files of a node and
 * all below it (base/keys.h). O(bytes). */
static uint64_t node_hash(const spot_node_t *self, uint64_t hash)
{
    hash = spot_hash(hash, &self->kind, sizeof(self->kind));
    hash = spot_hash(hash, &self->num_children, sizeof(self->num_children));
    if (self->kind == SPOT_NODE_SCALAR) {
        hash = spot_hash(hash, self->text, strlen(self->text) + 1);
        hash = spot_hash(hash, self->file, strlen(self->file) + 1);
    }
    for (size_t j = 0; j < self->num_children; j++) {
        if (self->kind == SPOT_NODE_MAP) {
            hash = node_hash(self->keys[j], hash);
        }
        hash = node_hash(self->children[j], hash);
    }
    return hash;
}

/* The key of a model that was bound; 0 without a setting. */
static uint64_t key_of(const spot_node_t *node, const spot_trace_setting_t *setting)
{
    uint64_t key;

    if (setting == NULL) {
        return 0;
    }
    key = node_hash(node, SPOT_HASH_START);
    key = spot_hash(key, &setting->tick_ms, sizeof(setting->tick_ms));
    key = spot_hash(key, &setting->capacity, sizeof(setting->capacity));
    key = spot_hash(key, &setting->initial, sizeof(setting->initial));
    return spot_hash(key, &setting->horizon_ms, sizeof(setting->horizon_ms));
}

int spot_trace_model_init(spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const spot_trace_model_t *like)
{
    const int ret =
        init(self, bind, node, setting == NULL ? NULL : spot_trace_node_model(node), setting, like);

    self->key = key_of(node, setting);
    return ret;
}

int spot_trace_model_bind(spot_trace_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const spot_trace_model_t *like)
{
    const bool is_file = node->kind == SPOT_NODE_SCALAR && strstr(node->text, ".csv") != NULL;
    spot_yaml_t document;
    spot_node_t *path;
    int ret;

    if (!is_file) {
        ret = init(self, bind, node, spot_trace_node_model(node), setting, like);
        self->key = key_of(node, setting);
        return ret;
    }
    ret = spot_yaml_parse(&document, node->file, "{}", 2, bind->diag);
    path = ret != 0 ? NULL : spot_yaml_new_scalar(&document, node->text, node);
    ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(&document, "file", path);
    ret = ret != 0 ? ret : bind_model(self, bind, document.root, setting, like);
    self->key = key_of(node, setting);
    spot_yaml_free(&document);
    return ret;
}

int spot_trace_model_read(spot_trace_model_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    spot_bind_t bind = {.diag = diag};

    return spot_trace_model_init(self, &bind, root, NULL, NULL);
}

void spot_trace_model_free(spot_trace_model_t *self)
{
    if (self->model != NULL) {
        spot_model_common_t *common = self->model;

        free(common->name);
        spot_price_steps_free(&common->price);
        if (self->generator->free != NULL) {
            self->generator->free(self->model);
        }
        free(self->model);
    }
    memset(self, 0, sizeof(*self));
}

const spot_model_common_t *spot_trace_model_common(const spot_trace_model_t *self)
{
    return self->model;
}

size_t spot_trace_model_state_bytes(const spot_trace_model_t *self)
{
    return self->generator->state_bytes == NULL ? self->generator->state_size
                                                : self->generator->state_bytes(self->model);
}

int64_t spot_trace_model_initial(const spot_trace_model_t *self)
{
    if (population_of(self)->largest_initial != NULL) {
        return population_of(self)->largest_initial(self->model);
    }
    return self->recording != NULL ? self->recording->initial
                                   : spot_trace_model_common(self)->initial;
}

int64_t spot_trace_model_initial_of(const spot_trace_model_t *self, const void *state)
{
    return population_of(self)->initial != NULL ? population_of(self)->initial(state)
                                                : spot_trace_model_initial(self);
}

int64_t spot_trace_model_end_ms(const spot_trace_model_t *self)
{
    return population_of(self)->end_ms == NULL
               ? 0
               : spot_model_run_end_ms(self->model, population_of(self)->end_ms(self->model));
}

static bool has_initial(const spot_generator_t *generator)
{
    const spot_generator_population_t *population = generator_population(generator);

    return population->recording != NULL || population->largest_initial != NULL;
}

bool spot_trace_model_has_initial(const spot_trace_model_t *self)
{
    return self->generator != NULL && has_initial(self->generator);
}

bool spot_trace_model_is_unlimited(const spot_trace_model_t *self)
{
    return population_of(self)->is_unlimited != NULL &&
           population_of(self)->is_unlimited(self->model);
}

bool spot_trace_model_is_unbounded(const spot_trace_model_t *self)
{
    return population_of(self)->is_unbounded != NULL &&
           population_of(self)->is_unbounded(self->model);
}

int64_t spot_trace_model_stopped_ms(const spot_trace_model_t *self, const void *state)
{
    const int64_t stopped_ms =
        population_of(self)->stopped_ms == NULL ? -1 : population_of(self)->stopped_ms(state);

    return stopped_ms < 0 ? -1 : spot_model_run_ms(self->model, stopped_ms);
}

const spot_zones_t *spot_trace_model_zones(const spot_trace_model_t *self)
{
    static const spot_zones_t none = {0};
    const spot_generator_members_t *members = spot_generator_members(self->generator);

    return members->zones == NULL ? &none : members->zones(self->model);
}

bool spot_trace_model_has_price(const spot_trace_model_t *self)
{
    const spot_zones_t *zones = spot_trace_model_zones(self);
    bool has_price = zones->num_zones > 0 && self->recording == NULL;

    for (size_t j = 0; j < zones->num_zones; j++) {
        has_price = has_price && zones->zones[j].price.num_steps > 0;
    }
    return has_price || spot_trace_model_common(self)->price.num_steps > 0;
}

const char *spot_trace_model_currency(const spot_trace_model_t *self, const char *except)
{
    const spot_zones_t *zones = spot_trace_model_zones(self);
    const char *currency = spot_trace_model_common(self)->price.currency;
    size_t j = 0;

    while (j < zones->num_zones && (*currency == '\0' || strcmp(currency, except) == 0)) {
        currency = zones->zones[j++].price.currency;
    }
    return *currency == '\0' || strcmp(currency, except) == 0 ? NULL : currency;
}

/* The generator that a map names, or NULL. */
static const spot_generator_t *generator_of_node(const spot_node_t *node)
{
    const spot_node_t *name = spot_node_get(node, "generator");

    return name == NULL || name->kind != SPOT_NODE_SCALAR ? NULL : generator_of_name(name->text);
}

const spot_field_t *spot_trace_model_table(const spot_node_t *node)
{
    const spot_generator_t *generator =
        spot_node_get(node, "file") != NULL ? &spot_generator_file : generator_of_node(node);

    if (generator == NULL && spot_trace_node_model(node) != NULL) {
        return spot_model_file_fields;
    }
    return generator == NULL ? NULL : generator->options;
}

const spot_node_t *spot_trace_node_model(const spot_node_t *node)
{
    const bool is_path = node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0';

    return is_path ? node : spot_node_get(node, "model");
}

bool spot_trace_node_has_initial(const spot_node_t *node)
{
    const spot_generator_t *generator = generator_of_node(node);

    return spot_node_get(node, "file") != NULL || (generator != NULL && has_initial(generator));
}

void spot_trace_model_set_horizon(spot_trace_model_t *self, int64_t horizon_ms)
{
    spot_model_common_t *common = self->model;

    spot_bug_assert(horizon_ms > 0);
    common->horizon_ms = horizon_ms;
}

/* ---- A replication on the clock of the run (frequency) ---- */

/* Between two clocks: rounding to the nearest ms, and the error of a product. */
#define HALF_MS 0.5
#define TINY_MS 1e-6

bool spot_trace_model_next(const spot_trace_model_t *self, void *state, spot_event_t *event)
{
    if (!self->generator->next(state, event)) {
        return false;
    }
    event->time_ms = spot_model_run_ms(self->model, event->time_ms);
    return true;
}

size_t spot_trace_model_next_many(
    const spot_trace_model_t *self, void *state, size_t max_events, spot_event_t *events)
{
    const spot_generator_t *generator = self->generator;
    const bool is_fast = spot_trace_model_common(self)->frequency != 1;
    size_t num_events = 0;

    if (generator->next_many != NULL) {
        num_events = generator->next_many(state, max_events, events);
    }
    while (generator->next_many == NULL && num_events < max_events &&
           generator->next(state, &events[num_events])) {
        num_events++;
    }
    for (size_t j = 0; is_fast && j < num_events; j++) {
        events[j].time_ms = spot_model_run_ms(self->model, events[j].time_ms);
    }
    return num_events;
}

/* All that the run sees by last_ms: what is rounded down to it too. */
bool spot_trace_model_next_until(
    const spot_trace_model_t *self, void *state, int64_t last_ms, spot_event_t *event)
{
    const double frequency = spot_trace_model_common(self)->frequency;
    const int64_t own_ms =
        frequency == 1 ? last_ms
                       : (int64_t) ceil(((double) last_ms + HALF_MS) * frequency - TINY_MS) - 1;

    if (!spot_generator_members(self->generator)->next_until(state, own_ms, event)) {
        return false;
    }
    event->time_ms = spot_model_run_ms(self->model, event->time_ms);
    return true;
}

const int32_t *spot_trace_model_lose(
    const spot_trace_model_t *self, void *state, double time_s, int64_t after_ms, int32_t num_lost)
{
    const spot_model_common_t *common = self->model;
    const double frequency = common->frequency;
    const double seen_s = (double) after_ms * frequency / (double) SPOT_MS_PER_S;

    /* On another clock the model may have gone on to a tick after the loss. */
    if (frequency != 1 && common->tick_ms > 0) {
        const double tick_s = (double) common->tick_ms / (double) SPOT_MS_PER_S;

        time_s = fmax(time_s * frequency, floor(seen_s / tick_s) * tick_s);
    }
    return spot_generator_members(self->generator)->lose(state, time_s, num_lost);
}

/* ---- A recorded trace as a generator ----
 * A recorded trace, without random numbers. In YAML "trace: {file: PATH}". */

typedef struct {
    spot_model_common_t common;
    char *path;
    spot_recorded_trace_t recording;
    spot_zones_t zones; /* those with prices; the trace owns their names */
} file_t;

typedef struct {
    const spot_trace_t *trace;
    size_t event_id; /* of the next event */
} file_state_t;

static int file_prepare(void *model, const void *like, spot_diag_t *diag)
{
    file_t *self = model;
    int ret = spot_recorded_trace_open(&self->recording,
        like == NULL ? NULL : &((const file_t *) like)->recording, self->path, diag);

    if (ret == 0) {
        spot_recorded_trace_play(self->recording.trace, 0, &self->common);
        ret = spot_price_header_read(
            self->recording.trace, self->path, &self->common.price, &self->zones, diag);
    }
    for (size_t j = 0; ret == 0 && j < self->zones.num_zones; j++) {
        spot_price_steps_speed_up(&self->zones.zones[j].price, self->common.frequency);
    }
    return ret;
}

static void file_free(void *model)
{
    file_t *self = model;

    spot_recorded_trace_close(&self->recording);
    spot_zones_free(&self->zones);
    free(self->path);
}

static void file_start(void *state, const void *model, const spot_dice_t *dice)
{
    file_state_t *self = state;

    (void) dice;
    self->trace = ((const file_t *) model)->recording.trace;
    self->event_id = 0;
}

static bool file_next(void *state, spot_event_t *event)
{
    file_state_t *self = state;

    if (self->event_id == self->trace->num_events) {
        return false;
    }
    *event = self->trace->events[self->event_id++];
    return true;
}

static const spot_trace_t *file_recording(const void *model)
{
    return ((const file_t *) model)->recording.trace;
}

static int64_t file_end_ms(const void *model)
{
    return file_recording(model)->end_ms;
}

/* Number of names in the trace, whose ids are kept; counts and availability have
 * none. */
static int64_t file_num_names(const void *model)
{
    return (int64_t) file_recording(model)->num_names;
}

static const int32_t *file_initial_names(const void *state)
{
    return ((const file_state_t *) state)->trace->name_ids;
}

static const char *file_name_text(
    const void *state, int32_t name_id, char text[SPOT_NAME_BYTES + 1])
{
    (void) text;
    return ((const file_state_t *) state)->trace->names[name_id];
}

static const spot_zones_t *file_zones(const void *model)
{
    return &((const file_t *) model)->zones;
}

static const spot_field_t file_options[] = {
    {SPOT_VALUE(PATH, "file", file_t, path, NULL,
        "a trace file (spotsim-trace 1, .csv or .csv.gz), relative to the document")},
    {.name = NULL, .fields = spot_model_recorded_fields},
};

static const spot_generator_members_t file_members = {
    .zones = file_zones,
    .num_names = file_num_names,
    .initial_names = file_initial_names,
    .name_text = file_name_text,
};

static const spot_generator_population_t file_population = {
    .end_ms = file_end_ms,
    .recording = file_recording,
};

const spot_generator_t spot_generator_file = {
    .name = "file",
    .doc = "a recorded trace as it is",
    .source = "the file",
    .options = file_options,
    .model_size = sizeof(file_t),
    .state_size = sizeof(file_state_t),
    .prepare = file_prepare,
    .free = file_free,
    .start = file_start,
    .next = file_next,
    .members = &file_members,
    .population = &file_population,
};

int spot_trace_model_of(spot_trace_model_t *self, const spot_trace_t *trace)
{
    file_t *model = spot_calloc(1, sizeof(*model));

    *self =
        (spot_trace_model_t){.generator = &spot_generator_file, .model = model, .recording = trace};
    if (model == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    model->common =
        (spot_model_common_t){.frequency = 1, .tick_ms = trace->resolution_ms, .is_within = true};
    model->recording.trace = trace;
    return 0;
}

/* ---- A run that is under way ---- */

typedef struct {
    spot_model_common_t common;
    spot_recorded_trace_t so_far;
    spot_trace_model_t rest;
} so_far_t;

typedef struct {
    const so_far_t *model;
    size_t event_id; /* of the next event so far */
    bool has_jumped; /* to the initial instances of the rest */
    max_align_t rest[];
} so_far_state_t;

static void so_far_free(void *model)
{
    so_far_t *self = model;

    spot_recorded_trace_close(&self->so_far);
    spot_trace_model_free(&self->rest);
}

static size_t so_far_state_bytes(const void *model)
{
    return sizeof(so_far_state_t) + spot_trace_model_state_bytes(&((const so_far_t *) model)->rest);
}

static void so_far_start(void *state, const void *model, const spot_dice_t *dice)
{
    so_far_state_t *self = state;

    self->model = model;
    self->event_id = 0;
    self->has_jumped = false;
    self->model->rest.generator->start(self->rest, self->model->rest.model, dice);
}

/* Makes the event that replaces the last instances of the recording by those that the
 * rest starts with; false: they are as many. */
static bool jump(so_far_state_t *self, spot_event_t *event)
{
    const spot_trace_t *trace = self->model->so_far.trace;
    const int64_t change =
        spot_trace_model_initial_of(&self->model->rest, self->rest) - trace->final;

    self->has_jumped = true;
    *event = (spot_event_t){.time_ms = trace->end_ms,
        .kind = change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT,
        .count = (int32_t) (change > 0 ? change : -change)};
    return change != 0;
}

static bool so_far_next(void *state, spot_event_t *event)
{
    so_far_state_t *self = state;
    const so_far_t *model = self->model;
    const spot_trace_t *trace = model->so_far.trace;

    if (self->event_id < trace->num_events) {
        *event = trace->events[self->event_id++];
    } else if (self->has_jumped || !jump(self, event)) {
        if (!spot_trace_model_next(&model->rest, self->rest, event)) {
            return false;
        }
        event->time_ms += trace->end_ms;
        event->name_ids = NULL;
    }
    return event->time_ms <= spot_model_last_ms(&model->common);
}

static int64_t so_far_initial(const void *state)
{
    return ((const so_far_state_t *) state)->model->so_far.trace->initial;
}

static int64_t so_far_largest_initial(const void *model)
{
    return ((const so_far_t *) model)->so_far.trace->initial;
}

static int64_t so_far_end_ms(const void *model)
{
    const so_far_t *self = model;
    const int64_t end_ms = spot_trace_model_end_ms(&self->rest);

    return end_ms == 0 ? 0 : self->so_far.trace->end_ms + end_ms;
}

static bool so_far_is_unlimited(const void *model)
{
    return spot_trace_model_is_unlimited(&((const so_far_t *) model)->rest);
}

static bool so_far_is_unbounded(const void *model)
{
    return spot_trace_model_is_unbounded(&((const so_far_t *) model)->rest);
}

static int64_t so_far_stopped_ms(const void *state)
{
    const so_far_state_t *self = state;
    const so_far_t *model = self->model;
    const int64_t stopped_ms = spot_trace_model_stopped_ms(&model->rest, self->rest);

    return stopped_ms < 0 ? -1 : model->so_far.trace->end_ms + stopped_ms;
}

static int64_t so_far_num_names(const void *model)
{
    const spot_trace_t *trace = ((const so_far_t *) model)->so_far.trace;

    return trace->kind == SPOT_TRACE_NAMED ? (int64_t) trace->num_names : 0;
}

static const int32_t *so_far_initial_names(const void *state)
{
    return ((const so_far_state_t *) state)->model->so_far.trace->name_ids;
}

static const spot_generator_members_t so_far_members = {
    .num_names = so_far_num_names,
    .initial_names = so_far_initial_names,
};

static const spot_generator_population_t so_far_population = {
    .is_recorded = true,
    .initial = so_far_initial,
    .largest_initial = so_far_largest_initial,
    .end_ms = so_far_end_ms,
    .is_unlimited = so_far_is_unlimited,
    .is_unbounded = so_far_is_unbounded,
    .stopped_ms = so_far_stopped_ms,
};

/* Made by spot_trace_model_go_on() alone: no document names it. */
static const spot_generator_t generator_so_far = {
    .name = "so-far",
    .doc = "a recorded trace of a run up to now, then a model",
    .source = "the recording",
    .model_size = sizeof(so_far_t),
    .state_size = sizeof(so_far_state_t),
    .state_bytes = so_far_state_bytes,
    .free = so_far_free,
    .start = so_far_start,
    .next = so_far_next,
    .members = &so_far_members,
    .population = &so_far_population,
};

int spot_trace_model_go_on(spot_trace_model_t *model, spot_recorded_trace_t *so_far)
{
    so_far_t *self = spot_calloc(1, sizeof(*self));
    spot_model_common_t *rest = model->model;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_bug_assert(spot_trace_model_zones(model)->num_zones == 0);
    self->common = *rest;
    self->common.name = NULL;
    self->common.initial = -1;
    self->common.frequency = 1;
    self->common.horizon_ms += rest->horizon_ms > 0 ? so_far->trace->end_ms : 0;
    rest->price = (spot_price_steps_t){0}; /* self owns its memory now */
    self->so_far = *so_far;
    self->rest = *model;
    *model = (spot_trace_model_t){.generator = &generator_so_far,
        .model = self,
        .key = spot_hash(model->key, &so_far->trace, sizeof(so_far->trace))};
    *so_far = (spot_recorded_trace_t){0};
    return 0;
}

const spot_trace_model_t *spot_trace_model_rest(const spot_trace_model_t *model)
{
    return model->generator == &generator_so_far ? &((const so_far_t *) model->model)->rest : model;
}

const spot_recorded_trace_t *spot_trace_model_so_far(const spot_trace_model_t *model)
{
    return model->generator == &generator_so_far ? &((const so_far_t *) model->model)->so_far
                                                 : NULL;
}
