#include "engine/access/access_pattern.h"

#include <stdlib.h>
#include <string.h>

// All tables keep what came last to a place: what is displaced counts as not seen. Of a GPU; each
// a power of two.
enum {
    LANES_KEPT = 1 << 15,
    SECTORS_KEPT = 1 << 18,
    READERS_KEPT = 1 << 17,
    OWNERS_KEPT = 1 << 19,
    ATOMICS_KEPT = 1 << 17,
    BLOCKS_KEPT = 1 << 13,
    MOST_PARTS = 1 << 8, // they are divided by at most so much
};

// The lowest lane of a warp's last access by one instruction.
struct kept_lane {
    uint64_t block, address; // block: its number + 1; 0: empty
    uint32_t warp, pc, lane;
};

// Which bytes of a sector an instruction has requested in a block, in which warp last, and which of
// them this warp did since another came to the sector.
struct kept_sector {
    uint64_t block, address; // as above
    uint32_t warp, pc, bytes, of_warp;
};

// A block in which an instruction has made requests.
struct kept_reader {
    uint64_t block; // as above
    uint32_t pc;
};

// Which load of an SM requested a line last.
struct kept_owner {
    uint64_t launch, address; // launch: 0: empty
    struct wm_instruction_misses *instruction_counters;
    uint32_t sm;
};

// Which warp of a block came to an address last by an atomic, and when: in the block's atomics.
struct kept_atomic {
    uint64_t block, address, when; // block: as above
    uint32_t warp;
};

// How many atomics of its warps a block has executed.
struct kept_block {
    uint64_t block, atomics; // block: as above
};

struct wm_access_patterns {
    uint32_t share; // of a GPU's tables: one of so many
    struct kept_lane *lanes;
    struct kept_sector *sectors;
    struct kept_reader *readers;
    struct kept_owner *owners;
    struct kept_atomic *atomics;
    struct kept_block *blocks;
    uint64_t launch;
};

void wm_access_patterns_free(struct wm_access_patterns *patterns)
{
    if (patterns == NULL)
        return;
    free(patterns->lanes);
    free(patterns->sectors);
    free(patterns->readers);
    free(patterns->owners);
    free(patterns->atomics);
    free(patterns->blocks);
    free(patterns);
}

struct wm_access_patterns *wm_access_patterns_new(uint32_t parts)
{
    struct wm_access_patterns *made = calloc(1, sizeof *made);
    uint32_t share = 1; // what tables are divided by: a power of two
    while (2 * share <= parts && 2 * share <= MOST_PARTS)
        share *= 2;
    if (made == NULL)
        return NULL;
    made->share = share;
    wm_access_patterns_launch(made, 0);
    made->lanes = calloc(LANES_KEPT / share, sizeof *made->lanes);
    made->sectors = calloc(SECTORS_KEPT / share, sizeof *made->sectors);
    made->readers = calloc(READERS_KEPT / share, sizeof *made->readers);
    made->owners = calloc(OWNERS_KEPT / share, sizeof *made->owners);
    made->atomics = calloc(ATOMICS_KEPT / share, sizeof *made->atomics);
    made->blocks = calloc(BLOCKS_KEPT / share, sizeof *made->blocks);
    if (made->lanes != NULL && made->sectors != NULL && made->readers != NULL &&
        made->owners != NULL && made->atomics != NULL && made->blocks != NULL)
        return made;
    wm_access_patterns_free(made);
    return NULL;
}

// A place in a table of `kept` entries in a GPU.
static uint32_t place_of(const struct wm_access_patterns *patterns, uint64_t hash, uint32_t kept)
{
    return (uint32_t)(hash % (kept / patterns->share));
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
static bool advances(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                     const struct wm_warp_access *access)
{
    uint32_t lane = (uint32_t)__builtin_ctzll(access->active);
    uint64_t key = mixed(origin.block * 0x9E3779B97F4A7C15 + origin.warp) + access->pc;
    struct kept_lane *kept = &patterns->lanes[place_of(patterns, mixed(key), LANES_KEPT)];
    const struct kept_lane now = {origin.block + 1, access->addresses[lane], origin.warp,
                                  access->pc, lane};
    const struct kept_lane last = *kept;
    *kept = now;
    bool same =
        last.block == now.block && last.warp == now.warp && last.pc == now.pc && last.lane == lane;
    return same && now.address > last.address && now.address - last.address <= WM_SECTOR_BYTES;
}

void wm_access_pattern_count(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                             const struct wm_warp_access *access,
                             struct wm_instruction_misses *instruction_counters)
{
    uint64_t bits = 0;
    if (access->active == 0)
        return;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        bits |= access->addresses[__builtin_ctzll(rest)];
    instruction_counters->regular += is_regular(access);
    instruction_counters->advancing += advances(patterns, origin, access);
    instruction_counters->aligned_8 += bits % 8 == 0;
    instruction_counters->aligned_16 += bits % 16 == 0;
}

// The number of this atomic among its block's.
static uint64_t next_atomic(struct wm_access_patterns *patterns, uint64_t block)
{
    struct kept_block *kept = &patterns->blocks[place_of(patterns, mixed(block), BLOCKS_KEPT)];
    if (kept->block != block + 1)
        *kept = (struct kept_block){.block = block + 1};
    return ++kept->atomics;
}

// Lanes at one address count once: conflicts within the warp are counted elsewhere.
void wm_access_pattern_atomic(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                              const struct wm_warp_access *access,
                              struct wm_instruction_misses *instruction_counters)
{
    uint64_t when = next_atomic(patterns, origin.block);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        const struct kept_atomic now = {origin.block + 1, access->addresses[__builtin_ctzll(rest)],
                                        when, origin.warp};
        uint64_t key = mixed(now.block * 0x9E3779B97F4A7C15 + (uint64_t)access->space);
        struct kept_atomic *kept =
            &patterns->atomics[place_of(patterns, mixed(now.address ^ key), ATOMICS_KEPT)];
        const struct kept_atomic last = *kept;
        *kept = now;
        bool same = last.block == now.block && last.address == now.address;
        instruction_counters->atomic_other_warp +=
            same && last.warp != now.warp && when - last.when <= WM_PATTERN_ATOMICS;
    }
}

void wm_access_patterns_launch(struct wm_access_patterns *patterns, uint64_t launch)
{
    patterns->launch = launch + 1; // 0 marks what is empty
}

// Counts the reuse for the load that requested the line before.
static void take_over(struct wm_access_patterns *patterns, uint32_t sm, uint64_t address,
                      struct wm_instruction_misses *instruction_counters)
{
    struct kept_owner *kept =
        &patterns->owners[place_of(patterns, mixed(address ^ mixed(sm)), OWNERS_KEPT)];
    if (kept->launch == patterns->launch && kept->address == address && kept->sm == sm)
        kept->instruction_counters->wanted_again++;
    *kept = (struct kept_owner){patterns->launch, address, instruction_counters, sm};
}

// Counts the bytes of a sector that a warp requests, a bit each in `bytes`. A warp's sectors are
// mostly neighbours, and those lie side by side in the table. `key` is of block and instruction.
static void count_sector(struct wm_access_patterns *patterns, uint64_t key, struct kept_sector now,
                         struct wm_instruction_misses *instruction_counters)
{
    enum { NEIGHBOURS = 4 };
    uint64_t sector = now.address / WM_SECTOR_BYTES;
    uint64_t hash = mixed(sector / NEIGHBOURS ^ key) * NEIGHBOURS + sector % NEIGHBOURS;
    struct kept_sector *kept = &patterns->sectors[place_of(patterns, hash, SECTORS_KEPT)];
    uint32_t requested = now.bytes, known = 0, own = 0;
    if (kept->block == now.block && kept->address == now.address && kept->pc == now.pc) {
        known = kept->bytes;
        own = kept->warp == now.warp ? kept->of_warp : 0;
    }
    instruction_counters->block_bytes += (uint64_t)__builtin_popcount(requested);
    instruction_counters->block_first += (uint64_t)__builtin_popcount(requested & ~known);
    instruction_counters->block_other_warp +=
        (uint64_t)__builtin_popcount(requested & known & ~own);
    now.bytes |= known;
    now.of_warp = requested | own;
    *kept = now;
}

// A bit for each byte of `lines` that a lane names, a word a sector, in one pass over the lanes: a
// lane's line is most often that of the lane before, or the next.
static void mark_bytes(const struct wm_warp_access *access, const struct wm_line_request *lines,
                       uint32_t count, uint32_t line_bytes, uint32_t *bytes)
{
    uint32_t at = 0, line_sectors = line_bytes / WM_SECTOR_BYTES;
    memset(bytes, 0, sizeof *bytes * count * line_sectors);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t address = access->addresses[__builtin_ctzll(rest)];
        // Not to an end address: behind the last sector of all that is 0.
        for (uint32_t left = access->bytes_per_lane, part; left != 0; left -= part) {
            uint64_t in_line = address & (line_bytes - 1);
            uint32_t in_sector = address % WM_SECTOR_BYTES, tries = 0;
            part = WM_SECTOR_BYTES - in_sector < left ? WM_SECTOR_BYTES - in_sector : left;
            for (; tries < count && lines[at].line_address != address - in_line; tries++)
                at = at + 1 == count ? 0 : at + 1;
            if (tries < count) // else it was left out
                bytes[at * line_sectors + in_line / WM_SECTOR_BYTES] |=
                    UINT32_MAX >> (WM_SECTOR_BYTES - part) << in_sector;
            address += part;
        }
    }
}

static void count_reader(struct wm_access_patterns *patterns, uint64_t block, uint32_t pc,
                         struct wm_instruction_misses *instruction_counters)
{
    uint64_t key = mixed(block * 0x9E3779B97F4A7C15 + pc);
    struct kept_reader *kept = &patterns->readers[place_of(patterns, mixed(key), READERS_KEPT)];
    instruction_counters->block_readers += kept->block != block + 1 || kept->pc != pc;
    *kept = (struct kept_reader){block + 1, pc};
}

void wm_access_pattern_lines(struct wm_access_patterns *patterns, struct wm_warp_identity origin,
                             const struct wm_warp_access *access,
                             const struct wm_line_request *lines, uint32_t count,
                             uint32_t line_bytes,
                             struct wm_instruction_misses *instruction_counters)
{
    uint32_t bytes[WM_MAX_LINE_REQUESTS * WM_MAX_LINE_SECTORS];
    if (count == 0)
        return;
    count_reader(patterns, origin.block, access->pc, instruction_counters);
    mark_bytes(access, lines, count, line_bytes, bytes);
    uint64_t key = mixed((origin.block + 1) * 0x9E3779B97F4A7C15 + access->pc);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = lines[i].line_address;
        for (uint32_t rest = lines[i].sectors; rest != 0; rest &= rest - 1) {
            uint32_t sector = (uint32_t)__builtin_ctz(rest);
            const struct kept_sector now = {
                .block = origin.block + 1,
                .address = line + (uint64_t)sector * WM_SECTOR_BYTES,
                .warp = origin.warp,
                .pc = access->pc,
                .bytes = bytes[i * (line_bytes / WM_SECTOR_BYTES) + sector],
            };
            count_sector(patterns, key, now, instruction_counters);
        }
        take_over(patterns, origin.sm, line, instruction_counters);
    }
}
