// Loads of L1s side by side (mem/lru_lanes/lru_lanes.h): one line at a time in eight of them.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_LRU_LANES_PATH_H
#define WM_MEM_ACCESS_PATH_LRU_LANES_PATH_H

#include "mem/lru_lanes/lru_lanes_parts.h"

#if defined(__AVX512F__)

// `tags` are those of a set. Lanes outside `lanes` stay as they are. Each way gets what stood
// before it as long as the line has not been found; returns the lanes where it was.
static inline uint32_t lanes_to_front(uint64_t *tags, uint32_t ways, uint64_t line, uint32_t lanes)
{
    __m512i wanted = _mm512_set1_epi64((long long)line), before = wanted;
    uint32_t done = ~lanes & 0xff;
    for (uint32_t way = 0; way < ways && done != 0xff; way++) {
        uint64_t *here = tags + way * WM_LRU_LANES;
        __m512i old = _mm512_load_si512(here);
        _mm512_store_si512(here, _mm512_mask_mov_epi64(before, (__mmask8)done, old));
        done |= _mm512_cmpeq_epi64_mask(old, wanted);
        before = old;
    }
    return done & lanes;
}

#else

static inline uint32_t lanes_to_front(uint64_t *tags, uint32_t ways, uint64_t line, uint32_t lanes)
{
    uint64_t before[WM_LRU_LANES], done[WM_LRU_LANES], left = 1;
    for (uint32_t lane = 0; lane < WM_LRU_LANES; lane++) {
        before[lane] = line;
        done[lane] = (lanes >> lane & 1) - UINT64_C(1); // all ones, or 0
    }
    for (uint32_t way = 0; way < ways && left != 0; way++) {
        uint64_t *here = tags + way * WM_LRU_LANES;
        left = 0;
        for (uint32_t lane = 0; lane < WM_LRU_LANES; lane++) {
            uint64_t old = here[lane];
            here[lane] = (old & done[lane]) | (before[lane] & ~done[lane]);
            done[lane] |= old == line ? UINT64_MAX : 0;
            before[lane] = old;
            left |= ~done[lane];
        }
    }
    uint32_t found = 0;
    for (uint32_t lane = 0; lane < WM_LRU_LANES; lane++)
        found |= (uint32_t)(done[lane] & 1) << lane;
    return found & lanes;
}

#endif

static void lanes_load(uint64_t *block, uint32_t ways, const struct wm_lane_lines *lines,
                       struct wm_lane_share *share)
{
    uint32_t lanes = share->lanes;
    for (uint32_t i = 0; i < lines->count; i++) {
        uint64_t *tags = block + (uint64_t)lines->sets[i] * ways * WM_LRU_LANES;
        uint32_t found = lanes_to_front(tags, ways, lines->lines[i], lanes);
        for (uint32_t lane = 0; lane < WM_LRU_LANES; lane++) {
            uint64_t hit = 0 - (uint64_t)(found >> lane & 1);
            uint64_t missed = 0 - (uint64_t)((lanes & ~found) >> lane & 1);
            share->hits[lane] += lines->sectors[i] & hit;
            share->fetched[lane] += lines->line_bytes & missed;
        }
    }
}

#endif
