/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/model_presets.h"

#include <string.h>

/* Table 2.1 of Brown et al. prints 24 heads for 1.3B and a width of 5140 for 13B, which
 * are no multiples of its heads of 128. Here they are 16 and 5120: so the number of
 * parameters comes out. */
#define RADFORD "Radford et al. 2019, Table 2, counts of the released models"
#define DEVLIN "Devlin et al. 2019, section 3"
#define BROWN "Brown et al. 2020, Table 2.1"
#define TOUVRON "Touvron et al. 2023 (Llama 2), Table 1 and the released configuration"
#define GPT_2(name, count, blocks, hidden, heads)                                       \
    {                                                                                   \
        name, SPOT_MODEL_GPT, count, blocks, hidden, heads, heads, 4 * (hidden), 1024,  \
            50257, RADFORD                                                              \
    }
#define GPT_3(name, count, blocks, hidden, heads, source)                               \
    {                                                                                   \
        name, SPOT_MODEL_GPT, count, blocks, hidden, heads, heads, 4 * (hidden), 2048,  \
            50257, source                                                               \
    }
#define LLAMA_2(name, count, blocks, hidden, heads, kv_heads, feed_forward)             \
    {                                                                                   \
        name, SPOT_MODEL_LLAMA, count, blocks, hidden, heads, kv_heads, feed_forward,   \
            4096, 32000, TOUVRON                                                        \
    }

const spot_model_preset_t spot_model_presets[] = {
    GPT_2("gpt-2-124m", 124e6, 12, 768, 12),
    GPT_2("gpt-2-355m", 355e6, 24, 1024, 16),
    GPT_2("gpt-2-1.5b", 1.5e9, 48, 1600, 25),
    {"bert-large", SPOT_MODEL_BERT, 340e6, 24, 1024, 16, 16, 4096, 512, 30522, DEVLIN},
    GPT_3("gpt-3-medium", 350e6, 24, 1024, 16, BROWN),
    GPT_3("gpt-3-1.3b", 1.3e9, 24, 2048, 16, BROWN " (which prints 24 heads)"),
    GPT_3("gpt-3-2.7b", 2.7e9, 32, 2560, 32, BROWN),
    GPT_3("gpt-3-6.7b", 6.7e9, 32, 4096, 32, BROWN),
    GPT_3("gpt-3-13b", 13e9, 40, 5120, 40, BROWN " (which prints a width of 5140)"),
    GPT_3("gpt-3-175b", 175e9, 96, 12288, 96, BROWN),
    LLAMA_2("llama-2-7b", 7e9, 32, 4096, 32, 32, 11008),
    LLAMA_2("llama-2-13b", 13e9, 40, 5120, 40, 40, 13824),
    LLAMA_2("llama-2-70b", 70e9, 80, 8192, 64, 8, 28672),
    {.name = NULL},
};

const spot_model_preset_t *
spot_model_preset_find(const char *name, spot_suggest_t *near)
{
    for (const spot_model_preset_t *preset = spot_model_presets; preset->name != NULL;
         preset++) {
        if (strcmp(preset->name, name) == 0) {
            return preset;
        }
        if (near != NULL) {
            spot_suggest_offer(near, preset->name);
        }
    }
    return NULL;
}

const char *
spot_model_preset_name(size_t j)
{
    return spot_model_presets[j].name;
}

int64_t
spot_model_preset_block_parameters(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, f = self->feed_forward;
    const int64_t kv = h / self->num_heads * self->num_kv_heads;
    const int64_t attention = 2 * h * h + 2 * h * kv;

    return self->family == SPOT_MODEL_LLAMA
               ? attention + 3 * h * f + 2 * h
               : attention + 2 * h * f + (4 * h + f + h) + 2 * 2 * h;
}

int64_t
spot_model_preset_token_parameters(const spot_model_preset_t *self)
{
    return self->vocabulary * self->hidden;
}

int64_t
spot_model_preset_parameters(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, tokens = spot_model_preset_token_parameters(self);
    const int64_t blocks = self->num_blocks * spot_model_preset_block_parameters(self);
    const int64_t norm = 2 * h, segments = 2 * h, pooler = h * h + h;

    switch (self->family) {
        case SPOT_MODEL_LLAMA:
            return 2 * tokens + blocks + h;
        case SPOT_MODEL_BERT:
            return tokens + self->sequence * h + segments + norm + blocks + pooler;
        case SPOT_MODEL_GPT:
            break;
    }
    return tokens + self->sequence * h + blocks + norm;
}

int64_t
spot_model_preset_layers(const spot_model_preset_t *self)
{
    return self->num_blocks + 2;
}
