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
#include "mem/replacement/ship.h"
#include "mem/replacement/entries.h"

enum { BITS, SIGNATURE_BITS, COUNTER_BITS };

enum { COUNTER_START = 1 };

static const struct wm_parameter parameters[] = {
    [BITS] = WM_PARAMETER_RRPV_BITS,
    [SIGNATURE_BITS] = {"signature_bits", "of an instruction; the table has a counter for each", 1,
                        WM_SHIP_MOST_SIGNATURE_BITS, 14},
    [COUNTER_BITS] = {"counter_bits", "width of the table's counters", 1, 8, 3},
};

static uint32_t after(uint32_t counter, uint32_t most, uint32_t event)
{
    if ((event & WM_SHIP_EVENT_LEAVES) == 0)
        return counter < most ? counter + 1 : counter;
    return (event & WM_SHIP_EVENT_OUTCOME) != 0 || counter == 0 ? counter : counter - 1;
}

static void tabulate(struct wm_ship *ship)
{
    for (uint32_t at = 0; at < WM_SHIP_STATES; at++) {
        uint32_t event = at % (1 << WM_SHIP_EVENT_BITS), most = ship->counter_max;
        uint32_t demand = (at & WM_SHIP_STATE_DEMAND) >> WM_SHIP_EVENT_BITS;
        uint32_t write_back = at >> WM_SHIP_EVENT_BITS >> WM_SHIP_STREAM_COUNTER_BITS;
        uint32_t *learns = (event & WM_SHIP_EVENT_WRITE_BACK) != 0 ? &write_back : &demand;
        *learns = after(*learns, most, event);
        ship->after[at] =
            (int32_t)((demand | write_back << WM_SHIP_STREAM_COUNTER_BITS) << WM_SHIP_EVENT_BITS |
                      (uint32_t)(demand == 0) << 31 | (uint32_t)(write_back == 0) << 30);
    }
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct wm_ship *ship = array;
    const uint64_t *values = geometry->parameters;
    wm_rrip_init(&ship->rrip, values[BITS], 0, geometry->ways);
    ship->signature_bits = (uint32_t)values[SIGNATURE_BITS];
    ship->signature_mask = (UINT32_C(1) << ship->signature_bits) - 1;
    ship->counter_max = (uint8_t)((1u << values[COUNTER_BITS]) - 1);
    memset(ship->counters, COUNTER_START, sizeof ship->counters);
    tabulate(ship);
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    wm_ship_line line = wm_ship_get(set->array, set->set, set->lines, way);
    wm_ship_train(set->array, &line, true, false);
    wm_ship_put(set->array, set->set, set->lines, way, line);
    wm_rrip_hit(set, way, event);
}

static void evict(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    (void)event;
    wm_ship_line line = wm_ship_get(set->array, set->set, set->lines, way);
    wm_ship_train(set->array, &line, false, true);
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    const struct wm_ship *ship = set->array;
    wm_ship_line signature = wm_ship_signature(ship, event->pc, event->write_back);
    wm_ship_put(ship, set->set, set->lines, way, signature);
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
    .array_state_bytes = sizeof(struct wm_ship),
    .word_state_bytes = sizeof(struct wm_rrip_word),
    .line_state_bytes = sizeof(wm_ship_line),
    .reset = reset,
    .hit = hit,
    .insert = insert,
    .evict = evict,
    .victim = wm_rrip_victim,
};
