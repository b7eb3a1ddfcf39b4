#include "engine/session/written_lines.h"

#include "base/containers/array.h"
#include "base/names/demangle.h"
#include "base/text/text.h"
#include "engine/clock/clock.h"
#include "engine/session/session_state.h"
#include "mem/explain/written_lines.h"
#include "mem/system/coherent_levels.h"

#include <stdlib.h>
#include <string.h>

enum wm_status wm_session_note_written_lines(struct wm_session *session, struct wm_error *error)
{
    if (!session->options.explain || !wm_memory_is_coherent(&session->machine.memory))
        return WM_OK;
    uint32_t units = wm_session_units(session), line_bytes = 0;
    WM_TRY(WM_ARRAY_NEW(session->coherent_caches, units, error, "lines that several write"));
    for (uint32_t i = 0; i < units; i++)
        session->coherent_caches[i] = wm_memory_coherent_cache_of(session->memory, i, &line_bytes);
    session->written_lines = wm_written_lines_new(line_bytes);
    session->written_line_bytes = line_bytes;
    if (session->written_lines == NULL)
        return wm_fail_no_memory(error, "lines that several write");
    wm_memory_names_init(&session->memory_names);
    if (session->clock != NULL) {
        wm_clock_note_written_lines(session->clock, session->written_lines,
                                    session->coherent_caches);
        return WM_OK;
    }
    session->front_end.written_lines = session->written_lines;
    session->front_end.coherent_caches = session->coherent_caches;
    return WM_OK;
}

void wm_session_release_written_lines(struct wm_session *session)
{
    wm_written_lines_free(session->written_lines);
    wm_memory_names_release(&session->memory_names);
    free(session->coherent_caches);
}

bool wm_session_finish_written_lines(struct wm_session *session)
{
    if (session->written_lines == NULL)
        return true;
    session->written_line_count = wm_written_lines_finish(session->written_lines);
    return !wm_written_lines_failed(session->written_lines);
}

struct wm_memory_names *wm_session_memory_names(struct wm_session *session)
{
    return session->written_lines != NULL ? &session->memory_names : NULL;
}

enum { MOST_NAMES_LOOKED_AT = 256 }; // of a line: variables may be single bytes

// ---- Results -----------------------------------------------------------------------------------

// Those with most copies taken first, then by address.
static int by_copies(const void *a, const void *b)
{
    const struct wm_written_line *left = a, *right = b;
    if (left->copies_taken != right->copies_taken)
        return left->copies_taken > right->copies_taken ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

// The kernel that counts there, and the index of its instruction by pc; NULL where it is not
// counted.
static const struct wm_kernel_record *record_of(const struct wm_session *session,
                                                const struct wm_instruction_misses *instruction,
                                                uint32_t *pc)
{
    for (uint32_t i = 0; i < session->record_count; i++) {
        const struct wm_kernel_record *record = session->records[i];
        if (record->not_counted || instruction < record->explained ||
            instruction >= record->explained + record->instruction_count)
            continue;
        *pc = (uint32_t)(instruction - record->explained);
        return record;
    }
    return NULL;
}

static const struct wm_instruction_result *result_of(const struct wm_kernel_result *kernel,
                                                     uint32_t pc)
{
    uint32_t first = 0, end = kernel->instruction_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (kernel->instructions[middle].pc == pc)
            return &kernel->instructions[middle];
        if (kernel->instructions[middle].pc < pc)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

// As the source has it. Parts of a variable that a compiler has taken apart are numbered behind it:
// "_ZL5count.1".
static const char *readable_name(const char *name, struct wm_arena *arena)
{
    struct wm_text text, whole;
    size_t length = strncmp(name, "_Z", 2) == 0 ? strcspn(name, ".") : strlen(name);
    wm_text_init(&text);
    wm_text_init(&whole);
    wm_text_append(&whole, name, length);
    if (!whole.failed)
        wm_demangle(whole.data, &text);
    text.failed |= whole.failed;
    wm_text_release(&whole);
    wm_text_add(&text, name + length);
    const char *copy = text.failed ? NULL : wm_arena_copy_text(arena, text.data, strlen(text.data));
    wm_text_release(&text);
    return copy;
}

// What a line has of a part of memory.
static struct wm_written_name_result name_in_line(const struct wm_memory_name *part,
                                                  uint64_t address, uint64_t bytes)
{
    bool begins = part->address >= address;
    uint64_t at = begins ? part->address - address : 0;
    uint64_t offset = begins ? 0 : address - part->address;
    uint64_t left = part->bytes - offset < bytes - at ? part->bytes - offset : bytes - at;
    return (struct wm_written_name_result){
        .name = part->name, .offset = offset, .at = (uint32_t)at, .bytes = (uint32_t)left};
}

static bool is_accessed(const uint64_t *accessed, const struct wm_written_name_result *name)
{
    for (uint32_t byte = name->at; byte < name->at + name->bytes; byte++)
        if ((accessed[byte / 64] >> byte % 64 & 1) != 0)
            return true;
    return false;
}

// Of what lies in the line and was accessed there.
static bool copy_names(const struct wm_session *session, const struct wm_written_line *from,
                       struct wm_results *results, struct wm_written_line_result *to)
{
    const struct wm_memory_name *found[MOST_NAMES_LOOKED_AT];
    uint64_t bytes = session->written_line_bytes;
    size_t count = wm_memory_names_in(&session->memory_names, from->address, bytes, found,
                                      MOST_NAMES_LOOKED_AT);
    struct wm_written_name_result *names =
        WM_ARENA_ARRAY(&results->arena, struct wm_written_name_result, WM_MOST_WRITTEN_NAMES);
    if (names == NULL)
        return false;
    to->names = names;
    for (size_t i = 0; i < count && to->name_count < WM_MOST_WRITTEN_NAMES; i++) {
        struct wm_written_name_result name = name_in_line(found[i], from->address, bytes);
        if (!is_accessed(from->accessed, &name))
            continue;
        name.name = readable_name(name.name, &results->arena);
        if (name.name == NULL)
            return false;
        names[to->name_count++] = name;
    }
    return true;
}

static bool copy_line(const struct wm_session *session, const struct wm_written_line *from,
                      struct wm_results *results, struct wm_written_line_result *to)
{
    struct wm_written_place_result *places = WM_ARENA_ARRAY(
        &results->arena, struct wm_written_place_result, from->place_count + UINT64_C(1));
    *to = (struct wm_written_line_result){.address = from->address,
                                          .caches = from->caches,
                                          .writers = from->writers,
                                          .copies_taken = from->copies_taken,
                                          .true_misses = from->true_misses,
                                          .false_misses = from->false_misses,
                                          .places = places};
    if (places == NULL || !copy_names(session, from, results, to))
        return false;
    for (uint32_t i = 0; i < from->place_count; i++) {
        const struct wm_written_place *place = &from->places[i];
        uint32_t pc;
        const struct wm_kernel_record *record = record_of(session, place->instruction, &pc);
        if (record == NULL)
            continue;
        const struct wm_kernel_result *kernel = &results->kernels[record->number];
        const struct wm_instruction_result *instruction = result_of(kernel, pc);
        if (instruction == NULL)
            continue;
        places[to->place_count++] =
            (struct wm_written_place_result){.kernel = kernel,
                                             .instruction = instruction,
                                             .units = place->units,
                                             .copies_taken = place->copies_taken,
                                             .true_misses = place->true_misses,
                                             .false_misses = place->false_misses};
    }
    return true;
}

bool wm_session_copy_written_lines(const struct wm_session *session, struct wm_results *results)
{
    size_t count = session->written_line_count;
    if (session->written_lines == NULL)
        return true;
    results->notes_written_lines = true;
    results->written_line_bytes = session->written_line_bytes;
    results->written_line_total = count;
    struct wm_written_line *found = malloc((count + 1) * sizeof *found);
    if (found == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        found[i] = wm_written_line_at(session->written_lines, i);
    qsort(found, count, sizeof *found, by_copies);
    if (count > WM_MOST_WRITTEN_LINES)
        count = WM_MOST_WRITTEN_LINES;
    struct wm_written_line_result *list =
        WM_ARENA_ARRAY(&results->arena, struct wm_written_line_result, count + 1);
    bool good = list != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = copy_line(session, &found[i], results, &list[i]);
    free(found);
    results->written_lines = list;
    results->written_line_count = good ? (uint32_t)count : 0;
    return good;
}
