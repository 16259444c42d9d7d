/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/loader.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/units.h"

/* ---- Keys ---- */

typedef spot_loader_t loader_t;

static const char *const instances_names[] = {"first_stage", "all", NULL};
static const char *const deal_names[] = {"batches", "samples", NULL};
static const char *const mode_names[] = {"prefetch", "synchronous", NULL};

#define TIME(key, member, low, starts, ...)                                                        \
    {                                                                                              \
        SPOT_WITHIN(                                                                               \
            DURATION_NS, key, loader_t, member, low, SPOT_LOADER_MAX_NS, starts, __VA_ARGS__),     \
            SPOT_DECIDES                                                                           \
    }
#define NUMBER_OF(key, member, high, starts, ...)                                                  \
    {                                                                                              \
        SPOT_WITHIN(INTEGER, key, loader_t, member, 1, high, starts, __VA_ARGS__), SPOT_DECIDES    \
    }

static const spot_field_t loader_fields[] = {
    NUMBER_OF("processes", processes, SPOT_LOADER_MAX_PROCESSES, "8", "loader processes",
        "processes of an instance that make batches in turn"),
    NUMBER_OF("prefetch", prefetch, SPOT_LOADER_MAX_PREFETCH, "2", "prefetched batches",
        "batches that each process makes ahead"),
    NUMBER_OF("threads", threads, SPOT_LOADER_MAX_THREADS, "1", "decode threads",
        "threads of a process that decode merged samples"),
    NUMBER_OF("block", block, SPOT_LOADER_MAX_SAMPLES, "1", "block size",
        "samples merged into one file; 1: each has a file of its own. Above 1 samples "
        "are shuffled within a block only"),
    {SPOT_CHOICE("instances", loader_t, instances, instances_names, "first_stage",
         "loading instances",
         "which instances of a training job load: one of each pipeline, or all"),
        SPOT_DECIDES},
    {SPOT_CHOICE("mode", loader_t, mode, mode_names, "prefetch", "loading mode",
         "prefetch: processes work ahead; synchronous: a batch is made while the loop "
         "waits"),
        SPOT_DECIDES},
    {SPOT_CHOICE("deal", loader_t, deal, deal_names, "batches", "dealing",
         "with block 1: whole batches go to processes in turn, and all take the same "
         "time; or each process gets its share of the samples, and its last batch is "
         "short. Larger blocks are always dealt to processes"),
        SPOT_DECIDES},
    {.name = NULL},
};

#define SITES(member, text)                                                                        \
    {                                                                                              \
        TIME("local", member[SPOT_SITE_LOCAL], 0, "0 ms", " locally",                              \
            text " on the disk of the instance"),                                                  \
            TIME("remote", member[SPOT_SITE_REMOTE], 0, "0 ms", " remotely",                       \
                text " on another machine"),                                                       \
            {.name = NULL},                                                                        \
    }
static const spot_field_t open_fields[] = SITES(cost.open_ns, "of a file");
static const spot_field_t read_fields[] = SITES(cost.read_ns, "of a sample");

static const spot_field_t collate_fields[] = {
    TIME("time", cost.collate_ns, 0, "0 ms", "collation time",
        "time to collate a batch of so many samples; others in proportion"),
    NUMBER_OF("batch", cost.collate_batch, SPOT_LOADER_MAX_SAMPLES, "512", "collated batch",
        "samples of that batch"),
    {.name = NULL},
};

static const spot_field_t compute_fields[] = {
    TIME("added", cost.compute_ns, 0, "0 ms", "added compute time",
        "more time of a batch in the training loop, such as for freeing the last one"),
    TIME("merged", cost.merged_compute_ns, 0, "0 ms", "compute time for merging",
        "what blocks above 1 slow the training loop down at most"),
    {SPOT_WITHIN(NUMBER, "half_block", loader_t, cost.half_block, 1e-6, 1e12, "1", "half block",
         "block size at which half of that is reached"),
        SPOT_DECIDES},
    {SPOT_WITHIN(NUMBER, "exponent", loader_t, cost.exponent, 0, 100, "1", "merging exponent",
         "power of the loader's load, min(1, T / (processes x compute time)), that this "
         "grows with"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t cost_fields[] = {
    TIME("decode", cost.decode_ns, 0, NULL, "decode time",
        "time to decode a sample from a file of its own"),
    {SPOT_GROUP("open", open_fields, "{}", "time to open a file"), .label = "opening time"},
    {SPOT_GROUP("read", read_fields, "{}", "time to read a sample"), .label = "reading time"},
    TIME("merged", cost.merged_ns, -SPOT_LOADER_MAX_NS, "0 ms", "merging time",
        "more time for each sample in blocks above 1"),
    {SPOT_WITHIN(NUMBER, "thread_growth", loader_t, cost.thread_growth, -0.08, 10, "0",
         "thread growth", "in blocks above 1 decoding takes 1 + this x log2(threads) as long"),
        SPOT_DECIDES},
    {SPOT_GROUP("collate", collate_fields, "{}", "time to collate a batch")},
    TIME("start", cost.start_ns, 0, "0 s", "start time", "time to start a process"),
    TIME("handover", cost.handover_ns, 0, "0 ms", "hand-over time",
        "time to hand a batch to the training loop"),
    {SPOT_GROUP("compute", compute_fields, "{}",
        "what loading adds to the time of a batch in the training loop; for prediction "
        "only, since the step time of a job has it")},
    {.name = NULL},
};

static const spot_field_t storage_fields[] = {
    {SPOT_WITHIN(NUMBER, "local_share", loader_t, local_share, 0, 1, "1", "local share",
         "share of the samples that is read locally"),
        SPOT_DECIDES},
    {SPOT_VALUE(RATE, "shared_bandwidth", loader_t, bytes_per_s, "", "shared bandwidth",
         "of the remote storage, for all instances; no limit if not given"),
        .min = 1, .max = 1e18},
    {SPOT_RANGE(BYTES, "cache", loader_t, cache_bytes, 0, 1e18, "0 B", "cache",
        "of an instance: keeps what was read remotely, so that later epochs read it "
        "locally")},
    {.name = NULL},
};

static const spot_field_t restart_fields[] = {
    TIME("overlap", overlap_ns, 0, "0 s", "restart overlap",
        "time that loaders start before the end of a reload"),
    {.name = NULL},
};

const spot_field_t spot_loader_fields[] = {
    {SPOT_WITHIN(INTEGER, "samples", loader_t, samples, 1, SPOT_LOADER_MAX_SAMPLES, "", "samples",
        "samples of the data set: the length of an epoch")},
    {SPOT_RANGE(BYTES, "sample_bytes", loader_t, sample_bytes, 1, 1e15, "", "sample size",
        "mean size of a sample; needed for a bandwidth, a cache and for "
        "the memory that loading takes")},
    {SPOT_GROUP("loader", loader_fields, "{}", "processes and their settings")},
    {SPOT_GROUP("cost", cost_fields, NULL, "what a sample, a file and a batch take")},
    {SPOT_GROUP("storage", storage_fields, "{}", "where samples are"), .label = "storage"},
    {SPOT_GROUP("restart", restart_fields, "{}", "what a restart of the job costs")},
    {.name = NULL},
};

bool spot_loader_decides(const spot_loader_t *self, const char *key, bool is_of_job)
{
    const bool is_merged = self->block > 1;
    const bool has_local = self->local_share > 0 || self->cache_bytes > 0;
    const struct {
        const char *key;
        bool decides;
    } rules[] = {
        {"loader.prefetch", self->mode == SPOT_LOADER_PREFETCH},
        {"loader.threads", is_merged},
        {"loader.deal", !is_merged},
        {"loader.instances", is_of_job},
        {"cost.open.local", has_local},
        {"cost.open.remote", self->local_share < 1},
        {"cost.read.local", has_local},
        {"cost.read.remote", self->local_share < 1},
        {"cost.merged", is_merged},
        {"cost.thread_growth", is_merged && self->threads > 1},
        {"cost.collate.batch", self->cost.collate_ns > 0},
        {"cost.compute.added", !is_of_job},
        {"cost.compute.merged", !is_of_job && is_merged},
        {"cost.compute.half_block", !is_of_job && is_merged && self->cost.merged_compute_ns > 0},
        {"cost.compute.exponent", !is_of_job && is_merged && self->cost.merged_compute_ns > 0},
        {"restart.overlap", is_of_job},
    };

    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        if (strcmp(rules[j].key, key) == 0) {
            return rules[j].decides;
        }
    }
    return true;
}

void spot_loader_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    loader_t *self = target;
    const struct {
        bool is_wrong;
        const char *key, *text;
    } rules[] = {
        {self->sample_bytes == 0 && (self->bytes_per_s > 0 || self->cache_bytes > 0),
            "sample_bytes", "is needed with storage.shared_bandwidth and storage.cache"},
        {self->samples == 0 && self->cache_bytes > 0, "samples", "is needed with storage.cache"},
        {self->cost.decode_ns + self->cost.merged_ns < 0, "cost.merged",
            "must not make the time of a sample less than 0: cost.decode + cost.merged"},
    };

    self->is_given = true;
    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        char key[32];

        snprintf(key, sizeof(key), "%s%s%s", field == NULL ? "" : field->name,
            field == NULL ? "" : ".", rules[j].key);
        if (rules[j].is_wrong) {
            spot_bind_error(bind, node, key, "%s", rules[j].text);
        }
    }
}

static void bind_loader(spot_bind_t *bind, const spot_field_t *fields, const char *name,
    const spot_field_t *field, const spot_node_t *node, void *target)
{
    const size_t num_errors = bind->diag->num_errors;

    spot_bind_map(bind, fields, name, node, target);
    if (bind->diag->num_errors == num_errors && !bind->is_out_of_memory) {
        spot_loader_settle(bind, field, node, target);
    }
}

/* ---- What costs were fitted to ---- */

bool spot_loader_is_outside(const int64_t range[2], int64_t value)
{
    return range[1] > 0 && (value < range[0] || value > range[1]);
}

static void check_range(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const int64_t *range = target;

    if (range[0] > range[1]) {
        spot_bind_error(bind, node, field->name, "the least is above the most");
    }
}

static const spot_field_t range_time = {.type = SPOT_FIELD_DURATION_NS, .max = SPOT_LOADER_MAX_NS};
static const spot_field_t range_number = {
    .type = SPOT_FIELD_INTEGER, .min = 1, .max = SPOT_LOADER_MAX_SAMPLES};

#define RANGE(key, field, ...)                                                                     \
    {                                                                                              \
        SPOT_VALUE(LIST, key, spot_loader_range_t, __VA_ARGS__),                                   \
            .item = &(field), .item_size = sizeof(int64_t), .min = 2, .max = 2,                    \
            .is_in_place = true, .expected = "a list such as [1, 4]", .settle = check_range        \
    }

const spot_field_t spot_loader_range_fields[] = {
    RANGE("compute", range_time, compute_ns, "",
        "least and longest time of a batch in the training loop"),
    RANGE("threads", range_number, threads, "", "fewest and most decode threads"),
    RANGE("block", range_number, block, "", "smallest and largest block size"),
    {.name = NULL},
};

/* ---- The loader of a job ---- */

const spot_field_t spot_loader_job_fields[] = {
    {SPOT_FIELDS(MAP, "fitted", spot_loader_t, fitted, spot_loader_range_fields, "",
        "the range of settings that the costs were fitted to, beyond which there is a warning")},
    {.name = NULL, .fields = spot_loader_fields},
};

/* Warns of a setting outside what costs were fitted to. node: the keys, or the file that has
 * them. */
static void warn_of_range(spot_bind_t *bind, const char *key, int64_t value, const int64_t range[2],
    const spot_node_t *node)
{
    const spot_node_t *place = spot_node_place(node, key);

    if (spot_loader_is_outside(range, value)) {
        spot_diag_warn(bind->diag, place->file, place->line, place->column,
            "job.input.%s = %" PRId64 " is outside what the costs of %s were fitted to: %" PRId64
            " to %" PRId64,
            key, value, node->kind == SPOT_NODE_SCALAR ? node->text : "job.input", range[0],
            range[1]);
    }
}

/* Binds what a file says of the settings that its costs were fitted to. Its keys are of that file,
 * not of the map that names it. */
static void bind_range(spot_bind_t *bind, const spot_node_t *fitted, spot_loader_t *self)
{
    spot_bind_t own = {.diag = bind->diag};

    if (fitted != NULL) {
        spot_bind_map(&own, spot_loader_range_fields, "fitted", fitted, &self->fitted);
        bind->is_out_of_memory = bind->is_out_of_memory || own.is_out_of_memory;
    }
}

/* Binds the loader of the file that a scalar names. */
static void bind_file(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, spot_loader_t *self)
{
    spot_yaml_t document = {.root = NULL};
    char *path = spot_node_file_path(node);
    const int ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_read(&document, path, bind->diag);
    const spot_node_t *input = spot_node_get(document.root, "input");

    if (ret == 0 && input == NULL) {
        spot_bind_error(bind, node, field->name,
            "expected a map of keys, or a file of `spotsim input fit`: %s has no key input", path);
    } else if (ret == 0) {
        bind_loader(bind, spot_loader_fields, "input", field, input, self);
        bind_range(bind, spot_node_get(document.root, "fitted"), self);
    }
    spot_yaml_free(&document);
    free(path);
    bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
}

void spot_loader_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const size_t num_errors = bind->diag->num_errors;
    spot_loader_t *self = target;

    if (node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0') {
        bind_file(bind, field, node, self);
    } else {
        bind_loader(bind, spot_loader_job_fields, field->name, field, node, self);
    }
    if (bind->diag->num_errors == num_errors) {
        warn_of_range(bind, "loader.threads", self->threads, self->fitted.threads, node);
        warn_of_range(bind, "loader.block", self->block, self->fitted.block, node);
    }
}

const spot_field_t *spot_loader_file_table(const spot_node_t *root)
{
    static const spot_field_t fields[] = {
        {.name = "input", .type = SPOT_FIELD_MAP, .fields = spot_loader_fields}, {.name = NULL}};

    return spot_node_get(root, "input") == NULL ? NULL : fields;
}

#define S_PER_NS 1e-9

static double seconds(int64_t ns)
{
    return (double) ns * S_PER_NS;
}

/* ---- Times of a process ---- */

/* A cost of both sites, by the share that is local. */
static double mixed_s(const int64_t site_ns[SPOT_NUM_SITES], double local_share)
{
    return local_share * seconds(site_ns[SPOT_SITE_LOCAL]) +
           (1 - local_share) * seconds(site_ns[SPOT_SITE_REMOTE]);
}

/* io of a sample, at the local share of self. */
static double io_s(const spot_loader_t *self, double local_share)
{
    return mixed_s(self->cost.open_ns, local_share) / (double) self->block +
           mixed_s(self->cost.read_ns, local_share);
}

double spot_loader_decode_s(const spot_loader_t *self)
{
    const spot_loader_cost_t *cost = &self->cost;

    return self->block == 1 ? seconds(cost->decode_ns)
                            : seconds(cost->decode_ns + cost->merged_ns) *
                                  (1 + cost->thread_growth * log2((double) self->threads));
}

static double collate_s(const spot_loader_t *self, double num_samples)
{
    return seconds(self->cost.collate_ns) * num_samples / (double) self->cost.collate_batch;
}

/* T of a batch of that many samples. */
static double loader_batch_s(const spot_loader_t *self, double num_samples, double local_share)
{
    return num_samples * (io_s(self, local_share) + spot_loader_decode_s(self)) +
           collate_s(self, num_samples);
}

/* T_s: the shared bandwidth allows a batch on each of num_instances instances once in
 * that time; 0: it is no limit. */
static double loader_storage_s(
    const spot_loader_t *self, double num_samples, double local_share, int64_t num_instances)
{
    return self->bytes_per_s == 0 ? 0
                                  : num_samples * (1 - local_share) * (double) self->sample_bytes *
                                        (double) num_instances / self->bytes_per_s;
}

/* ---- Steps of a training job ---- */

double spot_loader_warm_share(const spot_loader_t *self, int64_t num_loading)
{
    const double part_bytes =
        (double) self->samples * (double) self->sample_bytes / (double) num_loading;
    const double cached =
        self->cache_bytes == 0 ? 0 : fmin(1, (double) self->cache_bytes / part_bytes);

    return fmax(self->local_share, cached);
}

/* Half away from zero; more than any run lasts makes no difference. */
static int64_t whole_ms(double time_s)
{
    return llround(fmin(1000 * time_s, (double) SPOT_MAX_DURATION_MS));
}

spot_loader_stall_t spot_loader_stall(const spot_loader_t *self, double num_samples,
    double local_share, int64_t num_loading, int64_t step_ms)
{
    const double batch_s = loader_batch_s(self, num_samples, local_share);
    const double storage_s = loader_storage_s(self, num_samples, local_share, num_loading);
    const double processes = (double) self->processes;
    const double early_s = seconds(self->cost.start_ns - self->overlap_ns);
    const bool is_ahead = self->mode == SPOT_LOADER_PREFETCH;
    const double first_s = is_ahead ? fmax(batch_s, processes * storage_s) : 0;
    const int64_t wait_ms = is_ahead ? whole_ms(fmax(batch_s / processes, storage_s)) - step_ms
                                     : whole_ms(batch_s + storage_s);

    return (spot_loader_stall_t){
        .wait_ms = wait_ms > 0 ? wait_ms : 0, .refill_ms = whole_ms(fmax(0, early_s + first_s))};
}

/* ---- Events ---- */

void spot_loader_run_in(const spot_loader_flow_t *self, spot_loader_batch_t batch_s, void *context,
    double *memory, double *waits, int64_t *num_taken)
{
    const size_t processes = (size_t) self->processes;
    const int64_t ahead = self->prefetch > 0 ? self->prefetch : 1;
    double *free_s = memory, *handed_s = memory + processes;
    bool has_any = true;
    double now_s = 0;
    int64_t taken = 0;

    memset(handed_s, 0, processes * (size_t) ahead * sizeof(*handed_s));
    for (size_t j = 0; j < processes; j++) {
        free_s[j] = self->start_s;
    }
    for (int64_t round = 0; has_any && taken < self->num_batches; round++) {
        /* when each process was asked for its batch of this round: at 0, then when its
         * batch of PF rounds before was taken */
        double *asked_s = handed_s + (size_t) (round % ahead) * processes;

        has_any = false;
        for (size_t j = 0; j < processes && taken < self->num_batches; j++) {
            const double from_s = self->prefetch == 0 ? now_s : asked_s[j];
            const double needed_s = batch_s(context, (int64_t) j, round);

            if (needed_s < 0) {
                continue;
            }
            free_s[j] = (free_s[j] > from_s ? free_s[j] : from_s) + needed_s;
            asked_s[j] = (now_s > free_s[j] ? now_s : free_s[j]) + self->handover_s;
            waits[taken++] = asked_s[j] - now_s;
            now_s = asked_s[j] + self->compute_s;
            has_any = true;
        }
    }
    *num_taken = taken;
}

/* The same in memory of its own. NO_MEMORY. */
static int loader_run(const spot_loader_flow_t *self, spot_loader_batch_t batch_s, void *context,
    double *waits, int64_t *num_taken)
{
    double *memory =
        spot_calloc((size_t) self->processes, (size_t) (2 + self->prefetch) * sizeof(*memory));

    *num_taken = 0;
    if (memory != NULL) {
        spot_loader_run_in(self, batch_s, context, memory, waits, num_taken);
    }
    free(memory);
    return memory == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* ---- Blocks ---- */

bool spot_loader_blocks_range(
    const spot_loader_blocks_t *self, int64_t process, int64_t round, int64_t *low, int64_t *high)
{
    const int64_t num_blocks = spot_divide_up(self->num_samples, self->block);
    const int64_t last = num_blocks < self->processes ? num_blocks - 1 : self->processes - 1;
    const int64_t own = num_blocks / self->processes + (process < num_blocks % self->processes);
    const int64_t missing = process == last ? num_blocks * self->block - self->num_samples : 0;
    const int64_t num_samples = own * self->block - missing;

    *low = round * self->batch;
    if (self->has_full_batches) {
        *high = *low + self->batch;
        return true;
    }
    *high = *low + self->batch < num_samples ? *low + self->batch : num_samples;
    return *low < *high;
}

double spot_loader_blocks_batch_s(void *context, int64_t process, int64_t round)
{
    const spot_loader_blocks_t *self = context;
    int64_t low, high, num_opened;

    if (!spot_loader_blocks_range(self, process, round, &low, &high)) {
        return -1;
    }
    num_opened =
        spot_divide_up(high, self->block) - (low == 0 ? 0 : spot_divide_up(low, self->block));
    return (double) num_opened * self->block_s +
           (double) (high - low) * (self->sample_s + self->collate_s / (double) self->batch);
}

double spot_loader_steady_wait_s(const double *waits, int64_t num_batches, int64_t processes)
{
    const int64_t rounds = num_batches / processes - 1;
    double sum_s = 0;

    if (rounds < 1) {
        return (double) NAN;
    }
    for (int64_t j = 0; j < rounds * processes; j++) {
        sum_s += waits[processes + j];
    }
    return sum_s / (double) (rounds * processes);
}

/* ---- Prediction ---- */

/* The least time of a batch that the shared bandwidth allows a process. */
static double storage_batch_s(const spot_loader_t *self, const spot_loader_work_t *work)
{
    return (double) self->processes *
           loader_storage_s(self, (double) work->batch, self->local_share, 1);
}

spot_loader_flow_t spot_loader_flow(const spot_loader_t *self, const spot_loader_work_t *work)
{
    const spot_loader_cost_t *cost = &self->cost;
    const bool is_ahead = self->mode == SPOT_LOADER_PREFETCH;
    spot_loader_flow_t flow = {.num_batches = spot_divide_up(work->samples, work->batch),
        .processes = is_ahead ? self->processes : 1,
        .prefetch = is_ahead ? self->prefetch : 0,
        .start_s = seconds(cost->start_ns),
        .handover_s = seconds(cost->handover_ns),
        .compute_s = work->compute_s + seconds(cost->compute_ns)};

    if (self->block > 1 && cost->merged_compute_ns > 0) {
        const double batch_s = loader_batch_s(self, (double) work->batch, self->local_share);
        const double pressure =
            batch_s / ((double) self->processes * (flow.compute_s + flow.handover_s));

        flow.compute_s += seconds(cost->merged_compute_ns) * (double) self->block /
                          ((double) self->block + cost->half_block) *
                          pow(pressure < 1 ? pressure : 1, cost->exponent);
    }
    return flow;
}

spot_loader_blocks_t spot_loader_blocks(const spot_loader_t *self, const spot_loader_work_t *work)
{
    const double batch_s = loader_batch_s(self, (double) work->batch, self->local_share);
    const double storage_s = storage_batch_s(self, work);
    const bool is_ahead = self->mode == SPOT_LOADER_PREFETCH;

    return (spot_loader_blocks_t){.num_samples = work->samples,
        .block = self->block,
        .batch = work->batch,
        .processes = is_ahead ? self->processes : 1,
        .has_full_batches = self->block == 1 && self->deal == SPOT_LOADER_DEAL_BATCHES,
        .block_s = mixed_s(self->cost.open_ns, self->local_share),
        .sample_s = mixed_s(self->cost.read_ns, self->local_share) + spot_loader_decode_s(self),
        .collate_s =
            collate_s(self, (double) work->batch) +
            (is_ahead ? fmax(0, storage_s - batch_s) : storage_s / (double) self->processes)};
}

double spot_loader_memory_bytes(const spot_loader_t *self, int64_t batch)
{
    return self->sample_bytes == 0
               ? (double) NAN
               : (double) self->sample_bytes * (double) self->processes *
                     ((double) self->prefetch * (double) batch + (double) self->block);
}

/* What bounds the steady period of a batch. */
static const char *limit_of(
    const spot_loader_t *self, double compute_s, double loader_s, double storage_s)
{
    return self->mode == SPOT_LOADER_SYNCHRONOUS           ? "loader"
           : storage_s > loader_s && storage_s > compute_s ? "storage"
           : loader_s > compute_s                          ? "loader"
                                                           : "compute";
}

int spot_loader_predict(
    spot_loader_prediction_t *prediction, const spot_loader_t *self, const spot_loader_work_t *work)
{
    const spot_loader_flow_t flow = spot_loader_flow(self, work);
    const double processes = (double) self->processes;
    spot_loader_blocks_t blocks = spot_loader_blocks(self, work);
    double *waits = spot_calloc((size_t) flow.num_batches, sizeof(*waits));
    double sum_s = 0, steady_s;
    int64_t num;
    int ret = waits == NULL ? SPOT_ERR_NO_MEMORY
                            : loader_run(&flow, spot_loader_blocks_batch_s, &blocks, waits, &num);

    if (ret != 0) {
        goto out;
    }
    for (int64_t j = 0; j < num; j++) {
        sum_s += waits[j];
    }
    steady_s = spot_loader_steady_wait_s(waits, num, flow.processes);
    *prediction = (spot_loader_prediction_t){.num_batches = num,
        .batch_s = loader_batch_s(self, (double) work->batch, self->local_share),
        .load_s = sum_s / (double) num,
        .compute_s = flow.compute_s,
        .fill_s = waits[0],
        .steady_load_s = steady_s,
        .stall_share = steady_s / (steady_s + flow.compute_s),
        .memory_bytes = spot_loader_memory_bytes(self, work->batch)};
    prediction->completion_s = prediction->load_s + flow.compute_s;
    prediction->samples_per_s = (double) work->batch / prediction->completion_s;
    prediction->limit = limit_of(self, flow.compute_s + flow.handover_s,
        prediction->batch_s / processes, storage_batch_s(self, work) / processes);
out:
    free(waits);
    return ret;
}
