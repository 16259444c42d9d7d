/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/model_presets.h"

#include <stddef.h>

/* Brown et al. print 24 heads for 1.3B and a width of 5140 for 13B, which do not fit
 * heads of 128. 16 and 5120 give the published numbers of parameters. */
#define SHAPE(family, count, blocks, h, heads, kv, f, sequence, vocabulary, source)                \
    {                                                                                              \
        SPOT_MODEL_##family, count, blocks, h, heads, kv, f, sequence, vocabulary,                 \
            #count " parameters as published, " #blocks " blocks of width " #h ", " #heads         \
                   " heads; " source                                                               \
    }
#define GPT_2(count, blocks, h, heads)                                                             \
    SHAPE(GPT, count, blocks, h, heads, heads, 4 * (h), 1024, 50257,                               \
        "Radford et al. 2019, Table 2, counts of the released models")
#define GPT_3(count, blocks, h, heads)                                                             \
    SHAPE(GPT, count, blocks, h, heads, heads, 4 * (h), 2048, 50257, "Brown et al. 2020, Table 2.1")
#define LLAMA_2(count, blocks, h, heads, kv, f)                                                    \
    SHAPE(LLAMA, count, blocks, h, heads, kv, f, 4096, 32000,                                      \
        "Touvron et al. 2023 (Llama 2), Table 1, and the released configuration")

const char *const spot_model_names[] = {"gpt-2-124m", "gpt-2-355m", "gpt-2-1.5b", "bert-large",
    "gpt-3-medium", "gpt-3-1.3b", "gpt-3-2.7b", "gpt-3-6.7b", "gpt-3-13b", "gpt-3-175b",
    "llama-2-7b", "llama-2-13b", "llama-2-70b", NULL};
const spot_model_preset_t spot_model_presets[] = {
    GPT_2(124e6, 12, 768, 12),
    GPT_2(355e6, 24, 1024, 16),
    GPT_2(1.5e9, 48, 1600, 25),
    SHAPE(BERT, 340e6, 24, 1024, 16, 16, 4096, 512, 30522, "Devlin et al. 2019, section 3"),
    GPT_3(350e6, 24, 1024, 16),
    GPT_3(1.3e9, 24, 2048, 16),
    GPT_3(2.7e9, 32, 2560, 32),
    GPT_3(6.7e9, 32, 4096, 32),
    GPT_3(13e9, 40, 5120, 40),
    GPT_3(175e9, 96, 12288, 96),
    LLAMA_2(7e9, 32, 4096, 32, 32, 11008),
    LLAMA_2(13e9, 40, 5120, 40, 40, 13824),
    LLAMA_2(70e9, 80, 8192, 64, 8, 28672),
};

int64_t spot_model_preset_block(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, f = self->feed_forward;
    const int64_t kv = h / self->num_heads * self->num_kv_heads;
    const int64_t attention = 2 * h * h + 2 * h * kv;

    return self->family == SPOT_MODEL_LLAMA ? attention + 3 * h * f + 2 * h
                                            : attention + 2 * h * f + (4 * h + f + h) + 2 * 2 * h;
}

int64_t spot_model_preset_parameters(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, tokens = self->vocabulary * h;
    const int64_t blocks = self->num_blocks * spot_model_preset_block(self);
    const int64_t norm = 2 * h, segments = 2 * h, pooler = h * h + h;

    return self->family == SPOT_MODEL_LLAMA
               ? 2 * tokens + blocks + h
               : tokens + self->sequence * h + blocks + norm +
                     (self->family == SPOT_MODEL_BERT ? segments + pooler : 0);
}
