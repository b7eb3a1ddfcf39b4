// What the builds of the coalescer share. Private to sm/.
#ifndef WM_SM_COALESCER_COALESCER_PARTS_H
#define WM_SM_COALESCER_COALESCER_PARTS_H

#include "sm/coalescer/coalescer.h"

#include <stdbool.h>

enum { WM_MAX_ELEMENT_BYTES = WM_MAX_ACCESS_BYTES };

static inline uint64_t wm_line_of(uint64_t address, uint32_t line_bytes)
{
    return address & ~(uint64_t)(line_bytes - 1);
}

// Of `bytes` from `address` on, how many lie in its first line.
static inline uint32_t wm_bytes_in_line(uint64_t address, uint32_t bytes, uint32_t line_bytes)
{
    uint32_t room = line_bytes - (uint32_t)(address & (line_bytes - 1));
    return bytes < room ? bytes : room;
}

// Sectors from first to last, both included; last is at most 31.
static inline uint32_t wm_sector_span(uint32_t first, uint32_t last)
{
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

// Sectors touched by `bytes` (at least one) from `offset` of a line on.
static inline uint32_t wm_sectors_of(uint64_t offset, uint32_t bytes)
{
    return wm_sector_span((uint32_t)(offset / WM_SECTOR_BYTES),
                          (uint32_t)((offset + bytes - 1) / WM_SECTOR_BYTES));
}

// Of them, the ones covered whole.
static inline uint32_t wm_full_sectors_of(uint64_t offset, uint32_t bytes)
{
    uint32_t first = (uint32_t)((offset + WM_SECTOR_BYTES - 1) / WM_SECTOR_BYTES);
    uint32_t end = (uint32_t)((offset + bytes) / WM_SECTOR_BYTES);
    return end > first ? wm_sector_span(first, end - 1) : 0;
}

// A range of bytes without a hole: its lines in address order, which is lane order here.
static inline uint32_t wm_coalesce_range(uint64_t address, uint32_t bytes, uint32_t line_bytes,
                                         bool store, struct wm_line_request *out)
{
    uint32_t count = 0;
    while (bytes != 0) {
        uint64_t line = wm_line_of(address, line_bytes);
        uint32_t inside = wm_bytes_in_line(address, bytes, line_bytes);
        out[count].line_address = line;
        out[count].sectors = wm_sectors_of(address - line, inside);
        out[count].full_sectors = store ? wm_full_sectors_of(address - line, inside) : 0;
        count++;
        address += inside;
        bytes -= inside;
    }
    return count;
}

// Requests made so far, for patterns that are no range.
struct wm_coalescing {
    struct wm_line_request *out;
    uint32_t count, line_bytes;
    uint64_t lanes[WM_MAX_LINE_REQUESTS]; // by request: lanes that touch it
};

// Adds `lanes`, whose lines have no request yet, without full_sectors.
void wm_coalesce_scattered(const struct wm_warp_access *access, uint64_t lanes,
                           struct wm_coalescing *state);
// Fills full_sectors in when all lanes are in.
void wm_coalesce_full_sectors(const struct wm_warp_access *access, struct wm_coalescing *state);

wm_coalesce_function wm_coalesce_avx512;

#endif
