#include "mem/explain/written_lines.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 1024, WORD_BITS = 64 };
#define NO_PLACE UINT32_MAX

// A cache that has accessed a line.
struct sharer {
    uint32_t cache;
    bool present, writes;
    bool uncertain;     // the line was missed, and no byte accessed that another had written
    uint32_t missed_at; // then: which of the line's places missed; NO_PLACE: none that is kept
    struct wm_instruction_misses *instruction; // then: that missed
};

struct place {
    struct wm_written_place seen;
    uint64_t units; // a bit each, by number modulo WM_WRITTEN_MOST_UNITS
};

struct line {
    uint64_t number;
    struct sharer *sharers; // owned
    // Owned. Bits, one a byte: those that were accessed; then, by sharer, those that others have
    // written since it lost the line.
    uint64_t *bytes;
    uint32_t sharer_count, sharer_room, byte_room;
    struct place *places; // owned
    uint32_t place_count, place_room;
    uint64_t copies_taken, true_misses, false_misses;
};

struct wm_written_lines {
    uint32_t line_bytes, mask_words;
    struct line *items; // owned
    size_t count, room;
    uint32_t *buckets; // owned; open addressing: index + 1, 0 is empty
    size_t bucket_count;
    struct wm_written_place *listed; // owned, once finished: of lines with copies taken
    size_t *order, order_count;      // owned
    bool failed;
};

struct wm_written_lines *wm_written_lines_new(uint32_t line_bytes)
{
    struct wm_written_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    lines->line_bytes = line_bytes;
    lines->mask_words = (line_bytes + WORD_BITS - 1) / WORD_BITS;
    lines->bucket_count = FIRST_BUCKETS;
    lines->buckets = calloc(lines->bucket_count, sizeof *lines->buckets);
    if (lines->buckets != NULL)
        return lines;
    free(lines);
    return NULL;
}

void wm_written_lines_free(struct wm_written_lines *lines)
{
    if (lines == NULL)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].sharers);
        free(lines->items[i].bytes);
        free(lines->items[i].places);
    }
    free(lines->items);
    free(lines->buckets);
    free(lines->listed);
    free(lines->order);
    free(lines);
}

bool wm_written_lines_failed(const struct wm_written_lines *lines)
{
    return lines->failed;
}

// ---- Finding -----------------------------------------------------------------------------------

// The bucket that has the line, or where it belongs.
static uint32_t *bucket_of(const struct wm_written_lines *lines, uint64_t number)
{
    size_t at = wm_hash_u64(number) & (lines->bucket_count - 1);
    while (lines->buckets[at] != 0 && lines->items[lines->buckets[at] - 1].number != number)
        at = (at + 1) & (lines->bucket_count - 1);
    return &lines->buckets[at];
}

static bool grow(struct wm_written_lines *lines)
{
    if (lines->count >= UINT32_MAX || !WM_ARRAY_RESERVE(lines->items, lines->count, lines->room, 1))
        return false;
    if (2 * (lines->count + 1) <= lines->bucket_count)
        return true;
    uint32_t *buckets = calloc(2 * lines->bucket_count, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(lines->buckets);
    lines->buckets = buckets;
    lines->bucket_count *= 2;
    for (size_t i = 0; i < lines->count; i++)
        *bucket_of(lines, lines->items[i].number) = (uint32_t)i + 1;
    return true;
}

static struct line *find_line(struct wm_written_lines *lines, uint64_t number)
{
    uint32_t *bucket = bucket_of(lines, number);
    if (*bucket != 0)
        return &lines->items[*bucket - 1];
    if (!grow(lines))
        return NULL;
    lines->items[lines->count++] = (struct line){.number = number};
    *bucket_of(lines, number) = (uint32_t)lines->count;
    return &lines->items[lines->count - 1];
}

static uint64_t *foreign_of(const struct wm_written_lines *lines, const struct line *line,
                            uint32_t sharer)
{
    return line->bytes + (size_t)(1 + sharer) * lines->mask_words;
}

// Its number among the line's; NO_PLACE without memory.
static uint32_t find_sharer(const struct wm_written_lines *lines, struct line *line, uint32_t cache)
{
    for (uint32_t i = 0; i < line->sharer_count; i++)
        if (line->sharers[i].cache == cache)
            return i;
    if (!WM_ARRAY_RESERVE(line->sharers, line->sharer_count, line->sharer_room, 1) ||
        !WM_ARRAY_RESERVE(line->bytes, line->sharer_count * lines->mask_words, line->byte_room,
                          2 * lines->mask_words)) // the first are not counted
        return NO_PLACE;
    if (line->sharer_count == 0)
        memset(line->bytes, 0, lines->mask_words * sizeof *line->bytes);
    line->sharers[line->sharer_count] =
        (struct sharer){.cache = cache, .present = true, .missed_at = NO_PLACE};
    memset(foreign_of(lines, line, line->sharer_count), 0, lines->mask_words * sizeof(uint64_t));
    return line->sharer_count++;
}

// Which of the line's places the access has; NO_PLACE where it is one too many.
static uint32_t find_place(struct wm_written_lines *lines, struct line *line,
                           const struct wm_written_access *access)
{
    uint32_t at = 0;
    while (at < line->place_count && line->places[at].seen.instruction != access->instruction)
        at++;
    if (at == WM_WRITTEN_MOST_PLACES)
        return NO_PLACE;
    if (at == line->place_count) {
        if (!WM_ARRAY_RESERVE(line->places, line->place_count, line->place_room, 1)) {
            lines->failed = true;
            return NO_PLACE;
        }
        line->places[line->place_count++] = (struct place){
            .seen = {.instruction = access->instruction, .first_unit = access->unit}};
    }
    struct place *place = &line->places[at];
    place->units |= UINT64_C(1) << access->unit % WM_WRITTEN_MOST_UNITS;
    place->seen.units = (uint32_t)__builtin_popcountll(place->units);
    return at;
}

// ---- Accesses ----------------------------------------------------------------------------------

static uint64_t word_of(uint32_t first, uint32_t bytes, uint32_t word)
{
    uint32_t begin = first > word * WORD_BITS ? first - word * WORD_BITS : 0;
    uint32_t end = first + bytes - word * WORD_BITS;
    if (first + bytes <= word * WORD_BITS || begin >= WORD_BITS)
        return 0;
    uint64_t below = end >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below & ~((UINT64_C(1) << begin) - 1);
}

// Whether the miss was for bytes that another had written is certain now.
static void decide(struct line *line, struct sharer *sharer, bool shared)
{
    struct wm_written_place *place =
        sharer->missed_at != NO_PLACE ? &line->places[sharer->missed_at].seen : NULL;
    sharer->uncertain = false;
    line->true_misses += shared;
    line->false_misses += !shared;
    sharer->instruction->true_sharing += shared;
    sharer->instruction->false_sharing += !shared;
    if (place == NULL)
        return;
    place->true_misses += shared;
    place->false_misses += !shared;
}

static void write_bytes(struct wm_written_lines *lines, struct line *line, uint32_t writer,
                        const struct wm_written_access *access, uint32_t first, uint32_t bytes)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < line->sharer_count; i++) {
        struct sharer *sharer = &line->sharers[i];
        uint64_t *foreign = foreign_of(lines, line, i);
        if (i == writer)
            continue;
        if (sharer->present) {
            memset(foreign, 0, lines->mask_words * sizeof *foreign);
            if (sharer->uncertain)
                decide(line, sharer, false);
            taken++;
        }
        sharer->present = false;
        for (uint32_t word = 0; word < lines->mask_words; word++)
            foreign[word] |= word_of(first, bytes, word);
    }
    line->sharers[writer].writes = true;
    if (taken == 0)
        return;
    uint32_t place = find_place(lines, line, access);
    line->copies_taken += taken;
    if (place != NO_PLACE)
        line->places[place].seen.copies_taken += taken;
}

static bool touches(const struct wm_written_lines *lines, const uint64_t *foreign, uint32_t first,
                    uint32_t bytes)
{
    for (uint32_t word = 0; word < lines->mask_words; word++)
        if ((foreign[word] & word_of(first, bytes, word)) != 0)
            return true;
    return false;
}

// Bytes of one line.
static void access_line(struct wm_written_lines *lines, const struct wm_written_access *access,
                        uint64_t number, uint32_t first, uint32_t bytes)
{
    struct line *line = find_line(lines, number);
    uint32_t at = line != NULL ? find_sharer(lines, line, access->cache) : NO_PLACE;
    if (at == NO_PLACE) {
        lines->failed = true;
        return;
    }
    struct sharer *sharer = &line->sharers[at];
    for (uint32_t word = 0; word < lines->mask_words; word++)
        line->bytes[word] |= word_of(first, bytes, word);
    if (!sharer->present) {
        sharer->present = sharer->uncertain = true;
        sharer->instruction = access->instruction;
        sharer->missed_at = find_place(lines, line, access);
    }
    if (sharer->uncertain && touches(lines, foreign_of(lines, line, at), first, bytes))
        decide(line, sharer, true);
    if (access->writes)
        write_bytes(lines, line, at, access, first, bytes);
}

void wm_written_lines_access(struct wm_written_lines *lines, const struct wm_written_access *access)
{
    uint64_t address = access->address;
    for (uint32_t left = access->bytes; left > 0;) {
        uint32_t first = (uint32_t)(address & (lines->line_bytes - 1));
        uint32_t here = lines->line_bytes - first < left ? lines->line_bytes - first : left;
        access_line(lines, access, address / lines->line_bytes, first, here);
        address += here;
        left -= here;
    }
}

// ---- The end -----------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    const struct line *const *left = a, *const *right = b;
    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

static bool sort_lines(struct wm_written_lines *lines)
{
    const struct line **found = malloc((lines->count + 1) * sizeof(struct line *));
    lines->order = malloc((lines->count + 1) * sizeof *lines->order);
    lines->order_count = 0;
    for (size_t i = 0; found != NULL && i < lines->count; i++)
        if (lines->items[i].copies_taken != 0)
            found[lines->order_count++] = &lines->items[i];
    if (found == NULL || lines->order == NULL) {
        free(found);
        return false;
    }
    qsort(found, lines->order_count, sizeof(struct line *), by_number);
    for (size_t i = 0; i < lines->order_count; i++)
        lines->order[i] = (size_t)(found[i] - lines->items);
    free(found);
    return true;
}

static bool list_places(struct wm_written_lines *lines)
{
    lines->listed = calloc(lines->order_count * WM_WRITTEN_MOST_PLACES + 1, sizeof *lines->listed);
    for (size_t i = 0; lines->listed != NULL && i < lines->order_count; i++) {
        const struct line *line = &lines->items[lines->order[i]];
        for (uint32_t place = 0; place < line->place_count; place++)
            lines->listed[i * WM_WRITTEN_MOST_PLACES + place] = line->places[place].seen;
    }
    return lines->listed != NULL;
}

size_t wm_written_lines_finish(struct wm_written_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        for (uint32_t s = 0; s < lines->items[i].sharer_count; s++)
            if (lines->items[i].sharers[s].uncertain)
                decide(&lines->items[i], &lines->items[i].sharers[s], false);
    free(lines->order);
    free(lines->listed);
    lines->order = NULL;
    lines->listed = NULL;
    if (!sort_lines(lines) || !list_places(lines)) {
        lines->failed = true;
        lines->order_count = 0;
    }
    return lines->order_count;
}

struct wm_written_line wm_written_line_at(const struct wm_written_lines *lines, size_t index)
{
    const struct line *line = &lines->items[lines->order[index]];
    struct wm_written_line found = {.address = line->number * lines->line_bytes,
                                    .caches = line->sharer_count,
                                    .copies_taken = line->copies_taken,
                                    .true_misses = line->true_misses,
                                    .false_misses = line->false_misses,
                                    .accessed = line->bytes,
                                    .place_count = line->place_count,
                                    .places = &lines->listed[index * WM_WRITTEN_MOST_PLACES]};
    for (uint32_t i = 0; i < line->sharer_count; i++)
        found.writers += line->sharers[i].writes;
    return found;
}
