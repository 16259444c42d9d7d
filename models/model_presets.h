/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published transformers by name. The number of parameters follows from the shape. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/suggest.h"

typedef enum {
    SPOT_MODEL_GPT, /* learned positions, biases, LayerNorm; the head is the embedding */
    SPOT_MODEL_BERT, /* the same with segments and a pooler */
    SPOT_MODEL_LLAMA /* rotary positions, gated feed-forward, RMSNorm, a head of its own
                      */
} spot_model_family_t;

typedef struct {
    const char *name; /* NULL behind the last */
    spot_model_family_t family;
    double published_parameters; /* the round number of the paper */
    int64_t num_blocks;          /* attention and feed-forward */
    int64_t hidden;              /* width, num_heads times the size of a head */
    int64_t num_heads;
    int64_t num_kv_heads; /* of keys and values */
    int64_t feed_forward; /* width */
    int64_t sequence;     /* tokens of a sample */
    int64_t vocabulary;
    const char *source;
} spot_model_preset_t;

extern const spot_model_preset_t spot_model_presets[];

/* The state in a checkpoint with Adam and mixed precision, a parameter: 2 of fp16, 4 of
 * the fp32 master copy, 4 of each moment; and in memory, with its fp16 gradient.
 * Rajbhandari et al., ZeRO, SC'20, section 3.1. */
#define SPOT_MODEL_SAVED_BYTES 14
#define SPOT_MODEL_MEMORY_BYTES 16
#define SPOT_MODEL_HALF_BYTES 2 /* of a parameter, a gradient or an activation in fp16  \
                                 */

/* The preset of a name, or NULL; near may be NULL. */
const spot_model_preset_t *spot_model_preset_find(
    const char *name, spot_suggest_t *near);

/* The j-th name, or NULL behind the last. */
const char *spot_model_preset_name(size_t j);

/* All parameters, exactly; those of one block; and those of the embedding of tokens,
 * as many as of the head. */
int64_t spot_model_preset_parameters(const spot_model_preset_t *self);
int64_t spot_model_preset_block_parameters(const spot_model_preset_t *self);
int64_t spot_model_preset_token_parameters(const spot_model_preset_t *self);

/* The layers of job.model: the blocks, the embedding and the head. */
int64_t spot_model_preset_layers(const spot_model_preset_t *self);
