/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published transformers by name. The number of parameters follows from the shape. */
#pragma once

#include <stdint.h>

typedef enum {
    SPOT_MODEL_GPT,  /* learned positions, biases, LayerNorm; the head is the embedding */
    SPOT_MODEL_BERT, /* the same with segments and a pooler */
    SPOT_MODEL_LLAMA /* rotary positions, gated feed-forward, RMSNorm, a head of its own
                      */
} spot_model_family_t;

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

/* Bytes a parameter of a checkpoint with Adam and mixed precision: fp16 2, fp32 master
 * copy 4, moments 4 + 4; in memory an fp16 gradient too (ZeRO, SC'20, section 3.1). */
#define SPOT_MODEL_SAVED_BYTES 14
#define SPOT_MODEL_MEMORY_BYTES 16
/* Layers of job.model besides the blocks: the embedding and the head. */
#define SPOT_MODEL_ENDS 2

/* Parameters, exactly: of one block, and of the whole model. */
int64_t spot_model_preset_block(const spot_model_preset_t *self);
int64_t spot_model_preset_parameters(const spot_model_preset_t *self);
