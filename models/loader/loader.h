/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A data loader: processes that read, decode and collate batches ahead of a training
 * loop, and how long that loop waits for them. All times are in seconds.
 *
 * W processes take batches in turn, each at most PF ahead, and deliver them in order. A
 * process needs for a batch of B samples
 *
 *     T = B (io + decode) + collate,  io = open / block + read of a sample
 *
 * A block above 1 merges so many samples into one file; decoding then runs in threads
 * and costs more by the sample. Source of form and constants: measured runs published
 * with Kang et al., COMSNETS 2024. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"

/* Where samples are. */
typedef enum { SPOT_SITE_LOCAL, SPOT_SITE_REMOTE, SPOT_NUM_SITES } spot_site_t;

#define SPOT_LOADER_MAX_PROCESSES 4096
#define SPOT_LOADER_MAX_PREFETCH 4096
#define SPOT_LOADER_MAX_THREADS 4096
#define SPOT_LOADER_MAX_SAMPLES 1000000000000 /* of a data set, a block, a batch */

typedef enum { SPOT_LOADER_FIRST_STAGE, SPOT_LOADER_ALL } spot_loader_instances_t;
typedef enum { SPOT_LOADER_PREFETCH, SPOT_LOADER_SYNCHRONOUS } spot_loader_mode_t;

/* How samples in files of their own are dealt: whole batches to processes in turn; or so
 * many samples to each process, which cuts them into batches, as it does with blocks. */
typedef enum { SPOT_LOADER_DEAL_BATCHES, SPOT_LOADER_DEAL_SAMPLES } spot_loader_deal_t;

/* What a loader costs. In ns, as its keys are. */
typedef struct {
    int64_t decode_ns;               /* of a sample, in files of their own */
    int64_t open_ns[SPOT_NUM_SITES]; /* of a block */
    int64_t read_ns[SPOT_NUM_SITES]; /* of a sample */
    int64_t merged_ns;               /* more of a sample in blocks above 1; may be below 0 */
    double thread_growth;            /* decoding in blocks takes 1 + this x log2(threads) */
    int64_t collate_ns;              /* of a batch of collate_batch samples */
    int64_t collate_batch;           /* B_ref >= 1 */
    int64_t start_ns;                /* of a process */
    int64_t handover_ns;             /* of a batch to the training loop */
    int64_t compute_ns;              /* more of a batch in the training loop */
    /* Blocks above 1 slow the training loop down by
     * merged_compute x b / (b + half_block) x min(1, T / (W (compute +
     * handover)))^exponent
     */
    int64_t merged_compute_ns;
    double half_block;
    double exponent;
} spot_loader_cost_t;

#define SPOT_LOADER_MAX_NS ((double) 86400000000000) /* a day, of any time of a loader */

/* Least and most of the settings that costs were fitted to; 0: not known. */
typedef struct {
    int64_t compute_ns[2]; /* of a batch in the training loop */
    int64_t threads[2];
    int64_t block[2];
} spot_loader_range_t;

extern const spot_field_t spot_loader_range_fields[];

/* Whether a setting is outside such a range, which is known. */
bool spot_loader_is_outside(const int64_t range[2], int64_t value);

/* The keys of "input: {...}". */
typedef struct {
    bool is_given;
    int64_t samples;      /* of the data set; 0: not given */
    int64_t sample_bytes; /* mean; 0: not given */
    int64_t processes;    /* W >= 1 */
    int64_t prefetch;     /* PF >= 1, batches of a process */
    int64_t threads;      /* that decode, of a process */
    int64_t block;        /* samples in a file */
    int instances;        /* spot_loader_instances_t: which load */
    int mode;             /* spot_loader_mode_t */
    int deal;             /* spot_loader_deal_t */
    spot_loader_cost_t cost;
    double local_share;         /* x: of the samples that are read locally */
    double bytes_per_s;         /* that all instances share; 0: no limit */
    int64_t cache_bytes;        /* of an instance; 0: what is read is not kept */
    int64_t overlap_ns;         /* that loaders start before the end of a reload */
    spot_loader_range_t fitted; /* that the costs were fitted to, see spot_loader_bind() */
} spot_loader_t;

extern const spot_field_t spot_loader_fields[];

/* The same of a training job, with the range that its costs were fitted to. */
extern const spot_field_t spot_loader_job_fields[];

/* A field settle function that checks keys together; target is a spot_loader_t. field is
 * NULL where the keys are at the top of a file. */
void spot_loader_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* Binds a loader in place of its type, a map: it may be a map of spot_loader_job_fields, or the
 * path of a file that `spotsim input fit` writes, whose key input is one and whose key fitted is
 * the range; warns of settings that it was not fitted to. Checks the keys together. */
void spot_loader_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The table of the root of such a file. */
const spot_field_t *spot_loader_file_table(const spot_node_t *root);

/* Whether the default of a key ("loader.threads") has a bearing on a bound loader, of a
 * training job or of a loop of its own. */
bool spot_loader_decides(const spot_loader_t *self, const char *key, bool is_of_job);

/* ---- Times of a process ---- */

/* Decoding a sample, with what merging adds. */
double spot_loader_decode_s(const spot_loader_t *self);

/* ---- Steps of a training job ---- */

/* The share that is read locally once an epoch is in the cache. */
double spot_loader_warm_share(const spot_loader_t *self, int64_t num_loading);

typedef struct {
    int64_t wait_ms;   /* of a steady step */
    int64_t refill_ms; /* until the first batch is there after a restart */
} spot_loader_stall_t;

/* The stalls of steps of step_ms, each with num_samples on each of num_loading
 * instances. */
spot_loader_stall_t spot_loader_stall(const spot_loader_t *self, double num_samples,
    double local_share, int64_t num_loading, int64_t step_ms);

/* ---- A run: the event model ---- */

typedef struct {
    int64_t num_batches; /* >= 1, the most that are taken */
    int64_t processes;   /* W */
    int64_t prefetch;    /* PF; 0: a batch is made while the loop waits for it */
    double start_s;      /* s0 */
    double handover_s;   /* g */
    double compute_s;    /* C of a batch */
} spot_loader_flow_t;

/* T of batch number round (from 0) of a process; below 0: it has no more. */
typedef double (*spot_loader_batch_t)(void *context, int64_t process, int64_t round);

/* Runs the events. memory: [processes x (1 + prefetch)], a prefetch of 0 counts as 1.
 * waits: [num_batches], gets how long the loop waits for each batch. num_taken: the
 * batches that there were. O(batches). */
void spot_loader_run_in(const spot_loader_flow_t *self, spot_loader_batch_t batch_s, void *context,
    double *memory, double *waits, int64_t *num_taken);

/* Samples in blocks, dealt to processes. */
typedef struct {
    int64_t num_samples;
    int64_t block;
    int64_t batch; /* B */
    int64_t processes;
    double block_s;        /* of reading a block, at its first sample */
    double sample_s;       /* of a sample */
    double collate_s;      /* of a batch of B, with what the storage adds; of fewer samples in
                              proportion */
    bool has_full_batches; /* of files: all are of B samples, the last one too */
} spot_loader_blocks_t;

/* A batch function; context: a spot_loader_blocks_t. */
double spot_loader_blocks_batch_s(void *context, int64_t process, int64_t round);

/* The samples of such a batch, [*low, *high) of the process. Returns whether there are
 * any. */
bool spot_loader_blocks_range(
    const spot_loader_blocks_t *self, int64_t process, int64_t round, int64_t *low, int64_t *high);

/* The mean over whole rounds of all processes after the first; NAN: there is none. */
double spot_loader_steady_wait_s(const double *waits, int64_t num_batches, int64_t processes);

/* ---- Prediction ---- */

/* A stall of at least this share of the time is called one. */
#define SPOT_LOADER_STALLED 0.05

typedef struct {
    int64_t batch;    /* samples of a batch, >= 1 */
    int64_t samples;  /* of an epoch, >= 1 */
    double compute_s; /* of a batch, without the loader's own cost */
} spot_loader_work_t;

typedef struct {
    int64_t num_batches;
    double batch_s;      /* T */
    double load_s;       /* mean wait */
    double compute_s;    /* C */
    double completion_s; /* their sum */
    double samples_per_s;
    double fill_s;        /* first wait */
    double steady_load_s; /* NAN: no whole round */
    double stall_share;   /* of steady completion */
    const char *limit;    /* what binds: "compute", "loader", "storage" */
    double memory_bytes;  /* of batches and blocks under way; NAN: not known */
} spot_loader_prediction_t;

/* The flow of an epoch, and its blocks. */
spot_loader_flow_t spot_loader_flow(const spot_loader_t *self, const spot_loader_work_t *work);
spot_loader_blocks_t spot_loader_blocks(const spot_loader_t *self, const spot_loader_work_t *work);

/* Of the batches and blocks under way; NAN: sample_bytes is not given. */
double spot_loader_memory_bytes(const spot_loader_t *self, int64_t batch);

/* One epoch by the event model. NO_MEMORY. */
SPOT_MUST_CHECK int spot_loader_predict(spot_loader_prediction_t *prediction,
    const spot_loader_t *self, const spot_loader_work_t *work);
