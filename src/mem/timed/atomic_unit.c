#include "mem/timed/atomic_unit.h"

#include <stdlib.h>

static const struct wm_counter_declaration declarations[] = {
    WM_ATOMIC_UNIT_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_atomic_unit_counter_set = {
    .kind = "atomic_unit",
    .title = "atomic unit of an L2 slice in time",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum wm_status wm_atomic_unit_init(struct wm_atomic_unit *unit, uint32_t interval,
                                   struct wm_error *error)
{
    *unit = (struct wm_atomic_unit){.interval = interval};
    if (interval <= 1)
        return WM_OK;
    unit->places = calloc(interval, sizeof *unit->places);
    return unit->places != NULL ? WM_OK : wm_fail_no_memory(error, "an L2 slice");
}

void wm_atomic_unit_release(struct wm_atomic_unit *unit)
{
    free(unit->places);
    unit->places = NULL;
}

// The first cycle from `cycle` on in which no operation on the sectors is under way. A request
// takes a cycle at least, so of all before the last `interval` none is.
static uint64_t free_from(const struct wm_atomic_unit *unit, uint64_t address, uint32_t sectors,
                          uint64_t cycle)
{
    for (uint32_t i = 0; unit->places != NULL && i < unit->interval; i++) {
        const struct wm_atomic_place *place = &unit->places[i];
        if (place->address == address && (place->sectors & sectors) != 0 && place->over > cycle)
            cycle = place->over;
    }
    return cycle;
}

uint64_t wm_atomic_unit_take(struct wm_atomic_unit *unit, uint64_t address, uint32_t sectors,
                             uint32_t rounds, uint64_t cycle)
{
    uint64_t begin = free_from(unit, address, sectors, cycle > unit->free ? cycle : unit->free);
    uint64_t over = begin + (uint64_t)rounds * unit->interval;
    // The next one may begin behind the last operation's first cycle.
    unit->free = over - unit->interval + 1;
    unit->counters.requests++;
    unit->counters.rounds += rounds;
    unit->counters.busy_cycles += unit->free - begin;
    if (unit->places != NULL) {
        unit->places[unit->next] =
            (struct wm_atomic_place){.address = address, .over = over, .sectors = sectors};
        unit->next = unit->next + 1 < unit->interval ? unit->next + 1 : 0;
    }
    return over;
}
