// What SHiP (ship.c) keeps, for its hooks and its step.
#ifndef WM_MEM_REPLACEMENT_SHIP_H
#define WM_MEM_REPLACEMENT_SHIP_H

#include "mem/replacement/rrip.h"

enum {
    WM_SHIP_MOST_SIGNATURE_BITS = 14,
    WM_SHIP_WRITE_BACK = 1 << WM_SHIP_MOST_SIGNATURE_BITS, // the signature of victims from above
    WM_SHIP_OUTCOME = 0x8000, // in a line's state, beside its signature
};

struct wm_ship {
    struct wm_rrip rrip;
    uint32_t signature_bits, signature_mask;
    uint8_t counter_max;
    uint8_t counters[WM_SHIP_WRITE_BACK + 1];
};

typedef uint16_t wm_ship_line; // signature and outcome

// Where a set's RRPVs are one word of fields of 16 ways (rrip.h), so is what most lines need:
// whether the line's outcome is set, whether its signature is that of write-backs, and whether it
// is another than instruction 0's and theirs. Only then is the signature in the line's own state.
enum { WM_SHIP_WRITE_BACK_FIELD = WM_RRIP_NEAR_WAYS, WM_SHIP_OTHER_FIELD = 2 * WM_RRIP_NEAR_WAYS };

#define WM_SHIP_LINE_FIELDS UINT64_C(0x0000000100010001) // of way 0: all of them
#define WM_SHIP_LINE_OUTCOME UINT64_C(1)
#define WM_SHIP_LINE_WRITE_BACK (UINT64_C(1) << WM_SHIP_WRITE_BACK_FIELD)
#define WM_SHIP_LINE_OTHER (UINT64_C(1) << WM_SHIP_OTHER_FIELD)

// Of a set whose first RRIP word and lines' states these are.
static inline wm_ship_line wm_ship_get(const struct wm_ship *ship, const struct wm_rrip_word *word,
                                       const wm_ship_line *lines, uint32_t way)
{
    if (!ship->rrip.has_near)
        return lines[way];
    uint64_t bits = word->lines >> way;
    uint32_t signature = (bits & WM_SHIP_LINE_OTHER) != 0        ? lines[way]
                         : (bits & WM_SHIP_LINE_WRITE_BACK) != 0 ? WM_SHIP_WRITE_BACK
                                                                 : 0u;
    return (wm_ship_line)(signature | ((bits & WM_SHIP_LINE_OUTCOME) != 0 ? WM_SHIP_OUTCOME : 0u));
}

static inline void wm_ship_put(const struct wm_ship *ship, struct wm_rrip_word *word,
                               wm_ship_line *lines, uint32_t way, wm_ship_line line)
{
    if (!ship->rrip.has_near) {
        lines[way] = line;
        return;
    }
    uint32_t signature = line & ~(uint32_t)WM_SHIP_OUTCOME;
    uint64_t bits = (line & WM_SHIP_OUTCOME) != 0 ? WM_SHIP_LINE_OUTCOME : 0;
    if (signature == WM_SHIP_WRITE_BACK) {
        bits |= WM_SHIP_LINE_WRITE_BACK;
    } else if (signature != 0) {
        bits |= WM_SHIP_LINE_OTHER;
        lines[way] = (wm_ship_line)signature;
    }
    word->lines = (word->lines & ~(WM_SHIP_LINE_FIELDS << way)) | bits << way;
}

static inline wm_ship_line wm_ship_signature(const struct wm_ship *ship, uint32_t pc,
                                             bool write_back)
{
    uint32_t folded = pc;
    for (uint32_t rest = pc; (rest >>= ship->signature_bits) != 0;)
        folded ^= rest;
    return write_back ? WM_SHIP_WRITE_BACK : (wm_ship_line)(folded & ship->signature_mask);
}

// The line was hit, or it leaves, or neither: its signature learns.
static inline void wm_ship_learn(struct wm_ship *ship, wm_ship_line *line, bool hit, bool leaves)
{
    uint8_t *counter = &ship->counters[*line & ~WM_SHIP_OUTCOME];
    bool unused = (*line & WM_SHIP_OUTCOME) == 0;
    *counter = (uint8_t)(*counter + (hit & (*counter < ship->counter_max)) -
                         (leaves & unused & (*counter > 0)));
    *line = (wm_ship_line)(*line | (WM_SHIP_OUTCOME & wm_mask(hit)));
}

#endif
