// The values of texels (private to exec/): from the bytes of a format to registers of 32 bits, and
// back.
#ifndef WM_EXEC_TEXEL_H
#define WM_EXEC_TEXEL_H

#include "exec/texture/texture.h"

float wm_float_of_half(uint16_t half);
uint16_t wm_half_of_float(float value); // to nearest, ties to even

// The channels of a texel at `bytes`, as a fetch of the texture gives them: floats where
// wm_texture_gives_float, else extended integers. A channel that the format lacks is 0, and the
// fourth 1.
void wm_texel_floats(const struct wm_texture *texture, const void *bytes, float channels[4]);
void wm_texel_integers(const struct wm_texel_format *format, const void *bytes,
                       uint32_t channels[4]);
// The border's color, likewise.
void wm_border_floats(const struct wm_texture *texture, float channels[4]);
void wm_border_integers(const struct wm_texture *texture, uint32_t channels[4]);

#endif
