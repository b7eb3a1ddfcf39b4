// Signature-based hit predictor by instruction (SHiP-PC): C.-J. Wu, A. Jaleel, W. Hasenplaugh,
// M. Martonosi, S. C. Steely and J. Emer, "SHiP: signature-based hit predictor for high performance
// caching", MICRO 2011. A line's signature is the instruction that brought it in, 14 bits of it. A
// signature history counter table (SHCT) has a saturating counter of 3 bits for each signature: a
// hit adds one to the counter of the line's signature and sets the line's outcome bit; a line that
// leaves with its outcome bit clear takes one from it. An incoming line whose counter is zero is
// predicted distant (RRPV 3), else long (RRPV 2); the rest is SRRIP (mem/replacement/rrip.h).
//
// Ours, where the paper is silent: counters begin at 1, so that nothing is predicted distant before
// it was seen to die; an instruction is its index in its kernel, so kernels share counters; victims
// of the level above, which no instruction asked for, have one signature of their own.
#include "mem/replacement/rrip.h"

enum {
    SIGNATURE_BITS = 14,
    SIGNATURES = 1 << SIGNATURE_BITS,
    WRITE_BACK = SIGNATURES, // the signature of victims of the level above
    COUNTER_MAX = 7,
    COUNTER_START = 1,
    OUTCOME = 0x8000, // in a line's state, beside its signature
};

struct ship {
    uint8_t counters[SIGNATURES + 1];
};

static uint16_t signature_of(const struct wm_replacement_event *event)
{
    if (event->write_back)
        return WRITE_BACK;
    uint32_t folded = event->pc ^ event->pc >> SIGNATURE_BITS ^ event->pc >> (2 * SIGNATURE_BITS);
    return (uint16_t)(folded & (SIGNATURES - 1));
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    (void)geometry;
    struct ship *ship = array;
    memset(ship->counters, COUNTER_START, sizeof ship->counters);
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    struct ship *ship = set->array;
    uint16_t *line = (uint16_t *)set->lines + way;
    uint8_t *counter = &ship->counters[*line & ~OUTCOME];
    *counter = (uint8_t)(*counter + (*counter < COUNTER_MAX));
    *line |= OUTCOME;
    wm_rrip_hit(set, way, event);
}

static void evict(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    (void)event;
    struct ship *ship = set->array;
    uint16_t line = ((uint16_t *)set->lines)[way];
    uint8_t *counter = &ship->counters[line & ~OUTCOME];
    *counter = (uint8_t)(*counter - (((line & OUTCOME) == 0) & (*counter > 0)));
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    const struct ship *ship = set->array;
    uint16_t signature = signature_of(event);
    ((uint16_t *)set->lines)[way] = signature;
    wm_rrip_put(set->set, way, ship->counters[signature] == 0 ? WM_RRPV_DISTANT : WM_RRPV_LONG);
}

const struct wm_replacement_ops wm_replacement_ship = {
    .name = "ship",
    .title = "signature-based hit predictor",
    .source = "Wu, Jaleel, Hasenplaugh, Martonosi, Steely and Emer, MICRO 2011 (SHiP-PC)",
    .sentence = "displaces first what came in by instructions whose lines were never used again",
    .details =
        "Instructions are told apart by their index in their kernel, so kernels share counters. "
        "What was learned is lost when the cache is flushed.",
    .array_state_bytes = sizeof(struct ship),
    .set_state_bytes = sizeof(struct wm_rrip_set),
    .line_state_bytes = sizeof(uint16_t),
    .reset = reset,
    .hit = hit,
    .insert = insert,
    .evict = evict,
    .victim = wm_rrip_victim,
};
