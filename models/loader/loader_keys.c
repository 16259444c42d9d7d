/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of an input pipeline. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "models/loader/loader.h"

typedef spot_loader_t loader_t;

const char *const spot_site_names[] = {"local", "remote", NULL};
static const char *const instances_names[] = {"first_stage", "all", NULL};
static const char *const deal_names[] = {"batches", "samples", NULL};
static const char *const mode_names[] = {"prefetch", "synchronous", NULL};

#define MAX_NS ((double) 86400000000000) /* a day */
#define TIME(key, member, low, starts, ...)                                                        \
    {                                                                                              \
        SPOT_WITHIN(DURATION_NS, key, loader_t, member, low, MAX_NS, starts, __VA_ARGS__),         \
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
    TIME("merged", cost.merged_ns, -MAX_NS, "0 ms", "merging time",
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
