// Machines of random levels: a chain of one to four from units to memory, often a second group of
// units with levels of its own that joins it somewhere, caches that read-only loads use beside it,
// and the parts that any of them may have.
#ifndef WM_TESTS_LEVEL_MACHINES_H
#define WM_TESTS_LEVEL_MACHINES_H

#include "base/numbers/random.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct level_machine {
    struct wm_memory_spec spec;
    uint8_t build; // of the access path: 0 the full one, then the vector widths, plainest first
    bool explained;
};

// Draws machines until one is legal. Returns how many it took.
uint32_t level_machine_draw(struct wm_random *random, struct level_machine *machine);

bool level_machine_is_legal(const struct wm_memory_spec *spec);
// How many levels are between a unit's loads and memory.
uint32_t level_machine_depth(const struct wm_memory_spec *spec, uint32_t unit);
// Bytes of the lines that a unit's requests count their sectors from.
uint32_t level_machine_request_bytes(const struct wm_memory_spec *spec, uint32_t unit);

// Sets, ways and bytes of a line of one array of a level, of which it has one for each slice.
struct geometry {
    uint32_t sets, ways, line;
};
struct geometry level_geometry(const struct wm_level_spec *level);
void level_set_geometry(struct wm_level_spec *level, struct geometry geometry);

// Makes the machine simpler in way number `way`, of level_machine_ways. False, and nothing is done,
// when that changes nothing or what comes of it is not legal.
bool level_machine_simplify(struct level_machine *machine, uint32_t way);
extern const uint32_t level_machine_ways;

// As a reader of machine files would write it, but for what is as in the simplest.
void level_machine_print(FILE *file, const struct level_machine *machine);

#endif
