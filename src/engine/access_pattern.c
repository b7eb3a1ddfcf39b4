#include "engine/access_pattern.h"

#include <stdlib.h>

// Both tables keep what came last to a place: what is displaced counts as not seen.
enum { LANES_KEPT = 1 << 15, LINES_KEPT = 1 << 17, OWNERS_KEPT = 1 << 19 };

// The lowest lane of a warp's last access by one instruction.
struct kept_lane {
    uint64_t block, address; // block: its number + 1; 0: empty
    uint32_t warp, pc, lane;
};

// In which warp of a block an instruction asked for a line last.
struct kept_line {
    uint64_t block, address; // as above
    uint32_t warp, pc;
};

// Which load of an SM asked for a line last.
struct kept_owner {
    uint64_t launch, address; // launch: 0: empty
    struct wm_explained_cause *cause;
    uint32_t sm;
};

struct wm_access_patterns {
    struct kept_lane lanes[LANES_KEPT];
    struct kept_line lines[LINES_KEPT];
    struct kept_owner owners[OWNERS_KEPT];
    uint64_t launch;
};

struct wm_access_patterns *wm_access_patterns_new(void)
{
    return calloc(1, sizeof(struct wm_access_patterns));
}

void wm_access_patterns_free(struct wm_access_patterns *patterns)
{
    free(patterns);
}

// splitmix64's last steps (S. Vigna, public domain): every bit depends on every other.
static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

// The candidate for the distance that most neighbours have is found, then counted (R. S. Boyer and
// J S. Moore, "MJRTY: a fast majority vote algorithm", 1981). Rows of four lanes and more are
// regular: three of four neighbours are equally far apart.
static bool is_regular(const struct wm_warp_access *access)
{
    uint64_t distances[WM_MAX_LANES], rest = access->active, candidate = 0;
    uint32_t count = 0, votes = 0, equal = 0;
    if ((rest & (rest - 1)) == 0)
        return false;
    uint64_t before = access->addresses[__builtin_ctzll(rest)];
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        uint64_t address = access->addresses[__builtin_ctzll(rest)];
        uint64_t distance = address - before;
        before = address;
        distances[count++] = distance;
        if (votes == 0)
            candidate = distance;
        votes += distance == candidate ? 1 : UINT32_MAX; // one fewer
    }
    for (uint32_t i = 0; i < count; i++)
        equal += distances[i] == candidate;
    return 4 * equal >= 3 * count;
}

// Whether the lane's address lies behind that of the warp's last time, by a sector at most: each
// lane walks through a piece of its own.
static bool advances(struct wm_access_patterns *patterns, struct wm_access_origin origin,
                     const struct wm_warp_access *access)
{
    uint32_t lane = (uint32_t)__builtin_ctzll(access->active);
    uint64_t key = mixed(origin.block * 0x9E3779B97F4A7C15 + origin.warp) + access->pc;
    struct kept_lane *kept = &patterns->lanes[mixed(key) % LANES_KEPT];
    const struct kept_lane now = {origin.block + 1, access->addresses[lane], origin.warp,
                                  access->pc, lane};
    const struct kept_lane last = *kept;
    *kept = now;
    bool same =
        last.block == now.block && last.warp == now.warp && last.pc == now.pc && last.lane == lane;
    return same && now.address > last.address && now.address - last.address <= WM_SECTOR_BYTES;
}

void wm_access_pattern_count(struct wm_access_patterns *patterns, struct wm_access_origin origin,
                             const struct wm_warp_access *access, struct wm_explained_cause *cause)
{
    uint64_t bits = 0;
    if (access->active == 0)
        return;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        bits |= access->addresses[__builtin_ctzll(rest)];
    cause->regular += is_regular(access);
    cause->advancing += advances(patterns, origin, access);
    cause->aligned_8 += bits % 8 == 0;
    cause->aligned_16 += bits % 16 == 0;
}

void wm_access_patterns_launch(struct wm_access_patterns *patterns)
{
    patterns->launch++;
}

// Whoever asked for the line before has its line wanted again.
static void take_over(struct wm_access_patterns *patterns, uint32_t sm, uint64_t address,
                      struct wm_explained_cause *cause)
{
    struct kept_owner *kept = &patterns->owners[mixed(address ^ mixed(sm)) % OWNERS_KEPT];
    if (kept->launch == patterns->launch && kept->address == address && kept->sm == sm)
        kept->cause->wanted_again++;
    *kept = (struct kept_owner){patterns->launch, address, cause, sm};
}

void wm_access_pattern_lines(struct wm_access_patterns *patterns, struct wm_access_origin origin,
                             uint32_t pc, const struct wm_coalesced *lines, uint32_t count,
                             struct wm_explained_cause *cause)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct kept_line now = {origin.block + 1, lines[i].line_address, origin.warp, pc};
        uint64_t key = mixed(now.block * 0x9E3779B97F4A7C15 + pc);
        struct kept_line *kept = &patterns->lines[mixed(now.address ^ key) % LINES_KEPT];
        const struct kept_line last = *kept;
        *kept = now;
        if (last.block != now.block || last.address != now.address || last.pc != pc)
            cause->block_first++;
        else
            cause->block_other_warp += last.warp != now.warp;
        take_over(patterns, origin.sm, now.address, cause);
    }
}
