// What SHiP (ship.c) keeps, for its hooks and its step. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_SHIP_H
#define WM_MEM_REPLACEMENT_SHIP_H

#include "mem/replacement/rrip.h"
#include "mem/replacement/step.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

enum {
    WM_SHIP_MOST_SIGNATURE_BITS = 14,
    WM_SHIP_WRITE_BACK = 1 << WM_SHIP_MOST_SIGNATURE_BITS, // the signature of victims from above
    WM_SHIP_OUTCOME = 0x8000, // in a line's state, next to its signature
};

// What a stream has to teach about lines that others brought in (rrip_step.h).
struct wm_ship_deferred {
    uint16_t signature;
    bool hit;
};

// For streams, where only two counters move (rrip_step.h): both in one state, and what it is after
// each of eight events. Counters of more bits go request by request.
enum {
    WM_SHIP_STREAM_COUNTER_BITS = 4,
    WM_SHIP_EVENT_OUTCOME = 1,    // the line's is set
    WM_SHIP_EVENT_WRITE_BACK = 2, // brought it in, else instruction 0
    WM_SHIP_EVENT_LEAVES = 4,     // it leaves, else it is hit
    WM_SHIP_EVENT_BITS = 3,
    WM_SHIP_STATE_DEMAND = 15 << WM_SHIP_EVENT_BITS,
    WM_SHIP_STATE_WRITE_BACK = WM_SHIP_STATE_DEMAND << WM_SHIP_STREAM_COUNTER_BITS,
    WM_SHIP_STATE = WM_SHIP_STATE_DEMAND | WM_SHIP_STATE_WRITE_BACK,
    // The signs of the state and of twice it: that counter is zero.
    WM_SHIP_STATES = (WM_SHIP_STATE_WRITE_BACK | WM_SHIP_STATE_DEMAND) + (1 << WM_SHIP_EVENT_BITS),
};

struct wm_ship {
    struct wm_rrip rrip;
    uint32_t signature_bits, signature_mask;
    uint32_t deferred_count;
    struct wm_ship_deferred deferred[WM_STEPS];
    int32_t after[WM_SHIP_STATES]; // of a state and, in its lowest bits, an event
    uint8_t counter_max;
    uint8_t counters[WM_SHIP_WRITE_BACK + 1];
};

typedef uint16_t wm_ship_line; // signature and outcome

// Where a set's RRPVs are one word of fields of 16 ways (rrip.h), so is what most lines need: a
// field of the same word says whether the line's outcome is set, which it is as soon as it was hit,
// and `lines` has a field that says whether its signature is that of write-backs and one whether it
// is another than instruction 0's and theirs. Only then is the signature in the line's own state.
enum { WM_SHIP_WRITE_BACK_FIELD = WM_RRIP_NEAR_WAYS }; // the other one is the first

#define WM_SHIP_OTHERS UINT64_C(0x0000ffff)      // all ways' fields
#define WM_SHIP_LINE_FIELDS UINT64_C(0x00010001) // of way 0: both

// Of a set whose first RRIP word and lines' states these are.
static inline wm_ship_line wm_ship_get(const struct wm_ship *ship, const struct wm_rrip_word *word,
                                       const wm_ship_line *lines, uint32_t way)
{
    if (!ship->rrip.has_near)
        return lines[way];
    bool other = (word->lines >> way & 1) != 0;
    bool write_back = (word->lines >> WM_SHIP_WRITE_BACK_FIELD >> way & 1) != 0;
    uint32_t signature = other ? lines[way] : write_back ? WM_SHIP_WRITE_BACK : 0u;
    return (wm_ship_line)(signature |
                          (wm_rrip_near_mark(word->near, way) != 0 ? WM_SHIP_OUTCOME : 0u));
}

// What an event has of the line, unless its signature is another.
static inline uint64_t wm_ship_near_event(uint64_t near, uint64_t lines, uint32_t way)
{
    uint64_t bits = (near >> (3 * WM_RRIP_NEAR_WAYS) | lines) >> way;
#if defined(__BMI2__)
    return _pext_u64(bits, WM_SHIP_LINE_FIELDS);
#else
    return (bits & 1) | (bits >> (WM_SHIP_WRITE_BACK_FIELD - 1) & WM_SHIP_EVENT_WRITE_BACK);
#endif
}

static inline void wm_ship_put(const struct wm_ship *ship, struct wm_rrip_word *word,
                               wm_ship_line *lines, uint32_t way, wm_ship_line line)
{
    if (!ship->rrip.has_near) {
        lines[way] = line;
        return;
    }
    uint32_t signature = line & ~(uint32_t)WM_SHIP_OUTCOME;
    bool write_back = signature == WM_SHIP_WRITE_BACK, other = !write_back && signature != 0;
    if (other)
        lines[way] = (wm_ship_line)signature;
    uint64_t bits = (uint64_t)other | (uint64_t)write_back << WM_SHIP_WRITE_BACK_FIELD;
    word->lines = (word->lines & ~(WM_SHIP_LINE_FIELDS << way)) | bits << way;
    wm_rrip_near_put_mark(&word->near, way, (line & WM_SHIP_OUTCOME) != 0);
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
static inline void wm_ship_train(struct wm_ship *ship, wm_ship_line *line, bool hit, bool leaves)
{
    uint8_t *counter = &ship->counters[*line & ~WM_SHIP_OUTCOME];
    bool unused = (*line & WM_SHIP_OUTCOME) == 0;
    *counter = (uint8_t)(*counter + (hit & (*counter < ship->counter_max)) -
                         (leaves & unused & (*counter > 0)));
    *line = (wm_ship_line)(*line | (WM_SHIP_OUTCOME & wm_select_mask(hit)));
}

#endif
