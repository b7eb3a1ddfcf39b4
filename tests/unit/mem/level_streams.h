// Random accesses, host copies and kernels' starts for machines of random levels; what is done to a
// memory system and to its model alike. A step means the same bytes on any machine, so that a
// stream stays one when its machine, or it, gets simpler.
#ifndef WM_TESTS_LEVEL_STREAMS_H
#define WM_TESTS_LEVEL_STREAMS_H

#include "level_machines.h"
#include "obvious_memory.h"

enum { LEVEL_BLOCK = 1024 }; // 32 sectors

enum level_step_kind {
    STEP_ACCESS, // an instruction of one or more requests
    STEP_SIDE_LOAD,
    STEP_TRANSLATE,
    STEP_HOST_READ,
    STEP_HOST_WRITE,
    STEP_KERNEL,
    STEP_WRITE_BACK,
    STEP_RESIZE,
};

// What of it is read depends on its kind. Units that the machine has not are others.
struct level_step {
    enum level_step_kind kind;
    enum wm_access_kind access;
    enum wm_cache_hint hint;
    enum wm_side_cache_kind side;
    bool around, listed, whole;
    uint32_t unit, warp, pc;
    // Of an access: sectors of the block of LEVEL_BLOCK bytes at the address, and of as many
    // further blocks, which the seed draws; as it does the bytes of a store that is not whole.
    uint32_t sectors, further;
    uint64_t address, bytes, seed;
};

void level_step_draw(struct wm_random *random, const struct wm_memory_spec *spec,
                     struct level_step *step);
void level_step_do(const struct level_step *step, struct wm_memory *memory,
                   struct obvious_memory *model);
// Makes it simpler in the way number `way`, of level_step_ways; false if that changes nothing.
bool level_step_simplify(struct level_step *step, uint32_t way);
extern const uint32_t level_step_ways;
void level_step_print(FILE *file, const struct level_step *step);

#endif
