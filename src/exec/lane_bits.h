// The bit of each lane of a warp of 32, for loops over all lanes that become vector instructions.
// Private to exec/.
#ifndef WM_EXEC_LANE_BITS_H
#define WM_EXEC_LANE_BITS_H

#include <stdint.h>

static const uint32_t wm_lane_bits[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

#endif
