#include "reference_stream.h"
#include "base/numbers/hash.h"

#include <math.h>

#define STORE (UINT64_C(1) << 63)

enum { ZIPF_LINES = 1 << 19, HOT_LINES = 4096 };

static const double zipf_exponent = 0.99;

static uint64_t splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    return wm_hash_u64(*state);
}

static double unit_interval(uint64_t word)
{
    return (double)(word >> 11) * (1.0 / 9007199254740992.0);
}

static uint64_t store_bit(uint64_t word)
{
    return (word & 0xffff) % 100 < 30 ? STORE : 0;
}

static void mix_init(struct wm_mix_stream *mix, uint64_t seed, uint64_t step)
{
    double zeta = 0;
    for (uint32_t rank = 1; rank <= ZIPF_LINES; rank++)
        zeta += pow(1.0 / rank, zipf_exponent);
    double zeta_of_two = 1.0 + pow(0.5, zipf_exponent);
    *mix = (struct wm_mix_stream){
        .state = seed,
        .step = step,
        .zeta = zeta,
        .alpha = 1.0 / (1.0 - zipf_exponent),
        .eta = (1.0 - pow(2.0 / ZIPF_LINES, 1.0 - zipf_exponent)) / (1.0 - zeta_of_two / zeta),
        .second_below = zeta_of_two,
    };
}

static uint32_t zipf_rank(const struct wm_mix_stream *mix, double u)
{
    double scaled = u * mix->zeta;
    if (scaled < 1.0)
        return 0;
    if (scaled < mix->second_below)
        return 1;
    double rank = (double)ZIPF_LINES * pow(mix->eta * u - mix->eta + 1.0, mix->alpha);
    return rank >= ZIPF_LINES ? ZIPF_LINES - 1 : (uint32_t)rank;
}

static uint64_t mix_next(struct wm_mix_stream *mix)
{
    uint64_t decision = splitmix64(&mix->state), class = (decision >> 40) % 100;
    if (class < 50)
        return (UINT64_C(0x80000000) + (mix->sequential++ * mix->step & 0x7fffffff)) |
               store_bit(decision);
    uint64_t word = splitmix64(&mix->state);
    if (class >= 80)
        return (UINT64_C(0x40000000) + (word & 0x3ffffffc)) | store_bit(decision);
    uint64_t rank = zipf_rank(mix, unit_interval(word));
    uint64_t line = rank * 0x9E3779B1 & (ZIPF_LINES - 1);
    return (UINT64_C(0x10000000) + line * 128 + (word & 31) * 4) | store_bit(decision);
}

static uint64_t hot_next(struct wm_reference_stream *stream)
{
    uint64_t decision = splitmix64(&stream->hot_state), class = (decision >> 32) % 100;
    if (class < 80)
        return (UINT64_C(0x20000000) + (stream->hot_steps++ * 4 & 16383)) | store_bit(decision);
    if (class >= 97)
        return mix_next(&stream->mix);
    double u = unit_interval(splitmix64(&stream->hot_state));
    uint64_t line = (uint64_t)(pow(HOT_LINES + 1.0, u) - 1.0) & (HOT_LINES - 1);
    return (UINT64_C(0x24000000) + line * 128) | store_bit(decision);
}

void wm_reference_stream_init(struct wm_reference_stream *stream,
                              enum wm_reference_stream_kind kind)
{
    *stream = (struct wm_reference_stream){.kind = kind, .hot_state = 99};
    mix_init(&stream->mix, kind == WM_STREAM_HOT ? 3 : 1, kind == WM_STREAM_MIX128 ? 128 : 4);
}

void wm_reference_stream_fill(struct wm_reference_stream *stream, uint64_t *references,
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        references[i] = stream->kind == WM_STREAM_HOT ? hot_next(stream) : mix_next(&stream->mix);
}
