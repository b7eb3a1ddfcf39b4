// Values of texels: see texel.h.
#include "exec/texture/texel.h"

#include "exec/lanes/lane_values.h"

#include <math.h>
#include <string.h>

float wm_float_of_half(uint16_t half)
{
    return float_of_half(half);
}

uint16_t wm_half_of_float(float value)
{
    return (uint16_t)half_of_float(value);
}

void wm_texel_integers(const struct wm_texel_format *format, const void *bytes,
                       uint32_t channels[4])
{
    const char *at = bytes;
    bool is_signed = format->kind == WM_TEXEL_SIGNED;
    unsigned shift = 32 - 8u * format->channel_bytes;
    for (unsigned i = 0; i < 4; i++) {
        channels[i] = i == 3;
        if (i >= format->channels)
            continue;
        uint32_t value = 0;
        memcpy(&value, at + i * format->channel_bytes, format->channel_bytes);
        channels[i] = is_signed ? (uint32_t)((int32_t)(value << shift) >> shift) : value;
    }
}

// IEC 61966-2-1.
static float linear_of_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

// An integer of 8 or 16 bits between 0 or -1 and 1; the least negative one is -1, too.
static float normalized(const struct wm_texel_format *format, uint32_t value)
{
    unsigned bits = 8u * format->channel_bytes;
    if (format->kind == WM_TEXEL_UNSIGNED)
        return (float)((double)value / (double)((UINT64_C(1) << bits) - 1));
    float result = (float)((double)(int32_t)value / (double)((UINT64_C(1) << (bits - 1)) - 1));
    return result < -1.0f ? -1.0f : result;
}

static float float_channel(const struct wm_texel_format *format, const char *at)
{
    uint16_t half;
    float value;
    if (format->channel_bytes == sizeof half) {
        memcpy(&half, at, sizeof half);
        return float_of_half(half);
    }
    memcpy(&value, at, sizeof value);
    return value;
}

void wm_texel_floats(const struct wm_texture *texture, const void *bytes, float channels[4])
{
    const struct wm_texel_format *format = &texture->format;
    uint32_t integers[4] = {0};
    if (format->kind != WM_TEXEL_FLOAT)
        wm_texel_integers(format, bytes, integers);
    for (unsigned i = 0; i < 4; i++) {
        if (i >= format->channels)
            channels[i] = i == 3 ? 1.0f : 0.0f;
        else if (format->kind == WM_TEXEL_FLOAT)
            channels[i] = float_channel(format, (const char *)bytes + i * format->channel_bytes);
        else
            channels[i] = normalized(format, integers[i]);
        if (texture->srgb && i < format->channels && i < 3)
            channels[i] = linear_of_srgb(channels[i]);
    }
}

void wm_border_floats(const struct wm_texture *texture, float channels[4])
{
    for (unsigned i = 0; i < 4; i++)
        channels[i] = i < texture->format.channels ? texture->border[i] : i == 3 ? 1.0f : 0.0f;
}

void wm_border_integers(const struct wm_texture *texture, uint32_t channels[4])
{
    for (unsigned i = 0; i < 4; i++) {
        float value = i < texture->format.channels ? texture->border[i] : i == 3 ? 1.0f : 0.0f;
        bool in_range = value > -2147483648.0f && value < 2147483648.0f;
        channels[i] = in_range ? (uint32_t)(int32_t)value : 0;
    }
}
