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
// of the level above, which no instruction requested, have one signature of their own.
#include "base/host/select.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/rrip.h"

enum { BITS, SIGNATURE_BITS, COUNTER_BITS };

enum { COUNTER_START = 1 };

enum {
    MOST_SIGNATURE_BITS = 14,
    WRITE_BACK = 1 << MOST_SIGNATURE_BITS, // the signature of victims from above
    OUTCOME = 0x8000,                      // in a line's state, next to its signature
};

struct ship {
    struct wm_rrip rrip;
    uint32_t signature_bits, signature_mask;
    uint8_t counter_max;
    uint8_t counters[WRITE_BACK + 1];
};

typedef uint16_t ship_line; // signature and outcome

static const struct wm_parameter parameters[] = {
    [BITS] = WM_PARAMETER_RRPV_BITS,
    [SIGNATURE_BITS] = {"signature_bits", "of an instruction; the table has a counter for each", 1,
                        MOST_SIGNATURE_BITS, 14},
    [COUNTER_BITS] = {"counter_bits", "width of the table's counters", 1, 8, 3},
};

static ship_line signature_of(const struct ship *ship, uint32_t pc, bool write_back)
{
    uint32_t folded = pc;
    for (uint32_t rest = pc; (rest >>= ship->signature_bits) != 0;)
        folded ^= rest;
    return write_back ? WRITE_BACK : (ship_line)(folded & ship->signature_mask);
}

// The line was hit, or it leaves: its signature learns.
static void train(struct ship *ship, ship_line *line, bool hit, bool leaves)
{
    uint8_t *counter = &ship->counters[*line & ~OUTCOME];
    bool unused = (*line & OUTCOME) == 0;
    *counter = (uint8_t)(*counter + (hit & (*counter < ship->counter_max)) -
                         (leaves & unused & (*counter > 0)));
    *line = (ship_line)(*line | (OUTCOME & wm_select_mask(hit)));
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct ship *ship = array;
    const uint64_t *values = geometry->parameters;
    wm_rrip_init(&ship->rrip, values[BITS], 0, geometry->ways);
    ship->signature_bits = (uint32_t)values[SIGNATURE_BITS];
    ship->signature_mask = (UINT32_C(1) << ship->signature_bits) - 1;
    ship->counter_max = (uint8_t)((1u << values[COUNTER_BITS]) - 1);
    memset(ship->counters, COUNTER_START, sizeof ship->counters);
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    train(set->array, (ship_line *)set->lines + way, true, false);
    wm_rrip_hit(set, way, event);
}

static void evict(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    (void)event;
    train(set->array, (ship_line *)set->lines + way, false, true);
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    const struct ship *ship = set->array;
    ship_line signature = signature_of(ship, event->pc, event->write_back);
    ((ship_line *)set->lines)[way] = signature;
    wm_rrip_insert(set->set, &ship->rrip, way, ship->counters[signature] == 0);
}

const struct wm_replacement_ops wm_replacement_ship = {
    .name = "ship",
    .title = "signature-based hit predictor",
    .source = "Wu, Jaleel, Hasenplaugh, Martonosi, Steely and Emer, MICRO 2011 (SHiP-PC)",
    .sentence = "displaces first what came in by instructions whose lines were never used again",
    .details =
        "Instructions are distinguished by their index in their kernel, so kernels share counters. "
        "What was learned survives a flush.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct ship),
    .word_state_bytes = sizeof(struct wm_rrip_word),
    .line_state_bytes = sizeof(ship_line),
    .reset = reset,
    .hit = hit,
    .insert = insert,
    .evict = evict,
    .victim = wm_rrip_victim,
};
