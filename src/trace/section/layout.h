// Marks and fixed-width numbers of a recording's sections, for section_file.c and section/writer.c.
// All numbers are little-endian.
#ifndef WM_TRACE_SECTION_LAYOUT_H
#define WM_TRACE_SECTION_LAYOUT_H

#include "base/numbers/hash.h"

#include <stdint.h>
#include <string.h>

#define WM_SECTION_MAGIC "\211WMTRACE" // eight bytes, the first none of text
#define WM_SECTION_MARK "WMSC"
#define WM_SECTION_TAIL "WMTREND\n"

static inline uint32_t wm_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t wm_get_u64(const uint8_t *at)
{
    return wm_get_u32(at) | (uint64_t)wm_get_u32(at + 4) << 32;
}

static inline void wm_put_u32(uint8_t *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static inline void wm_put_u64(uint8_t *at, uint64_t number)
{
    wm_put_u32(at, (uint32_t)number);
    wm_put_u32(at + 4, (uint32_t)(number >> 32));
}

// Of a section's bytes as stored. Every one of a replay is checked, so this has to be fast: XXH3.
uint64_t wm_section_checksum(const uint8_t *stored, size_t length);

// Of a header's first 32 bytes and its place in the file: a section that was moved is damaged.
static inline uint64_t wm_section_header_hash(const uint8_t *header, uint64_t offset)
{
    uint8_t hashed[40];
    memcpy(hashed, header, 32);
    wm_put_u64(hashed + 32, offset);
    return wm_hash_bytes(hashed, sizeof hashed);
}

#endif
