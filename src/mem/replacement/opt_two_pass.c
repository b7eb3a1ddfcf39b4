#include "mem/replacement/opt_two_pass.h"

#include "base/numbers/hash.h"

#include <inttypes.h>
#include <stdlib.h>

// The next reference to the same line after each; SIZE_MAX when there is none. Lines are found in a
// table of open addressing that holds the index of each line's reference seen last, plus 1.
static bool find_next_uses(const uint64_t *lines, size_t count, size_t *next)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    size_t *seen = calloc(slots, sizeof *seen);
    if (seen == NULL)
        return false;
    for (size_t i = count; i-- > 0;) {
        size_t slot = wm_hash_u64(lines[i]) & (slots - 1);
        while (seen[slot] != 0 && lines[seen[slot] - 1] != lines[i])
            slot = (slot + 1) & (slots - 1);
        next[i] = seen[slot] != 0 ? seen[slot] - 1 : SIZE_MAX;
        seen[slot] = i + 1;
    }
    free(seen);
    return true;
}

struct place {
    uint64_t line;
    size_t next_use;
    bool used;
};

// One reference to a set: true when it misses.
static bool refer(struct place *set, uint32_t ways, uint64_t line, size_t next_use)
{
    struct place *victim = &set[0];
    for (struct place *place = set; place < set + ways; place++) {
        if (place->used && place->line == line) {
            place->next_use = next_use;
            return false;
        }
        if (victim->used && (!place->used || place->next_use > victim->next_use))
            victim = place;
    }
    *victim = (struct place){.line = line, .next_use = next_use, .used = true};
    return true;
}

enum wm_status wm_opt_misses(const struct wm_opt_geometry *geometry, const uint64_t *lines,
                             size_t count, uint64_t *misses, struct wm_error *error)
{
    *misses = 0;
    uint32_t sets = geometry->sets, ways = geometry->ways;
    if (sets == 0 || ways == 0 || !geometry->set_index->supports(sets))
        return wm_fail(error, WM_INVALID, "no cache has %" PRIu32 " sets of %" PRIu32 " ways by %s",
                       sets, ways, geometry->set_index->name);
    struct place *places = calloc((size_t)sets * ways, sizeof *places);
    size_t *next = calloc(count != 0 ? count : 1, sizeof *next);
    if (places == NULL || next == NULL || !find_next_uses(lines, count, next)) {
        free(places);
        free(next);
        return wm_fail_no_memory(error, "the future of %zu references", count);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t set = geometry->set_index->index(lines[i], geometry->line_bytes, sets);
        *misses += refer(places + (size_t)set * ways, ways, lines[i], next[i]);
    }
    free(places);
    free(next);
    return WM_OK;
}
