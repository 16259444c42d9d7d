/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step takes by the schedule of its pipelines, in closed form.
 *
 * A step cuts the samples of each of D pipelines into M micro-batches and sends them
 * through P stages and back. All stages take the same time; what goes from stage to
 * stage takes link_ms a hop, which is not hidden behind work. Times are doubles in ms:
 * a micro-batch may take less than one.
 *
 * GPipe: Huang et al., NeurIPS'19. 1F1B with a flush: Narayanan et al., SC'21 (not
 * interleaved). Rule-based schedule: Athlur et al., Varuna, EuroSys'22. Ring all-reduce:
 * Patarasuk and Yuan, JPDC 2009. */
#ifndef SPOT_MODELS_PIPELINE_SCHEDULE_H
#define SPOT_MODELS_PIPELINE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One pipeline and one step. */
typedef struct {
    int64_t num_stages;        /* P >= 1 */
    int64_t num_micro_batches; /* M >= 1 */
    double forward_ms;         /* of a micro-batch through one stage */
    double backward_ms; /* the same; with recomputation of all stages, see below */
    double link_ms;     /* from a stage to its neighbour, either way */
} spot_pipeline_t;

/* M of each pipeline: the fullest of num_pipelines counts. All arguments >= 1. */
int64_t spot_micro_batches(
    int64_t samples_per_step, int64_t micro_batch, int64_t num_pipelines);

/* All forward passes, then all backward passes: (M+P-1)(F+B) + 2(P-1)S. Exact. */
double spot_pipeline_gpipe_ms(const spot_pipeline_t *self);

/* One forward, one backward, after P-1-s forwards on stage s: (M+P-1)(F+B) +
 * 2S(P+M-2-ceil((M-1)/P)), and M(F+B) for one stage. Exact. */
double spot_pipeline_1f1b_ms(const spot_pipeline_t *self);

/* The same pipeline with activations computed anew before each backward pass: B+F for B.
 */
spot_pipeline_t spot_pipeline_recomputed(const spot_pipeline_t *self);

/* Varuna's rules, in which all stages but the last compute their activations anew (self
 * has B without that): (M+P-2)(2F+B) + 2(P-1)S, and M(F+B) for one stage. An
 * approximation: -0.5 to +8 % of Varuna's own simulator, on average within 1.1 %. */
double spot_pipeline_varuna_ms(const spot_pipeline_t *self);

/* The most that 1F1B takes with stages that differ, if F/B is the same on all of them
 * and links have no latency: sum(F+B) + (M-1) max(F+B). Of stages that differ by up to a
 * half it is 0 to 15 % too long. Where F/B differs it may be too short as well: by 9 %
 * for M = 5 and F/B = 1/10, 10/1, 1/1. stage_ms: [num_stages] F+B of a micro-batch. */
double spot_pipeline_unequal_bound_ms(
    int64_t num_micro_batches, size_t num_stages, const double *stage_ms);

/* The gradients of a stage, added up over the D pipelines that hold it:
 * 2(D-1)/D bytes/bandwidth. bytes_per_s > 0. */
double spot_ring_all_reduce_ms(int64_t num_pipelines, double bytes, double bytes_per_s);

/* What a stage keeps in memory. */
typedef struct {
    double state_bytes;      /* parameters, gradients and the optimizer's state */
    double activation_bytes; /* of one micro-batch, for its backward pass */
    double input_bytes;      /* of one micro-batch: all that recomputation keeps of it */
} spot_stage_memory_t;

/* The most that a stage needs while num_in_flight micro-batches wait for their backward
 * pass; with recomputation one of them has its activations. */
double spot_stage_memory_bytes(
    const spot_stage_memory_t *self, int64_t num_in_flight, bool is_recomputed);

/* The most micro-batches between forward and backward pass on the first stage, which
 * has most of them: M in GPipe, min(P, M) in 1F1B. */
int64_t spot_pipeline_gpipe_in_flight(const spot_pipeline_t *self);
int64_t spot_pipeline_1f1b_in_flight(const spot_pipeline_t *self);

#endif
