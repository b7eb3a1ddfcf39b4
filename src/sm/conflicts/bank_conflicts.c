#include "sm/conflicts/bank_conflicts.h"

#include <string.h>

// A group requests at most this many words: 128 bytes, or 32 lanes that take part of a word each.
enum { GROUP_BYTES = WM_SHARED_BANKS * WM_SHARED_BANK_BYTES, GROUP_WORDS = 64 };

struct group {
    uint8_t used[WM_SHARED_BANKS]; // words of each bank
    uint64_t words[WM_SHARED_BANKS][GROUP_WORDS];
};

// A word that lanes share is served once, but by each of an atomic's.
static void add_word(struct group *group, uint64_t word, bool shares)
{
    uint32_t bank = word % WM_SHARED_BANKS, used = group->used[bank];
    for (uint32_t i = 0; shares && i < used; i++)
        if (group->words[bank][i] == word)
            return;
    group->words[bank][used] = word;
    group->used[bank]++;
}

static uint32_t most_used(const struct group *group)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < WM_SHARED_BANKS; bank++)
        if (group->used[bank] > most)
            most = group->used[bank];
    return most;
}

// Whether each of these lanes that takes part names the same as the one `apart` from it, if that
// does.
static bool names_the_same(const struct wm_warp_access *access, uint32_t first, uint32_t end,
                           uint32_t apart)
{
    for (uint32_t lane = first; lane < end; lane++) {
        uint32_t other = lane ^ apart;
        if ((access->active >> lane & 1) != 0 && (access->active >> other & 1) != 0 &&
            access->addresses[lane] != access->addresses[other])
            return false;
    }
    return true;
}

// The lane behind the group that begins with `first`, or behind the one after it that is served
// with it.
static uint32_t end_of_group(const struct wm_warp_access *access, uint32_t first, bool pairs)
{
    uint32_t bytes = access->bytes_per_lane;
    uint32_t lanes = bytes <= WM_SHARED_BANK_BYTES ? WM_SHARED_BANKS : GROUP_BYTES / bytes;
    uint32_t end = first + lanes < access->lanes ? first + lanes : access->lanes;
    uint32_t pair = first + 2 * lanes;
    if (pairs && lanes >= 4 && lanes < WM_SHARED_BANKS && first % (2 * lanes) == 0 &&
        pair <= access->lanes &&
        (names_the_same(access, first, pair, 1) || names_the_same(access, first, pair, 2)))
        return pair;
    return end;
}

static struct wm_bank_use use_of_groups(const struct wm_warp_access *access, bool pairs)
{
    struct wm_bank_use use = {0};
    bool shares = access->kind == WM_ACCESS_LOAD || access->kind == WM_ACCESS_STORE;
    uint32_t bytes = access->bytes_per_lane, end;
    for (uint32_t first = 0; first < access->lanes; first = end) {
        struct group group;
        memset(group.used, 0, sizeof group.used);
        end = end_of_group(access, first, pairs);
        for (uint32_t lane = first; lane < end; lane++) {
            if ((access->active >> lane & 1) == 0)
                continue;
            uint64_t word = access->addresses[lane] / WM_SHARED_BANK_BYTES;
            uint64_t last = (access->addresses[lane] + bytes - 1) / WM_SHARED_BANK_BYTES;
            for (; word <= last; word++)
                add_word(&group, word, shares);
        }
        uint32_t passes = most_used(&group);
        use.passes += passes;
        use.replays += passes > 0 ? passes - 1 : 0;
    }
    return use;
}

struct wm_bank_use wm_bank_use_of(const struct wm_warp_access *access)
{
    return use_of_groups(access, access->kind == WM_ACCESS_LOAD);
}

// Consecutive elements, or one for all: a group's words lie in different banks.
static bool has_no_conflicts(const struct wm_warp_access *access)
{
    return access->row_shift == 0 &&
           (access->stride == 0 || access->stride == access->bytes_per_lane) &&
           access->base % WM_SHARED_BANK_BYTES == 0;
}

// What the lanes access, in `addresses` where the access has none.
static struct wm_warp_access with_addresses(const struct wm_warp_access *access,
                                            uint64_t addresses[WM_MAX_LANES])
{
    struct wm_warp_access expanded = *access;
    if (access->addresses != NULL)
        return expanded;
    wm_access_expand(access, addresses);
    expanded.addresses = addresses;
    return expanded;
}

uint32_t wm_bank_passes_of_load(const struct wm_warp_access *access)
{
    uint64_t addresses[WM_MAX_LANES];
    if (access->addresses == NULL && access->active == wm_all_lanes(access->lanes) &&
        has_no_conflicts(access)) {
        uint32_t bytes = access->lanes * access->bytes_per_lane;
        uint32_t groups = access->lanes / WM_SHARED_BANKS;
        return bytes / GROUP_BYTES > groups ? bytes / GROUP_BYTES : groups;
    }
    struct wm_warp_access expanded = with_addresses(access, addresses);
    return use_of_groups(&expanded, false).passes;
}

uint32_t wm_words_of_load(const struct wm_warp_access *access)
{
    uint64_t addresses[WM_MAX_LANES], seen[WM_MAX_LANES];
    uint32_t count = 0;
    struct wm_warp_access expanded = with_addresses(access, addresses);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        uint64_t word = expanded.addresses[__builtin_ctzll(rest)] / WM_SHARED_BANK_BYTES;
        uint32_t i = 0;
        while (i < count && seen[i] != word)
            i++;
        seen[i] = word;
        count += i == count;
    }
    return count;
}
