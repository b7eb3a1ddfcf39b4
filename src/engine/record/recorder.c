#include "engine/record/recorder.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "engine/record/recorder_items.h"

#include <stdlib.h>
#include <string.h>

// --- Building ---

enum wm_status wm_recorder_new(const char *path, const struct wm_recording_header *header,
                               struct wm_recorder **result, struct wm_error *error)
{
    *result = NULL;
    struct wm_recorder *recorder;
    WM_TRY(WM_ARRAY_NEW(recorder, 1, error, "a recording"));
    recorder->memory_only = header->memory_only;
    enum wm_status status = wm_recording_writer_grow(path, header, &recorder->writer, error);
    if (status != WM_OK) {
        wm_recorder_free(recorder);
        return status;
    }
    *result = recorder;
    return WM_OK;
}

void wm_recorder_limit_bytes(struct wm_recorder *recorder, uint64_t most_bytes)
{
    recorder->most_bytes = most_bytes;
}

static void release_code(struct wm_recorder_code *code)
{
    free(code->name);
    free(code->module);
    wm_recorded_slots_release(&code->slots);
}

static void release(struct wm_recorder *recorder)
{
    for (struct wm_recorder_block *block = recorder->free_blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    for (uint32_t i = 0; i < recorder->code_count; i++)
        release_code(&recorder->codes[i]);
    free(recorder->codes);
    free(recorder->streams);
    for (uint32_t i = 0; i < recorder->module_count; i++) {
        free(recorder->modules[i].name);
        free(recorder->modules[i].text);
    }
    free(recorder->modules);
    wm_launch_order_free(recorder->order);
    free(recorder);
}

enum wm_status wm_recorder_finish(struct wm_recorder *recorder, struct wm_error *error)
{
    enum wm_status status = wm_recording_writer_status(recorder->writer, error);
    if (status == WM_OK && recorder->failed)
        status = wm_fail_no_memory(error, "recording all of the run");
    if (status == WM_OK && recorder->over)
        status = wm_fail(error, WM_LIMIT, "the recording has more than %llu MiB",
                         (unsigned long long)(recorder->most_bytes >> 20));
    if (status == WM_OK && recorder->skips_too_many) {
        status = wm_fail(error, WM_UNSUPPORTED,
                         "a warp executes more instructions between two of memory than a recording "
                         "of those alone can count");
        wm_error_hint(error, "record every instruction: without --memory-only");
    }
    if (status == WM_OK)
        status = wm_recording_writer_finish(recorder->writer, error);
    else
        wm_recording_writer_free(recorder->writer);
    release(recorder);
    return status;
}

void wm_recorder_free(struct wm_recorder *recorder)
{
    if (recorder == NULL)
        return;
    wm_recording_writer_free(recorder->writer);
    release(recorder);
}

void wm_recorder_names(struct wm_recorder *recorder, const struct wm_memory_names *names)
{
    wm_recording_write_names(recorder->writer, names);
}

// --- Modules and code ---

void wm_recorder_module(struct wm_recorder *recorder, const char *name, const char *text,
                        size_t length)
{
    struct wm_recorder_module made = {.name = strdup(name),
                                      .text = malloc(length + 1),
                                      .length = length,
                                      .hash = wm_hash_bytes(text, length)};
    if (made.name == NULL || made.text == NULL ||
        !WM_ARRAY_ADD(recorder->modules, recorder->module_count, recorder->module_room, made)) {
        free(made.name);
        free(made.text);
        recorder->failed = true;
        return;
    }
    memcpy(made.text, text, length);
}

// Writes the text of the newest module of that name, unless it has been written; returns its hash,
// or 0 when it is not known.
static uint64_t write_module(struct wm_recorder *recorder, const char *name)
{
    struct wm_recorder_module *module = NULL;
    for (uint32_t i = 0; i < recorder->module_count; i++)
        if (strcmp(recorder->modules[i].name, name) == 0)
            module = &recorder->modules[i];
    if (module == NULL)
        return 0;
    bool written = module->text == NULL;
    for (uint32_t i = 0; i < recorder->module_count; i++)
        written |= recorder->modules[i].hash == module->hash && recorder->modules[i].text == NULL;
    if (!written)
        wm_recording_write_ptx(recorder->writer, module->hash, module->text, module->length);
    free(module->text);
    module->text = NULL;
    return module->hash;
}

// The kernel may call functions of other modules.
static void write_modules(struct wm_recorder *recorder, const struct wm_work *work)
{
    for (uint32_t pc = 0; pc < work->instruction_count; pc++) {
        struct wm_instruction_facts facts;
        work->ops->describe(work, pc, &facts, NULL);
        if (facts.module != NULL)
            write_module(recorder, facts.module);
    }
}

// Whether an instruction is of those that can report phases (base/access/access.h).
static bool has_phases(const char *text)
{
    static const char *const beginnings[] = {"mbarrier.", "cp.async.mbarrier.", "st.async.",
                                             "red.async.", "barrier.cluster."};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static char *described(const struct wm_work *work, uint32_t pc,
                       struct wm_recorded_instruction *instruction)
{
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    work->ops->describe(work, pc, &facts, &text);
    char *copy = text.failed ? NULL : strdup(text.data != NULL ? text.data : "");
    wm_text_release(&text);
    bool keeps_waits = copy != NULL && has_phases(copy);
    *instruction = (struct wm_recorded_instruction){.text = copy,
                                                    .guard = facts.guard,
                                                    .source_file = facts.source_file,
                                                    .source_line = facts.source_line,
                                                    .ptx_line = facts.ptx_line,
                                                    .exists = facts.exists,
                                                    .is_memory = facts.is_memory,
                                                    .generic = facts.generic,
                                                    .keeps_waits = keeps_waits,
                                                    .kind = facts.kind,
                                                    .space = facts.space};
    return copy;
}

// Writes the kernel's code and numbers its memory instructions; false when there is no memory.
static bool write_code(struct wm_recorder *recorder, const struct wm_work *work,
                       struct wm_recorder_code *code)
{
    uint32_t count = work->instruction_count;
    struct wm_recorded_instruction *instructions =
        calloc(count + UINT64_C(1), sizeof *instructions);
    bool good = instructions != NULL;
    for (uint32_t pc = 0; good && pc < count; pc++)
        good = described(work, pc, &instructions[pc]) != NULL;
    struct wm_recorded_code written = {
        .name = work->kernel,
        .module = work->module,
        .fingerprint = work->fingerprint,
        .static_shared_bytes = work->static_shared_bytes,
        .registers_per_thread = work->registers_per_thread,
        .instruction_count = count,
        .instructions = instructions,
    };
    good = good && wm_recorded_slots_init(&code->slots, &written);
    if (good) {
        written.ptx_hash = write_module(recorder, work->module);
        write_modules(recorder, work);
        code->number = wm_recording_write_code(recorder->writer, &written);
    }
    for (uint32_t pc = 0; instructions != NULL && pc < count; pc++)
        free((char *)(uintptr_t)instructions[pc].text);
    free(instructions);
    return good;
}

// The kernel's code, written when it is met first.
static struct wm_recorder_code *code_of(struct wm_recorder *recorder, const struct wm_work *work)
{
    for (uint32_t i = 0; i < recorder->code_count; i++) {
        struct wm_recorder_code *code = &recorder->codes[i];
        if (code->fingerprint == work->fingerprint && strcmp(code->name, work->kernel) == 0 &&
            strcmp(code->module, work->module) == 0)
            return code;
    }
    if (!WM_ARRAY_RESERVE(recorder->codes, recorder->code_count, recorder->code_room, 1))
        return NULL;
    struct wm_recorder_code *code = &recorder->codes[recorder->code_count];
    *code = (struct wm_recorder_code){.name = strdup(work->kernel),
                                      .module = strdup(work->module),
                                      .fingerprint = work->fingerprint};
    if (code->name == NULL || code->module == NULL || !write_code(recorder, work, code)) {
        release_code(code);
        return NULL;
    }
    recorder->code_count++;
    return code;
}

// --- Streams and events ---

void wm_recorder_stream(struct wm_recorder *recorder, uint64_t stream)
{
    for (uint32_t i = 0; i < recorder->stream_count; i++)
        if (recorder->streams[i] == stream) {
            recorder->stream = i;
            return;
        }
    if (WM_ARRAY_ADD(recorder->streams, recorder->stream_count, recorder->stream_room, stream))
        recorder->stream = recorder->stream_count - 1;
    else
        recorder->failed = true;
}

void wm_recorder_command(struct wm_recorder *recorder, const struct wm_order_command *command)
{
    if (recorder->order == NULL)
        recorder->order = wm_launch_order_new(recorder->launches);
    recorder->ordered =
        recorder->order != NULL && wm_launch_order_command(recorder->order, command);
    recorder->failed |= !recorder->ordered;
    recorder->command_has_event = false;
    recorder->command = recorder->numbers_commands ? (uint32_t)command->id : 0;
    recorder->failed |= recorder->numbers_commands && command->id > UINT32_MAX;
}

void wm_recorder_number_commands(struct wm_recorder *recorder)
{
    recorder->numbers_commands = true;
}

bool wm_recorder_numbers_commands(const struct wm_recorder *recorder)
{
    return recorder->numbers_commands;
}

void wm_recorder_next_launch(struct wm_recorder *recorder, int priority, bool alone)
{
    recorder->priority = priority;
    recorder->alone = alone;
}

// Allocations are of no command.
static bool has_order(const struct wm_recorder *recorder, enum wm_recorded_event_kind kind)
{
    return recorder->ordered && kind != WM_RECORDED_ALLOCATE && kind != WM_RECORDED_FREE;
}

void wm_recorder_event(struct wm_recorder *recorder, enum wm_recorded_event_kind kind,
                       uint64_t address, uint64_t from, uint64_t bytes)
{
    struct wm_recorded_event event = {
        .kind = kind, .stream = recorder->stream, .address = address, .from = from, .bytes = bytes};
    struct wm_recorded_order order;
    if (has_order(recorder, kind) && !recorder->command_has_event) {
        recorder->failed |= !wm_launch_order_write(recorder->order, &order);
        order.command = recorder->command;
        event.order = &order;
        event.begins = recorder->command_has_event = true;
    }
    wm_recording_write_event(recorder->writer, &event);
}

// --- Launches and blocks ---

void wm_recorder_launch_begin(struct wm_recorder *recorder, const struct wm_work *work,
                              uint32_t sm_count)
{
    recorder->code = code_of(recorder, work);
    recorder->failed |= recorder->code == NULL;
    if (recorder->code == NULL)
        return;
    recorder->work = work;
    recorder->sm_count = sm_count;
    recorder->warps = work->warps_per_block;
    struct wm_recorded_launch launch = {.code = recorder->code->number,
                                        .stream = recorder->stream,
                                        .dynamic_shared_bytes = work->dynamic_shared_bytes,
                                        .preferred_carveout = work->preferred_carveout,
                                        .local_bytes_per_block = work->local_bytes_per_block};
    memcpy(launch.grid, work->grid, sizeof launch.grid);
    memcpy(launch.block, work->block, sizeof launch.block);
    if (recorder->ordered) {
        recorder->failed |= !wm_launch_order_write(recorder->order, &launch.order);
        launch.order.priority = recorder->priority;
        launch.order.alone = recorder->alone;
        launch.order.command = recorder->command;
        if (recorder->launches != 0 && launch.stream != recorder->last_stream)
            wm_recording_begin_orders(recorder->writer);
    }
    launch.order.gpu = work->gpu;
    recorder->last_stream = launch.stream;
    wm_recording_launch_begin(recorder->writer, &launch, recorder->code->slots.count);
    recorder->launches++;
    if (recorder->ordered)
        recorder->failed |= !wm_launch_order_launched(recorder->order);
}

void wm_recorder_launch_end(struct wm_recorder *recorder, bool whole)
{
    if (recorder->code == NULL)
        return;
    // What a fault left behind: the blocks that were under way.
    while (recorder->open_blocks != NULL)
        wm_recorder_block_end(recorder, recorder->open_blocks);
    wm_recording_launch_end(recorder->writer, whole && !recorder->failed);
    for (struct wm_recorder_block *block = recorder->free_blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    recorder->free_blocks = NULL;
    recorder->code = NULL;
}

struct wm_recorder_block *wm_recorder_block_begin(struct wm_recorder *recorder,
                                                  const struct wm_block *block)
{
    recorder->over |= recorder->most_bytes != 0 &&
                      wm_recording_writer_bytes(recorder->writer) > recorder->most_bytes;
    if (recorder->code == NULL || recorder->over)
        return NULL;
    struct wm_recorder_block *made = recorder->free_blocks;
    if (made != NULL)
        recorder->free_blocks = made->next;
    else
        made = malloc(sizeof *made + recorder->warps * sizeof made->open[0]);
    struct wm_recording_block *written =
        made != NULL ? wm_recording_block_begin(recorder->writer, block->index) : NULL;
    if (written == NULL) {
        free(made);
        recorder->failed = true;
        return NULL;
    }
    memset(made, 0, sizeof *made + recorder->warps * sizeof made->open[0]);
    made->block = written;
    made->local_base = wm_work_local_base(recorder->work, recorder->sm_count, block);
    made->next = recorder->open_blocks;
    if (made->next != NULL)
        made->next->previous = made;
    recorder->open_blocks = made;
    return made;
}

void wm_recorder_block_end(struct wm_recorder *recorder, struct wm_recorder_block *block)
{
    if (block == NULL)
        return;
    wm_recorder_items_flush(recorder, block);
    wm_mbarrier_table_release(&block->phases);
    wm_recording_block_end(recorder->writer, block->block);
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        recorder->open_blocks = block->next;
    if (block->next != NULL)
        block->next->previous = block->previous;
    block->next = recorder->free_blocks;
    recorder->free_blocks = block;
}
