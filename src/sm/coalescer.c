// Plain C, in three steps of growing cost: all lanes at one address, lanes that follow each other
// without a gap, and anything else.
#include "sm/coalescer.h"
#include "sm/coalescer_parts.h"

#include <assert.h>

static bool is_uniform(const struct wm_warp_access *access, uint64_t first)
{
    uint64_t different = 0;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        different |= access->addresses[__builtin_ctzll(rest)] ^ first;
    return different == 0;
}

// Lanes of a run without holes, each where the one before it ends.
static bool is_consecutive(const struct wm_warp_access *access, uint64_t first)
{
    uint64_t run = access->active >> __builtin_ctzll(access->active);
    if ((run & (run + 1)) != 0)
        return false;
    uint64_t different = 0, expected = first;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        different |= access->addresses[__builtin_ctzll(rest)] ^ expected;
        expected += access->bytes_per_lane;
    }
    return different == 0;
}

// Adds one element to the request of its line, which it looks for among those made so far, the
// newest first: neighbours in a warp tend to be neighbours in memory.
static uint32_t add_element(uint64_t address, uint32_t bytes, uint32_t line_bytes,
                            struct wm_coalesced *out, uint32_t count)
{
    uint64_t line = wm_line_of(address, line_bytes);
    uint32_t index = count;
    while (index > 0 && out[index - 1].line_address != line)
        index--;
    if (index == 0) {
        out[count] = (struct wm_coalesced){.line_address = line};
        index = ++count;
    }
    out[index - 1].sectors |= wm_sectors_of(address - line, bytes);
    return count;
}

uint32_t wm_coalesce_scattered(const struct wm_warp_access *access, uint32_t line_bytes,
                               struct wm_coalesced *out)
{
    uint32_t count = 0, bytes = access->bytes_per_lane;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t address = access->addresses[__builtin_ctzll(rest)];
        uint32_t inside = wm_bytes_in_line(address, bytes, line_bytes);
        count = add_element(address, inside, line_bytes, out, count);
        if (inside < bytes)
            count = add_element(address + inside, bytes - inside, line_bytes, out, count);
    }
    return count;
}

// A store that covers a sector whole needs no fetch of it (write-allocate caches), so which bytes
// are written matters, and only for stores. One bit a byte, a line at a time.
void wm_coalesce_full_sectors(const struct wm_warp_access *access, uint32_t line_bytes,
                              struct wm_coalesced *out, uint32_t count)
{
    uint32_t bytes = access->bytes_per_lane;
    // Lanes too few to fill one sector: most scattered stores stop here.
    if ((uint32_t)__builtin_popcountll(access->active) * bytes < WM_SECTOR_BYTES)
        return;
    for (uint32_t request = 0; request < count; request++) {
        uint32_t covered[WM_MAX_LINE_SECTORS] = {0}; // a word a sector
        uint64_t line = out[request].line_address;
        for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
            uint64_t address = access->addresses[__builtin_ctzll(rest)];
            if (address + bytes <= line || address >= line + line_bytes)
                continue;
            uint64_t begin = address < line ? line : address;
            uint64_t end =
                address + bytes < line + line_bytes ? address + bytes : line + line_bytes;
            for (uint64_t byte = begin - line; byte < end - line;) {
                uint32_t sector = (uint32_t)(byte / WM_SECTOR_BYTES);
                uint32_t offset = (uint32_t)(byte % WM_SECTOR_BYTES);
                uint64_t piece = WM_SECTOR_BYTES - offset;
                if (piece > end - line - byte)
                    piece = end - line - byte;
                covered[sector] |= (uint32_t)(((UINT64_C(1) << piece) - 1) << offset);
                byte += piece;
            }
        }
        uint32_t full = 0;
        for (uint32_t sector = 0; sector < line_bytes / WM_SECTOR_BYTES; sector++)
            full |= (uint32_t)(covered[sector] == UINT32_MAX) << sector;
        out[request].full_sectors = full;
    }
}

uint32_t wm_coalesce(const struct wm_warp_access *access, uint32_t line_bytes,
                     struct wm_coalesced out[WM_MAX_COALESCED])
{
    assert(access->bytes_per_lane >= 1 && access->bytes_per_lane <= WM_MAX_ELEMENT_BYTES);
    if (access->active == 0)
        return 0;
    bool store = access->kind == WM_ACCESS_STORE;
    uint64_t first = access->addresses[__builtin_ctzll(access->active)];
    if (is_uniform(access, first))
        return wm_coalesce_range(first, access->bytes_per_lane, line_bytes, store, out);
    if (is_consecutive(access, first)) {
        uint32_t lanes = (uint32_t)__builtin_popcountll(access->active);
        return wm_coalesce_range(first, lanes * access->bytes_per_lane, line_bytes, store, out);
    }
    uint32_t count = wm_coalesce_scattered(access, line_bytes, out);
    if (store)
        wm_coalesce_full_sectors(access, line_bytes, out, count);
    return count;
}
