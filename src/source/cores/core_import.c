#include "source/cores/core_import.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "base/text/text.h"
#include "source/cores/core_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The instructions ---

static const struct wm_core_place *place_of(const struct wm_core_importing *importing,
                                            const struct wm_core_instruction *it)
{
    return wm_core_place_of(&importing->places[it->core], wm_core_instruction_place(it));
}

// What is no instruction.
static enum wm_status gather_event(struct wm_core_importing *importing,
                                   const struct wm_core_step *step, struct wm_error *error)
{
    if (step->kind == WM_CORE_STEP_ENDS || !wm_core_importing_keeps(importing, step))
        return WM_OK;
    importing->has_events = true;
    importing->seen[importing->thread] |= wm_core_importing_of_device(step);
    if (step->kind == WM_CORE_STEP_TURN &&
        !WM_ARRAY_ADD(importing->turns, importing->turn_count, importing->turn_room,
                      (uint8_t)importing->thread))
        return wm_fail_no_memory(error, "a trace's turns");
    if (step->kind != WM_CORE_STEP_FOLLOWS)
        return WM_OK;
    if (step->awaited_accesses <= importing->awaited[step->awaited])
        return WM_OK;
    importing->awaited[step->awaited] = step->awaited_accesses;
    importing->waiting[step->awaited] = importing->thread;
    return WM_OK;
}

static enum wm_status gather(struct wm_core_importing *importing, const struct wm_core_step *step,
                             struct wm_error *error)
{
    if (step->kind != WM_CORE_STEP_EXECUTES)
        return gather_event(importing, step, error);
    importing->seen[importing->thread] = true;
    importing->made[importing->thread] += step->access_count;
    enum wm_status status = wm_core_table_add(
        &importing->table, wm_core_importing_program(importing, step), step, error);
    if (status != WM_OK)
        wm_error_place(error, "%s", importing->import->paths[importing->trace]);
    return status;
}

static void name_instruction(const struct wm_core_importing *importing,
                             const struct wm_core_instruction *it, struct wm_text *text)
{
    const struct wm_core_place *place = place_of(importing, it);
    if (importing->import->count > 1 && !importing->import->shared)
        wm_text_format(text, "core %" PRIu32 ": ", it->core);
    if (it->bytes != 0)
        wm_text_format(text, "0x%" PRIx64 "%s", it->address, it->continues ? "+" : "");
    if (place != NULL)
        wm_text_format(text, "%s+0x%" PRIx64, place->object, place->offset);
    if ((it->bytes != 0 || place != NULL) && wm_core_instruction_is_memory(it))
        wm_text_add(text, " ");
    wm_text_add(text, it->loads ? "load" : it->stores ? "store" : it->locks ? "locked" : "");
    wm_text_append(text, "", 1);
}

static void describe(const struct wm_core_importing *importing, const char *const *texts,
                     struct wm_recorded_instruction *instructions)
{
    for (uint32_t pc = 0; pc < importing->table.count; pc++) {
        const struct wm_core_instruction *it = &importing->table.instructions[pc];
        const struct wm_core_place *place = place_of(importing, it);
        bool has_code = it->bytes != 0 && !it->continues; // it was fetched with the first part
        instructions[pc] = (struct wm_recorded_instruction){
            .text = texts[pc],
            .source_file = place != NULL ? place->file : NULL,
            .source_line = place != NULL ? place->line : 0,
            .exists = true,
            .is_memory = wm_core_instruction_is_memory(it),
            .keeps_waits = importing->has_events,
            .kind = it->stores  ? WM_ACCESS_STORE
                    : it->locks ? WM_ACCESS_ATOMIC
                                : WM_ACCESS_LOAD,
            .space = WM_SPACE_GLOBAL,
            .address = has_code ? wm_core_importing_address(importing, it->core, it->address) : 0,
            .bytes = has_code ? it->bytes : 0,
        };
    }
}

static uint64_t hash_place(const struct wm_core_place *place)
{
    const char *file = place->file != NULL ? place->file : "";
    uint64_t hash = wm_hash_bytes(place->object, strlen(place->object));
    hash = wm_hash_u64(hash ^ place->offset) ^ wm_hash_bytes(file, strlen(file));
    return wm_hash_u64(hash ^ place->line);
}

static uint64_t fingerprint(const struct wm_core_importing *importing)
{
    const struct wm_core_table *table = &importing->table;
    uint64_t hash = table->count;
    for (uint32_t pc = 0; pc < table->count; pc++) {
        const struct wm_core_instruction *it = &table->instructions[pc];
        hash = wm_hash_u64(hash ^ it->address);
        hash = wm_hash_u64(hash ^ ((uint64_t)it->bytes << 32 | it->core << 3 |
                                   (uint32_t)it->continues << 2 | (uint32_t)it->loads << 1 |
                                   (uint32_t)it->stores | (uint32_t)it->locks << 31));
        if (place_of(importing, it) != NULL)
            hash ^= hash_place(place_of(importing, it));
    }
    return hash;
}

// The traces' names, one after the other.
static char *name_traces(const struct wm_core_import *import)
{
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t i = 0; i < import->count; i++) {
        const char *name = strrchr(import->paths[i], '/');
        wm_text_format(&text, "%s%s", i > 0 ? ", " : "",
                       name != NULL ? name + 1 : import->paths[i]);
    }
    char *names = text.failed ? NULL : wm_text_take(&text);
    wm_text_release(&text);
    return names;
}

static enum wm_status write_code(struct wm_core_importing *importing, struct wm_error *error)
{
    const struct wm_core_table *table = &importing->table;
    struct wm_text text; // of all instructions, each with its NUL
    wm_text_init(&text);
    for (uint32_t pc = 0; pc < table->count; pc++)
        name_instruction(importing, &table->instructions[pc], &text);
    struct wm_recorded_instruction *instructions = calloc(table->count, sizeof *instructions);
    const char **texts = calloc(table->count, sizeof *texts);
    char *module = name_traces(importing->import);
    bool good = !text.failed && instructions != NULL && texts != NULL && module != NULL;
    if (good) {
        const char *at = text.data;
        for (uint32_t pc = 0; pc < table->count; pc++, at += strlen(at) + 1)
            texts[pc] = at;
        describe(importing, texts, instructions);
        wm_recording_write_code(
            importing->writer,
            &(struct wm_recorded_code){
                .name = importing->core_count > 1 || importing->import->kernels != NULL ? "cores"
                                                                                        : "core",
                .module = module,
                .fingerprint = fingerprint(importing),
                .instruction_count = table->count,
                .instructions = instructions});
    }
    wm_text_release(&text);
    free(instructions);
    free(texts);
    free(module);
    return good ? WM_OK : wm_fail_no_memory(error, "a trace's instructions");
}

// --- All of it ---

static enum wm_status write_launch(struct wm_core_importing *importing, struct wm_error *error)
{
    const struct wm_core_table *table = &importing->table;
    const struct wm_core_instruction *last = &table->instructions[table->count - 1];
    struct wm_recorded_launch launch = {.grid = {importing->core_count, 1, 1}, .block = {1, 1, 1}};
    uint32_t slots = last->slot + wm_core_instruction_is_memory(last);
    launch.code = importing->code;
    WM_TRY(write_code(importing, error));
    if (importing->import->kernels != NULL)
        wm_recording_cores_begin(importing->writer, &launch, slots);
    else
        wm_recording_launch_begin(importing->writer, &launch, slots);
    for (uint32_t core = 0; core < importing->core_count; core++)
        WM_TRY(wm_core_importing_write_stream(importing, core, error));
    wm_recording_launch_end(importing->writer, true);
    if (importing->turn_count > 0)
        wm_recording_write_turns(importing->writer, importing->turns, importing->turn_count);
    wm_recording_write_names(importing->writer, &importing->names);
    return WM_OK;
}

static enum wm_status write_to(const char *path, const struct wm_recording_header *header,
                               struct wm_core_importing *importing, struct wm_error *error)
{
    WM_TRY(wm_recording_writer_new(path, header, &importing->writer, error));
    if (importing->import->kernels != NULL) {
        importing->code = importing->import->kernels->code_count;
        wm_recording_write_copy(importing->writer, &importing->import->kernels->file);
    }
    enum wm_status status = write_launch(importing, error);
    if (status == WM_OK)
        return wm_recording_writer_finish(importing->writer, error);
    enum wm_status written = wm_recording_writer_status(importing->writer, error);
    wm_recording_writer_free(importing->writer);
    return written != WM_OK ? written : status;
}

static enum wm_status write_recording(struct wm_core_importing *importing, struct wm_error *error)
{
    const struct wm_core_import *import = importing->import;
    if (import->kernels != NULL)
        return write_to(import->output, &import->kernels->header, importing, error);
    const struct wm_core_format *format =
        import->format != NULL ? import->format : wm_core_format_of_path(import->paths[0]);
    const char **command;
    WM_TRY(WM_ARRAY_NEW(command, import->count + 1, error, "a recording"));
    for (uint32_t i = 0; i < import->count; i++)
        command[i] = import->paths[i];
    struct wm_recording_header header = {.writer = import->writer,
                                         .source = format->name,
                                         .machine = "",
                                         .machine_yaml = "",
                                         .command = command,
                                         .lanes = 1};
    enum wm_status status = write_to(import->output, &header, importing, error);
    free(command);
    return status;
}

static enum wm_status fail_order(const struct wm_core_importing *importing, uint32_t trace,
                                 uint32_t thread, struct wm_error *error)
{
    wm_fail(error, WM_INVALID,
            "thread %" PRIx32 " waits for %" PRIx32 " accesses of thread %" PRIx32
            ", which makes %" PRIx64 " (all hexadecimal)",
            importing->waiting[thread], importing->awaited[thread], thread,
            importing->made[thread]);
    wm_error_place(error, "%s", importing->import->paths[trace]);
    return wm_error_hint(error,
                         "the trace was cut or edited: trace the program again, or leave the "
                         "order out: --unordered");
}

// Beside kernels thread n is core n, also where one before it does nothing.
static void keep_numbers(struct wm_core_importing *importing)
{
    bool later = false;
    for (uint32_t thread = WM_CORE_MOST_THREADS; thread > 0; thread--) {
        later = later || importing->seen[thread - 1];
        importing->seen[thread - 1] |= later && importing->import->kernels != NULL;
    }
}

// Reads a trace for the first time: its instructions, and the threads that have made any access.
static enum wm_status gather_trace(struct wm_core_importing *importing, uint32_t trace,
                                   struct wm_error *error)
{
    memset(importing->seen, 0, sizeof importing->seen);
    memset(importing->made, 0, sizeof importing->made);
    memset(importing->awaited, 0, sizeof importing->awaited);
    WM_TRY(wm_core_importing_read(importing, trace, WM_CORE_ALL_THREADS, gather, error));
    keep_numbers(importing);
    for (uint32_t thread = 0; thread < WM_CORE_MOST_THREADS; thread++) {
        if (importing->made[thread] < importing->awaited[thread])
            return fail_order(importing, trace, thread, error);
        if (!importing->seen[thread])
            continue;
        importing->numbers[trace][thread] = (uint16_t)importing->core_count;
        if (importing->core_count == WM_CORE_MOST_TRACES) {
            wm_fail(error, WM_LIMIT, "more than %d threads in all", (int)WM_CORE_MOST_TRACES);
            return wm_error_place(error, "%s", importing->import->paths[trace]);
        }
        importing->cores[importing->core_count++] = (struct wm_core_origin){trace, thread};
    }
    return WM_OK;
}

// The recording that threads are to be in.
static enum wm_status check_kernels(const struct wm_recording *kernels, struct wm_error *error)
{
    const char *what = !kernels->file.complete      ? "the recording is cut off: threads of such a "
                                                      "program are in none"
                       : kernels->header.lanes == 1 ? "the recording is of CPU cores, not of "
                                                      "kernels that threads could run beside"
                       : kernels->cores_section != 0 ? "the recording has its threads already"
                                                     : NULL;
    if (what == NULL)
        return WM_OK;
    wm_fail(error, WM_INVALID, "%s", what);
    return wm_error_place(error, "%s", kernels->file.path);
}

static enum wm_status gather_all(struct wm_core_importing *importing, struct wm_error *error)
{
    const struct wm_core_import *import = importing->import;
    if (import->kernels != NULL)
        WM_TRY(check_kernels(import->kernels, error));
    for (uint32_t trace = 0; trace < import->count; trace++)
        WM_TRY(gather_trace(importing, trace, error));
    if (importing->table.count > 0)
        return WM_OK;
    wm_fail(error, WM_INVALID, "no thread of it executes anything");
    return wm_error_place(error, "%s", import->paths[0]);
}

enum wm_status wm_core_import(const struct wm_core_import *import, struct wm_core_counts *counts,
                              struct wm_error *error)
{
    uint32_t most = import->kernels != NULL ? 1 : WM_CORE_MOST_TRACES;
    if (import->count > most && import->kernels != NULL)
        return wm_fail(error, WM_INVALID,
                       "%" PRIu32 " traces: beside kernels there is one, of all "
                       "threads",
                       import->count);
    if (import->count == 0 || import->count > most)
        return wm_fail(error, WM_INVALID, "%" PRIu32 " traces: from 1 to %d are taken at a time",
                       import->count, (int)WM_CORE_MOST_TRACES);
    struct wm_core_importing *importing;
    WM_TRY(WM_ARRAY_NEW(importing, 1, error, "importing a trace"));
    importing->import = import;
    wm_memory_names_init(&importing->names);
    for (uint32_t trace = 0; trace < import->count; trace++)
        wm_core_places_init(&importing->places[trace]);
    enum wm_status status = gather_all(importing, error);
    if (status == WM_OK) {
        wm_core_table_number(&importing->table);
        importing->counts.instructions = importing->table.count;
        status = write_recording(importing, error);
    }
    if (status == WM_OK && counts != NULL)
        *counts = importing->counts;
    for (uint32_t trace = 0; trace < import->count; trace++)
        wm_core_places_release(&importing->places[trace]);
    wm_memory_names_release(&importing->names);
    wm_core_table_release(&importing->table);
    free(importing->turns);
    free(importing);
    return status;
}
