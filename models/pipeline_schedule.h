/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The duration of a step by the schedule of its pipelines, in closed form.
 *
 * A step cuts the samples of each of D pipelines into M micro-batches and sends them
 * through P stages and back. All stages take the same time. A transfer to the next stage
 * takes link_ms and does not overlap with work. Times are doubles in ms, as a
 * micro-batch may take less than 1 ms.
 *
 * GPipe: Huang et al., NeurIPS'19. 1F1B with a flush: Narayanan et al., SC'21 (not
 * interleaved). Rule-based schedule: Athlur et al., Varuna, EuroSys'22. Ring all-reduce:
 * Patarasuk and Yuan, JPDC 2009. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One pipeline and one step. */
typedef struct {
    int64_t num_stages;        /* P >= 1 */
    int64_t num_micro_batches; /* M >= 1 */
    double forward_ms;         /* F, of a micro-batch in one stage */
    double backward_ms;        /* B, likewise; see spot_pipeline_recomputed() */
    double link_ms;            /* S, from a stage to its neighbour, either way */
} spot_pipeline_t;

/* M, the micro-batches of the fullest of num_pipelines pipelines. All arguments >= 1. */
int64_t spot_micro_batches(int64_t samples_per_step, int64_t micro_batch, int64_t num_pipelines);

/* All forward passes, then all backward passes: (M+P-1)(F+B) + 2(P-1)S. Exact. */
double spot_pipeline_gpipe_ms(const spot_pipeline_t *self);

/* One forward, one backward in turn, after P-1-s forwards on stage s: (M+P-1)(F+B) +
 * 2S(P+M-2-ceil((M-1)/P)), and M(F+B) for one stage. Exact. */
double spot_pipeline_1f1b_ms(const spot_pipeline_t *self);

/* The same pipeline with activations recomputed before each backward pass: B+F for B. */
spot_pipeline_t spot_pipeline_recomputed(const spot_pipeline_t *self);

/* Varuna's rules, by which all stages but the last recompute their activations (B of
 * self excludes that): (M+P-2)(2F+B) + 2(P-1)S, and M(F+B) for one stage. An
 * approximation: -0.5 to +8 % of Varuna's own simulator, on average within 1.1 %. */
double spot_pipeline_varuna_ms(const spot_pipeline_t *self);

/* Time to sum the gradients of a stage over the D pipelines that hold it: 2(D-1)/D
 * bytes/bandwidth. bytes_per_s > 0. */
double spot_ring_all_reduce_ms(int64_t num_pipelines, double bytes, double bytes_per_s);

/* Memory of a stage. */
typedef struct {
    double state_bytes;      /* parameters, gradients and the optimizer's state */
    double activation_bytes; /* of one micro-batch, for its backward pass */
    double input_bytes;      /* of one micro-batch, kept instead with recomputation */
} spot_stage_memory_t;

/* The most memory of a stage while num_in_flight micro-batches wait for their backward
 * pass; with recomputation one of them has its activations. */
double spot_stage_memory_bytes(
    const spot_stage_memory_t *self, int64_t num_in_flight, bool is_recomputed);

/* The most micro-batches between forward and backward pass on the first stage, which has
 * the most of all stages: M in GPipe, min(P, M) in 1F1B. */
int64_t spot_pipeline_gpipe_in_flight(const spot_pipeline_t *self);
int64_t spot_pipeline_1f1b_in_flight(const spot_pipeline_t *self);
