#include "mem/explain/line_sharing.h"

#include "base/containers/array.h"
#include "base/numbers/divisor.h"
#include "base/numbers/hash.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, NEIGHBOURS = 4, EXACT = 8, HASH_BITS = 256, MOST_COUNTED = 1024 };
enum { FEWEST_SMS = 4, FEWEST_BLOCKS = 4 }; // of a broadcast

static const struct wm_counter_declaration declarations[] = {
    WM_SHARING_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_sharing_counter_set = {
    .kind = "sharing",
    .title = "lines shared between SMs",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

struct wm_shared_line {
    // The coordinates of the reading blocks: of the first, the least and the most, and the greatest
    // common divisor of their distances from the first (0: none differs).
    uint32_t first[DIMENSIONS], least[DIMENSIONS], most[DIMENSIONS], step[DIMENSIONS];
    uint64_t few[EXACT];             // the first different ones that read it
    uint64_t blocks[HASH_BITS / 64]; // all of them, hashed
    uint64_t last_block;             // that read it
    uint32_t few_count;
    uint32_t sms, reads; // how many; the head of the list, plus one
};

struct wm_line_reads {
    uint64_t *charge, requests;
    uint32_t next; // plus one
};

bool wm_line_sharing_init(struct wm_line_sharing *sharing, uint32_t sm_count)
{
    *sharing = (struct wm_line_sharing){.words = (sm_count + 63) / 64};
    sharing->ran = calloc(sharing->words, sizeof *sharing->ran);
    wm_line_sharing_launch(sharing, 0, NULL);
    return sharing->ran != NULL;
}

void wm_line_sharing_release(struct wm_line_sharing *sharing)
{
    wm_key_table_release(&sharing->table);
    free(sharing->readers);
    free(sharing->lines);
    free(sharing->reads);
    free(sharing->ran);
    *sharing = (struct wm_line_sharing){0};
}

void wm_line_sharing_launch(struct wm_line_sharing *sharing, uint64_t first_block,
                            const uint32_t *grid)
{
    static const uint32_t endless[DIMENSIONS] = {UINT32_MAX, 1, 1};
    wm_key_table_clear(&sharing->table);
    sharing->read_count = 0;
    if (sharing->ran != NULL)
        memset(sharing->ran, 0, sharing->words * sizeof *sharing->ran);
    sharing->first_block = first_block;
    memcpy(sharing->grid, grid != NULL ? grid : endless, sizeof sharing->grid);
}

void wm_line_sharing_ran(struct wm_line_sharing *sharing, uint32_t sm)
{
    sharing->ran[sm / 64] |= UINT64_C(1) << (sm % 64);
}

// --- Reading ---

static bool make_room(struct wm_line_sharing *sharing)
{
    if (sharing->capacity >= sharing->table.capacity)
        return true;
    size_t capacity = sharing->table.capacity;
    if (!WM_ARRAY_RESIZE(sharing->readers, capacity * sharing->words) ||
        !WM_ARRAY_RESIZE(sharing->lines, capacity))
        return false;
    sharing->capacity = sharing->table.capacity;
    return true;
}

static void coordinates(const struct wm_line_sharing *sharing, uint64_t block,
                        uint32_t at[DIMENSIONS])
{
    uint64_t index = block - sharing->first_block;
    for (int d = 0; d < DIMENSIONS; d++) {
        uint32_t extent = sharing->grid[d] != 0 ? sharing->grid[d] : 1;
        at[d] = (uint32_t)(index % extent);
        index /= extent;
    }
}

static void note_block(struct wm_line_sharing *sharing, struct wm_shared_line *line, uint64_t block,
                       bool is_first)
{
    uint32_t at[DIMENSIONS];
    coordinates(sharing, block, at);
    for (int d = 0; d < DIMENSIONS; d++) {
        if (is_first)
            line->first[d] = line->least[d] = line->most[d] = at[d];
        line->least[d] = at[d] < line->least[d] ? at[d] : line->least[d];
        line->most[d] = at[d] > line->most[d] ? at[d] : line->most[d];
        uint32_t apart = at[d] > line->first[d] ? at[d] - line->first[d] : line->first[d] - at[d];
        line->step[d] = (uint32_t)wm_common_divisor(line->step[d], apart);
    }
    uint32_t bit = (uint32_t)wm_hash_u64(block) % HASH_BITS;
    line->blocks[bit / 64] |= UINT64_C(1) << (bit % 64);
    line->last_block = block;
    for (uint32_t i = 0; i < line->few_count; i++)
        if (line->few[i] == block)
            return;
    if (line->few_count < EXACT)
        line->few[line->few_count++] = block;
}

// Counts the request in the list of the line, where the same instruction usually stands first.
static bool note_request(struct wm_line_sharing *sharing, struct wm_shared_line *line,
                         uint64_t *charge)
{
    for (uint32_t at = line->reads; at != 0; at = sharing->reads[at - 1].next)
        if (sharing->reads[at - 1].charge == charge) {
            sharing->reads[at - 1].requests++;
            return true;
        }
    if (!WM_ARRAY_ADD(sharing->reads, sharing->read_count, sharing->read_capacity,
                      {.charge = charge, .requests = 1, .next = line->reads}))
        return false;
    line->reads = sharing->read_count;
    return true;
}

void wm_line_sharing_read(struct wm_line_sharing *sharing, uint64_t line, uint32_t sm,
                          uint64_t block, uint64_t *charge)
{
    uint32_t before = sharing->table.count;
    uint32_t index = sharing->failed ? WM_NO_INDEX : wm_key_table_add(&sharing->table, line);
    if (index == WM_NO_INDEX || !make_room(sharing)) {
        sharing->failed = true;
        return;
    }
    struct wm_shared_line *it = &sharing->lines[index];
    uint64_t *readers = sharing->readers + (size_t)index * sharing->words;
    uint64_t bit = UINT64_C(1) << (sm % 64);
    bool is_first = index == before;
    if (is_first) {
        memset(readers, 0, sharing->words * sizeof *readers);
        *it = (struct wm_shared_line){0};
    }
    if (is_first || it->last_block != block)
        note_block(sharing, it, block, is_first);
    it->sms += (readers[sm / 64] & bit) == 0;
    readers[sm / 64] |= bit;
    if (charge != NULL && !note_request(sharing, it, charge))
        sharing->failed = true;
}

// --- Classes ---

static uint32_t extent(const struct wm_shared_line *line, int dimension)
{
    return line->most[dimension] - line->least[dimension] + 1;
}

static bool are_neighbours(const struct wm_line_sharing *sharing, const struct wm_shared_line *line)
{
    bool whole_grid = true;
    for (int d = 0; d < DIMENSIONS; d++) {
        bool whole = extent(line, d) == sharing->grid[d];
        if (extent(line, d) > NEIGHBOURS || (whole && sharing->grid[d] >= NEIGHBOURS))
            return false;
        whole_grid = whole_grid && whole;
    }
    return !whole_grid;
}

// Bits that `count` different blocks set on average.
static double expected_bits(uint64_t count)
{
    double clear = 1.0, one = 1.0 - 1.0 / HASH_BITS;
    for (; count != 0; count >>= 1, one *= one)
        clear *= (count & 1) != 0 ? one : 1.0;
    return HASH_BITS * (1.0 - clear);
}

// Whether about `least` different blocks have read the line; exact for few.
static bool has_blocks(const struct wm_shared_line *line, double least)
{
    if (line->few_count < EXACT || least <= EXACT)
        return line->few_count >= least;
    int bits = 0;
    for (int i = 0; i < HASH_BITS / 64; i++)
        bits += __builtin_popcountll(line->blocks[i]);
    least = least < MOST_COUNTED ? least : MOST_COUNTED;
    return bits >= 0.97 * expected_bits((uint64_t)(least + 0.999));
}

static bool is_regular(const struct wm_shared_line *line)
{
    double places = 1.0;
    for (int d = 0; d < DIMENSIONS; d++)
        places *= line->step[d] == 0 ? 1 : (extent(line, d) - 1) / line->step[d] + 1;
    return has_blocks(line, FEWEST_BLOCKS) && has_blocks(line, 0.75 * places);
}

static enum wm_sharing_class class_of(const struct wm_line_sharing *sharing,
                                      const struct wm_shared_line *line, uint32_t ran)
{
    if (line->sms == 1)
        return WM_SHARING_PRIVATE;
    if (are_neighbours(sharing, line))
        return WM_SHARING_BOUNDARY;
    if (ran >= FEWEST_SMS && 4 * line->sms >= 3 * ran)
        return WM_SHARING_BROADCAST;
    return is_regular(line) ? WM_SHARING_BROADCAST : WM_SHARING_DYNAMIC;
}

// The counter of lines that `count` SMs have read, at least one: 1, 2, 3-4, 5-8, …
static uint32_t degree_of(uint32_t count)
{
    uint32_t degree = count == 1 ? 0 : 32 - (uint32_t)__builtin_clz(count - 1);
    return degree < WM_SHARING_DEGREES ? degree : WM_SHARING_DEGREES - 1;
}

void wm_line_sharing_classify(struct wm_line_sharing *sharing)
{
    uint64_t *counters = (uint64_t *)&sharing->counters;
    uint32_t ran = 0, count = sharing->table.count;
    for (uint32_t i = 0; i < sharing->words; i++)
        ran += (uint32_t)__builtin_popcountll(sharing->ran[i]);
    for (uint32_t i = 0; i < count && i < sharing->capacity && !sharing->failed; i++) {
        const struct wm_shared_line *line = &sharing->lines[i];
        enum wm_sharing_class class = class_of(sharing, line, ran);
        counters[degree_of(line->sms)]++;
        counters[WM_SHARING_DEGREES + class]++;
        for (uint32_t at = line->reads; at != 0; at = sharing->reads[at - 1].next)
            sharing->reads[at - 1].charge[class] += sharing->reads[at - 1].requests;
    }
    wm_key_table_clear(&sharing->table);
    sharing->read_count = 0;
}
