// Between lru_lanes.c and the loop of it that is compiled for each vector width (mem/access_path/).
#ifndef WM_MEM_LRU_LANES_PARTS_H
#define WM_MEM_LRU_LANES_PARTS_H

#include "mem/lru_lanes/lru_lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// The lines of an instruction.
struct wm_lane_lines {
    uint32_t count, line_bytes;
    uint32_t sets[WM_MAX_LINE_REQUESTS]; // counted through all caches of a lane
    uint64_t lines[WM_MAX_LINE_REQUESTS];
    uint64_t sectors[WM_MAX_LINE_REQUESTS]; // how many
};

#endif
