// Lines that an entry has requested and that no miss has had yet: the last so many, first in, first
// out. For entries whose lines have no order of their own. All zeros: none, and no room.
// Private to mem/prefetch/.
#ifndef WM_MEM_PREFETCH_HELD_LINES_H
#define WM_MEM_PREFETCH_HELD_LINES_H

#include "mem/prefetch/prefetch.h"

enum { WM_MOST_HELD_LINES = 64 };

struct wm_held_lines {
    uint32_t room, next; // of `lines`; the one that is taken next
    uint64_t held;       // bit i: lines[i] may be supplied
    uint64_t lines[WM_MOST_HELD_LINES];
};

static inline bool wm_held_lines_find(const struct wm_held_lines *held, uint64_t line, uint64_t *at)
{
    for (uint64_t rest = held->held; rest != 0; rest &= rest - 1) {
        *at = rest & -rest;
        if (held->lines[__builtin_ctzll(rest)] == line)
            return true;
    }
    return false;
}

// It is held no more. Returns whether it was.
static inline bool wm_held_lines_take(struct wm_held_lines *held, uint64_t line)
{
    uint64_t at;
    bool is_held = wm_held_lines_find(held, line, &at);
    held->held &= ~(is_held ? at : 0);
    return is_held;
}

// It is requested, unless it is held: the line that was requested longest ago makes room.
static inline void wm_held_lines_request(struct wm_held_lines *held, uint64_t line,
                                         struct wm_prefetch_answer *answer)
{
    uint64_t at;
    if (wm_held_lines_find(held, line, &at))
        return;
    held->lines[held->next] = line;
    held->held |= UINT64_C(1) << held->next;
    held->next = held->next + 1 < held->room ? held->next + 1 : 0;
    answer->lines[answer->count++] = line;
}

#endif
