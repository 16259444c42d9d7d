/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training job: its model, and the durations of its steps, checkpoints and pauses.
 *
 * A scenario binds spot_job_fields; spot_job_settle() completes what follows from other
 * keys: step times by (D,P), and the figures that all recovery systems share - how long it
 * takes to detect a loss, to regroup the instances, to rebuild what they run, to read the
 * state back, to write a checkpoint and to copy state from one instance to another. A
 * figure that the job gives is measured and wins. Otherwise it follows from the bytes of
 * the state and a bandwidth, and else it is the default of its key:
 *
 *     job.reload            state bytes / fleet.storage
 *     job.checkpoint.write  state bytes / fleet.storage
 *     job.reconfiguration   job.regroup + job.rebuild, always
 *
 * A settled job is constant: any number of threads may ask it for step times. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/checkpoint.h"
#include "models/loader/loader.h"
#include "models/step_time.h"

/* ---- The model ---- */

typedef enum {
    SPOT_MODEL_GPT,  /* learned positions, biases, LayerNorm; the head is the embedding */
    SPOT_MODEL_BERT, /* the same with segments and a pooler */
    SPOT_MODEL_LLAMA /* rotary positions, gated feed-forward, RMSNorm, a head of its own
                      */
} spot_model_family_t;

/* A published transformer, known by name. The number of parameters follows from the
 * shape. */
typedef struct {
    spot_model_family_t family;
    double published_parameters; /* the round number of the paper */
    int64_t num_blocks;          /* attention and feed-forward */
    int64_t hidden;              /* width, num_heads times the size of a head */
    int64_t num_heads;
    int64_t num_kv_heads; /* of keys and values */
    int64_t feed_forward; /* width */
    int64_t sequence;     /* tokens of a sample */
    int64_t vocabulary;
    const char *doc; /* the shape in words and its source */
} spot_model_preset_t;

/* In the same order; NULL ends the names. */
extern const char *const spot_model_names[];
extern const spot_model_preset_t spot_model_presets[];

/* Bytes a parameter of a model in training with Adam and mixed precision: fp16 2, fp32
 * master copy 4, moments 4 + 4, fp16 gradient 2 (ZeRO, SC'20, section 3.1). */
#define SPOT_MODEL_MEMORY_BYTES 16
/* Layers of job.model besides the blocks: the embedding and the head. */
#define SPOT_MODEL_ENDS 2

/* Parameters, exactly: of one block, and of the whole model. */
int64_t spot_model_preset_block(const spot_model_preset_t *self);
int64_t spot_model_preset_parameters(const spot_model_preset_t *self);

/* The state of the model that is trained. 0: not given. */
typedef struct {
    int preset_id;                     /* during reading only */
    const spot_model_preset_t *preset; /* that it is named by, or NULL */
    double num_parameters;
    int64_t num_layers;
    double bytes_per_parameter; /* of the state of training, optimizer included */
} spot_model_t;

/* The bytes of the whole state; 0: not known. */
static inline double spot_model_state_bytes(const spot_model_t *self)
{
    return self->num_parameters * self->bytes_per_parameter;
}

/* Time to move bytes at a bandwidth above 0, in whole ms; SPOT_MAX_DURATION_MS at most.
 */
int64_t spot_transfer_ms(double bytes, double bytes_per_s);

/* ---- The job ---- */

typedef struct spot_job {
    int64_t pipeline_depth;   /* instances in one pipeline, >= 1 */
    int64_t max_pipelines;    /* >= 1 */
    int64_t samples_per_step; /* global batch, >= 1 */
    spot_step_time_t step_time;
    int is_step_assumed; /* these are no measurements */
    spot_checkpoint_t checkpoint;
    int64_t reconfiguration_ms; /* pause to form pipelines, >= 0 */
    int64_t reload_ms;          /* pause to load the durable state, >= 0 */
    /* The others are settled with reconfiguration_ms, of which regroup_ms and rebuild_ms
     * are the parts. */
    int64_t detection_ms;
    int64_t regroup_ms;
    int64_t rebuild_ms;
    spot_model_t model;
    double network_bytes_per_s; /* of each instance, of the fleet; 0: not given */
    double storage_bytes_per_s; /* of all instances together; 0: not given */
    spot_loader_t input;        /* the data loader, if it is given */
} spot_job_t;

extern const spot_field_t spot_job_fields[];

void spot_job_free(spot_job_t *self);

/* Completes a job that was bound without an error: checks and fills the step times by
 * (D,P) for up to max_instances instances, which depend on several keys, and warns of
 * steps that take longer with more instances. Errors are reported to bind. step_time: their node,
 * for messages; NULL: none are by (D,P). */
void spot_job_settle(
    spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances);

/* Completes the figures of a job that was bound without an error, and warns of those
 * that are of another job. job: its node, or NULL. Errors go to bind. */
void spot_job_settle_terms(spot_job_t *self, spot_bind_t *bind, const spot_node_t *job);

/* ---- Step times ---- */

/* The most pipelines of pipeline_depth that num_instances and max_pipelines allow and
 * that have a step time. O(1); by (D,P) O(log pairs). */
int64_t spot_job_pipelines(const spot_job_t *self, int64_t num_instances);

/* The number of pipelines of pipeline_depth with the shortest step time; of equal times
 * the smallest number; 0: none is possible. By world size it looks up to the largest
 * point, beyond which step times are flat. O(pipelines). */
int64_t spot_job_best_pipelines(const spot_job_t *self, int64_t num_instances);

/* Whether spot_job_pipelines() would be larger if all pairs had a step time. The caller
 * must warn of it. */
bool spot_job_lacks_step_time(const spot_job_t *self, int64_t num_instances);

/* Whether the fastest pipelines for num_instances may lack a step time. By world size:
 * the most pipelines are beyond the largest point. By a table by (D,P), for the depths
 * from min_depth to max_depth: the most pipelines of some depth are not listed and have
 * more instances than any listed pair, or the most pipelines are listed for no depth.
 * The caller must warn of it. O(1); for a table O(pairs). */
bool spot_job_lacks_best_step_time(
    const spot_job_t *self, int64_t num_instances, int64_t min_depth, int64_t max_depth);

/* The step time of num_pipelines, a number for which a step time exists. */
int64_t spot_job_step_ms(const spot_job_t *self, int64_t num_pipelines);

/* Whether that step time is at a measured point or between two; by (D,P) always. */
bool spot_job_covers_step(const spot_job_t *self, int64_t num_pipelines);

/* Whether that step time is by (D,P) and marked in the table as fitted by a formula or
 * estimated. */
bool spot_job_is_step_fitted(const spot_job_t *self, int64_t num_pipelines);

/* ---- Step times with places lost ---- */

/* The step time while peers of the same stage take the micro-batches of lost instances,
 * as in ReCycle (Gandhi et al., SOSP'24). An approximation, unverified: max((M+P-1)c, M
 * c max_s D/(D-f_s) + fill) with c = F+B and f_s places lost at stage s; fill = (P-1)F
 * at best, with weight gradients moved into bubbles, (P-1)c at worst. With a pipeline model of the
 * job, its step time grows by the difference of the formula's values, so that links and all-reduce
 * stay unchanged. Without one, c is unknown and the step time grows by their ratio, in which c
 * cancels. */
typedef struct {
    int64_t micro_batch;  /* samples, >= 1 */
    double forward_share; /* F/c, used if the job has no pipeline model */
    bool is_worst_fill;
} spot_reroute_t;

/* Samples of a micro-batch in the job's pipeline model or table; 0: not given. */
int64_t spot_reroute_micro_batch(const spot_job_t *job);

/* The step time of num_pipelines of the job's depth with num_lost places lost at the
 * worst stage, 0 to num_pipelines - 1; with 0 it is the job's own. At least 1 ms. */
int64_t spot_reroute_step_ms(
    const spot_reroute_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t num_lost);
