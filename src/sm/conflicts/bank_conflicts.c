#include "sm/conflicts/bank_conflicts.h"

// A group requests at most this many words: 128 bytes, or 32 lanes that take part of a word each.
enum { GROUP_BYTES = WM_SHARED_BANKS * WM_SHARED_BANK_BYTES, GROUP_WORDS = 64 };

struct group {
    uint64_t words[GROUP_WORDS]; // distinct so far
    uint32_t count;
    uint8_t used[WM_SHARED_BANKS]; // words of each bank
};

// A word that lanes share is served once, but by each of an atomic's.
static void add_word(struct group *group, uint64_t word, bool shares)
{
    for (uint32_t i = 0; shares && i < group->count; i++)
        if (group->words[i] == word)
            return;
    group->words[group->count++] = word;
    group->used[word % WM_SHARED_BANKS]++;
}

static uint32_t most_used(const struct group *group)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < WM_SHARED_BANKS; bank++)
        if (group->used[bank] > most)
            most = group->used[bank];
    return most;
}

struct wm_bank_use wm_bank_use_of(const struct wm_warp_access *access)
{
    struct wm_bank_use use = {0};
    bool shares = access->kind == WM_ACCESS_LOAD || access->kind == WM_ACCESS_STORE;
    uint32_t bytes = access->bytes_per_lane;
    uint32_t group_lanes = bytes <= WM_SHARED_BANK_BYTES ? WM_SHARED_BANKS : GROUP_BYTES / bytes;
    for (uint32_t first = 0; first < access->lanes; first += group_lanes) {
        struct group group = {.count = 0};
        uint32_t end = first + group_lanes < access->lanes ? first + group_lanes : access->lanes;
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
