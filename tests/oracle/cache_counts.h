// Counts of 100 million references of each stream of reference_stream.h through two caches, agreed
// exactly between Dinero IV (d4-7), SimpleScalar's cache module and a reference program written for
// the comparison. L1: 32 KiB, 8 ways, 128-byte lines; L2: as the row says, 128-byte lines. Both
// LRU, index modulo, write-back, write-allocate. With `writes` false, stores count as loads.
//
// `demand_first`: the fetch of an L1 miss reaches L2 before its victim's write-back. SimpleScalar
// writes back first, so it confirms the other order only.
#ifndef WM_TESTS_CACHE_COUNTS_H
#define WM_TESTS_CACHE_COUNTS_H

#include "reference_stream.h"

#include <stdbool.h>

enum { WM_CACHE_COUNT_REFERENCES = 100000000 };

struct wm_cache_count_row {
    enum wm_reference_stream_kind stream;
    uint32_t l2_sets, l2_ways;
    bool writes, demand_first;
    uint64_t stores;
    uint64_t l1_misses, l1_store_misses, l1_write_backs;
    uint64_t l2_misses, l2_misses_for_stores; // of L1's fetches
    uint64_t l2_write_back_misses;            // of L1's victims
    uint64_t l2_write_backs;
};

static const struct wm_cache_count_row wm_cache_count_rows[] = {
    // clang-format off
    {WM_STREAM_MIX128, 384, 16, false, true, 0, 93752912, 0, 0, 86815899, 0, 0, 0},
    {WM_STREAM_MIX128, 384, 16, true, true, 30032215, 93752912, 28154344, 28657325, 86809224, 26069162, 5619, 26554153},
    {WM_STREAM_MIX128, 384, 16, true, false, 30032215, 93752912, 28154344, 28657325, 86809139, 26069154, 5568, 26554777},
    {WM_STREAM_MIX128, 512, 16, false, true, 0, 93752912, 0, 0, 86158863, 0, 0, 0},
    {WM_STREAM_MIX128, 512, 16, true, true, 30032215, 93752912, 28154344, 28657325, 86154886, 25872958, 3338, 26357078},
    {WM_STREAM_MIX128, 512, 16, true, false, 30032215, 93752912, 28154344, 28657325, 86154801, 25872930, 3308, 26357492},
    {WM_STREAM_MIX128, 256, 24, false, true, 0, 93752912, 0, 0, 86788119, 0, 0, 0},
    {WM_STREAM_MIX128, 256, 24, true, true, 30032215, 93752912, 28154344, 28657325, 86782146, 26060924, 5217, 26542967},
    {WM_STREAM_MIX128, 256, 24, true, false, 30032215, 93752912, 28154344, 28657325, 86782094, 26060900, 5160, 26543561},
    {WM_STREAM_MIX4, 384, 16, false, true, 0, 43717140, 0, 0, 36570873, 0, 0, 0},
    {WM_STREAM_MIX4, 384, 16, true, true, 30032215, 43717140, 13124768, 14716626, 36568892, 10978602, 4090, 12567181},
    {WM_STREAM_MIX4, 384, 16, true, false, 30032215, 43717140, 13124768, 14716626, 36568448, 10978444, 4044, 12567658},
    {WM_STREAM_MIX4, 512, 16, false, true, 0, 43717140, 0, 0, 35884244, 0, 0, 0},
    {WM_STREAM_MIX4, 512, 16, true, true, 30032215, 43717140, 13124768, 14716626, 35883512, 10773092, 2465, 12358814},
    {WM_STREAM_MIX4, 512, 16, true, false, 30032215, 43717140, 13124768, 14716626, 35883237, 10773027, 2437, 12359223},
    {WM_STREAM_MIX4, 256, 24, false, true, 0, 43717140, 0, 0, 36546775, 0, 0, 0},
    {WM_STREAM_MIX4, 256, 24, true, true, 30032215, 43717140, 13124768, 14716626, 36544705, 10971468, 4044, 12552351},
    {WM_STREAM_MIX4, 256, 24, true, false, 30032215, 43717140, 13124768, 14716626, 36544434, 10971358, 3995, 12552878},
    {WM_STREAM_HOT, 384, 16, false, true, 0, 12500275, 0, 0, 1597007, 0, 0, 0},
    {WM_STREAM_HOT, 384, 16, true, true, 30017934, 12500275, 3753358, 6011862, 1596965, 479421, 451, 694581},
    {WM_STREAM_HOT, 384, 16, true, false, 30017934, 12500275, 3753358, 6011862, 1596931, 479441, 449, 694619},
    {WM_STREAM_HOT, 512, 16, false, true, 0, 12500275, 0, 0, 1279647, 0, 0, 0},
    {WM_STREAM_HOT, 512, 16, true, true, 30017934, 12500275, 3753358, 6011862, 1279585, 384404, 221, 509270},
    {WM_STREAM_HOT, 512, 16, true, false, 30017934, 12500275, 3753358, 6011862, 1279581, 384406, 221, 509293},
    {WM_STREAM_HOT, 256, 24, false, true, 0, 12500275, 0, 0, 1594294, 0, 0, 0},
    {WM_STREAM_HOT, 256, 24, true, true, 30017934, 12500275, 3753358, 6011862, 1594232, 478505, 446, 691522},
    {WM_STREAM_HOT, 256, 24, true, false, 30017934, 12500275, 3753358, 6011862, 1594200, 478495, 445, 691559},
    // clang-format on
};

#endif
