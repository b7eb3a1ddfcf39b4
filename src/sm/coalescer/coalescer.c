// Plain C, in three steps of growing cost: all lanes at one address, lanes that follow each other
// without a gap, and anything else.
#include "sm/coalescer/coalescer.h"
#include "sm/coalescer/coalescer_parts.h"

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

// Which request a line has: a hash table, so that 32 lanes on 32 lines cost 32 look-ups.
struct line_table {
    uint8_t slots[4 * WM_MAX_LANES]; // request + 1; 0 is empty. At most half of them are used
};

// Adds one element, or its part in one line, to the request of that line.
static void add_element(struct line_table *table, struct wm_coalescing *state, uint64_t address,
                        uint32_t bytes, uint32_t lane)
{
    uint64_t line = wm_line_of(address, state->line_bytes);
    uint8_t at = (uint8_t)((line * UINT64_C(0x9E3779B97F4A7C15)) >> 56); // Fibonacci hashing
    while (table->slots[at] != 0 && state->out[table->slots[at] - 1].line_address != line)
        at++;
    if (table->slots[at] == 0) {
        state->out[state->count] = (struct wm_line_request){.line_address = line};
        state->lanes[state->count] = 0;
        table->slots[at] = (uint8_t)(++state->count);
    }
    uint32_t request = table->slots[at] - 1u;
    state->out[request].sectors |= wm_sectors_of(address - line, bytes);
    state->lanes[request] |= UINT64_C(1) << lane;
}

void wm_coalesce_scattered(const struct wm_warp_access *access, uint64_t lanes,
                           struct wm_coalescing *state)
{
    struct line_table table = {{0}};
    uint32_t bytes = access->bytes_per_lane;
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        uint64_t address = access->addresses[lane];
        uint32_t inside = wm_bytes_in_line(address, bytes, state->line_bytes);
        add_element(&table, state, address, inside, lane);
        if (inside < bytes)
            add_element(&table, state, address + inside, bytes - inside, lane);
    }
}

// The bytes of one sector that an element covers, one bit each. Both offsets are from the line's
// start; the element may begin before it.
static uint32_t covered_bytes(int64_t element, uint32_t bytes, uint32_t sector)
{
    int64_t begin = element - (int64_t)sector * WM_SECTOR_BYTES, end = begin + bytes;
    if (begin < 0)
        begin = 0;
    if (end > WM_SECTOR_BYTES)
        end = WM_SECTOR_BYTES;
    return end <= begin ? 0 : (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << begin));
}

// Adds to `covered`, a word a sector, the bytes of the line's `sectors` that `lanes` cover.
static void cover(const struct wm_warp_access *access, uint64_t line, uint64_t lanes,
                  uint32_t sectors, uint32_t *covered)
{
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        int64_t element = (int64_t)(access->addresses[__builtin_ctzll(rest)] - line);
        uint32_t touched = element < 0 ? wm_sectors_of(0, access->bytes_per_lane)
                                       : wm_sectors_of((uint64_t)element, access->bytes_per_lane);
        for (touched &= sectors; touched != 0; touched &= touched - 1) {
            uint32_t sector = (uint32_t)__builtin_ctz(touched);
            covered[sector] |= covered_bytes(element, access->bytes_per_lane, sector);
        }
    }
}

static uint32_t full_sectors_of(const struct wm_warp_access *access, uint64_t line, uint64_t lanes,
                                uint32_t sectors)
{
    uint32_t covered[WM_MAX_LINE_SECTORS] = {0}, full = 0;
    cover(access, line, lanes, sectors, covered);
    for (uint32_t sector = 0; sector < WM_MAX_LINE_SECTORS; sector++)
        full |= (uint32_t)(covered[sector] == UINT32_MAX) << sector;
    return full;
}

// A store that covers a sector whole needs no fetch of it (write-allocate caches), so which bytes
// are written matters, and only for stores. A sector needs several lanes unless each fills it.
void wm_coalesce_full_sectors(const struct wm_warp_access *access, struct wm_coalescing *state)
{
    uint32_t least = (WM_SECTOR_BYTES + access->bytes_per_lane - 1) / access->bytes_per_lane;
    for (uint32_t i = 0; i < state->count; i++) {
        uint64_t lanes = state->lanes[i];
        for (uint32_t dropped = 1; dropped < least && lanes != 0; dropped++)
            lanes &= lanes - 1;
        if (lanes != 0) // at least `least` of them
            state->out[i].full_sectors = full_sectors_of(access, state->out[i].line_address,
                                                         state->lanes[i], state->out[i].sectors);
    }
}

void wm_coalesced_bytes(const struct wm_warp_access *access, const struct wm_line_request *request,
                        uint32_t line_bytes, uint32_t bytes[WM_MAX_LINE_SECTORS])
{
    uint64_t line = request->line_address, lanes = 0;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t address = access->addresses[__builtin_ctzll(rest)];
        if (address < line + line_bytes && address + access->bytes_per_lane > line)
            lanes |= rest & -rest;
    }
    memset(bytes, 0, line_bytes / WM_SECTOR_BYTES * sizeof *bytes);
    cover(access, line, lanes, request->sectors, bytes);
}

uint32_t wm_coalesce(const struct wm_warp_access *access, uint32_t line_bytes,
                     struct wm_line_request out[WM_MAX_LINE_REQUESTS])
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
    struct wm_coalescing state; // `lanes` is filled as requests are made
    state.out = out;
    state.count = 0;
    state.line_bytes = line_bytes;
    wm_coalesce_scattered(access, access->active, &state);
    if (store)
        wm_coalesce_full_sectors(access, &state);
    return state.count;
}

// --- A base and a stride ---

// Lanes a whole number of lines apart, each within its own.
static uint32_t coalesce_line_each(const struct wm_warp_access *access, uint32_t line_bytes,
                                   struct wm_line_request *out)
{
    uint64_t within = access->base & (line_bytes - 1), line = access->base - within;
    uint32_t sectors = wm_sectors_of(within, access->bytes_per_lane);
    uint32_t full =
        access->kind == WM_ACCESS_STORE ? wm_full_sectors_of(within, access->bytes_per_lane) : 0;
    uint32_t count = 0;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t lane = (uint64_t)__builtin_ctzll(rest);
        out[count++] = (struct wm_line_request){
            .line_address = line + lane * access->stride, .sectors = sectors, .full_sectors = full};
    }
    return count;
}

// Far strides may come round to the same line.
static bool is_near(uint64_t stride)
{
    return stride + (UINT64_C(1) << 48) < UINT64_C(1) << 49;
}

static uint32_t coalesce_spread(const struct wm_warp_access *access, uint32_t line_bytes,
                                wm_coalesce_function *general, struct wm_line_request *out)
{
    uint64_t addresses[WM_MAX_LANES];
    struct wm_warp_access spread = *access;
    wm_access_expand(access, addresses);
    spread.addresses = addresses;
    return general(&spread, line_bytes, out);
}

uint32_t wm_coalesce_regular(const struct wm_warp_access *access, uint32_t line_bytes,
                             wm_coalesce_function *general,
                             struct wm_line_request out[WM_MAX_LINE_REQUESTS])
{
    if (access->active == 0)
        return 0;
    bool store = access->kind == WM_ACCESS_STORE;
    if (access->row_shift != 0)
        return coalesce_spread(access, line_bytes, general, out);
    uint32_t first = (uint32_t)__builtin_ctzll(access->active), bytes = access->bytes_per_lane;
    uint64_t run = access->active >> first, stride = access->stride;
    uint64_t address = access->base + first * stride;
    if (stride == 0 || run == 1)
        return wm_coalesce_range(address, bytes, line_bytes, store, out);
    if (stride == bytes && (run & (run + 1)) == 0) {
        uint32_t lanes = 64 - (uint32_t)__builtin_clzll(run);
        return wm_coalesce_range(address, lanes * bytes, line_bytes, store, out);
    }
    if ((stride & (line_bytes - 1)) == 0 && is_near(stride) &&
        wm_bytes_in_line(access->base, bytes, line_bytes) == bytes)
        return coalesce_line_each(access, line_bytes, out);
    return coalesce_spread(access, line_bytes, general, out);
}
