#include "trace/recording_writer.h"

#include "base/containers/array.h"
#include "base/names/memory_names.h"
#include "trace/frame/frame.h"
#include "trace/recording_order.h"
#include "trace/section/section_file.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    // Encoded bytes of a block that make a chunk, and of chunks that make a frame. Frames are large
    // so that equal strings fall into one, and no larger, as a replay holds some of them unpacked;
    // chunks are small so that a replay holds little of each block.
    CHUNK_BYTES = 32 << 10,
    CHUNK_STEPS = 1 << 26,
    FRAME_BYTES = 512 << 10,
    EVENTS_BYTES = 64 << 10,
    // Of zstd. The columns have taken out most of what a slower level would find. Below 0, bytes
    // that repeat nothing are left as they are: what is decompressed in half the time is a tenth
    // larger, and up to three times where nearly all repeats (bench/results/2026-11-23.md).
    COMPRESSION_LEVEL = -1,
};

struct wm_recording_writer {
    struct wm_section_writer *file;
    struct wm_error error; // the first failure
    struct wm_bytes events, content, directory;
    uint64_t launches, frames; // frames of this launch
    uint32_t codes, lanes;
    struct wm_recorded_launch launch;
    bool in_launch;  // events wait for its end, so that its frames lie together
    bool orders;     // the section is there that says so
    bool order_open; // events that follow are of a command that is not behind all
    uint32_t slots, warps;
    struct wm_frame_packer packer;
    struct wm_recording_block *free_blocks;
    uint32_t free_warps; // that the free blocks have
};

static void fail_with(struct wm_recording_writer *writer, enum wm_status status)
{
    if (status != WM_OK && writer->error.status == WM_OK)
        writer->error.status = status;
}

static bool failed(const struct wm_recording_writer *writer)
{
    return writer->error.status != WM_OK;
}

// Writes writer->content as a section and empties it.
static void write_content(struct wm_recording_writer *writer, enum wm_section_type type)
{
    if (!failed(writer))
        fail_with(writer, wm_section_write(writer->file, type, &writer->content, &writer->error));
    writer->content.length = 0;
}

static void put_u64(struct wm_bytes *bytes, uint64_t number)
{
    wm_bytes_put(bytes,
                 &(uint8_t[8]){(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                               (uint8_t)(number >> 24), (uint8_t)(number >> 32),
                               (uint8_t)(number >> 40), (uint8_t)(number >> 48),
                               (uint8_t)(number >> 56)},
                 8);
}

static void write_header(struct wm_recording_writer *writer,
                         const struct wm_recording_header *header)
{
    struct wm_bytes *content = &writer->content;
    wm_bytes_put_text(content, header->writer);
    wm_bytes_put_text(content, header->source);
    wm_bytes_put_text(content, header->machine);
    wm_bytes_put_text(content, header->machine_yaml);
    wm_bytes_put_number(content, header->lanes);
    wm_bytes_put_number(content, header->memory_only);
    uint64_t words = 0;
    while (header->command != NULL && header->command[words] != NULL)
        words++;
    wm_bytes_put_number(content, words);
    for (uint64_t i = 0; i < words; i++)
        wm_bytes_put_text(content, header->command[i]);
    write_content(writer, WM_SECTION_HEADER);
}

static enum wm_status begin(const char *path, enum wm_output_mode way,
                            const struct wm_recording_header *header,
                            struct wm_recording_writer **result, struct wm_error *error)
{
    *result = NULL;
    struct wm_recording_writer *writer;
    WM_TRY(WM_ARRAY_NEW(writer, 1, error, "a recording"));
    enum wm_status status =
        wm_section_writer_new(path, way, COMPRESSION_LEVEL, &writer->file, error);
    if (status == WM_OK) {
        writer->lanes = header->lanes;
        write_header(writer, header);
        status = writer->error.status;
        if (status != WM_OK && error != NULL)
            *error = writer->error;
    }
    if (status != WM_OK) {
        wm_recording_writer_free(writer);
        return status;
    }
    *result = writer;
    return WM_OK;
}

enum wm_status wm_recording_writer_new(const char *path, const struct wm_recording_header *header,
                                       struct wm_recording_writer **writer, struct wm_error *error)
{
    return begin(path, WM_OUTPUT_ATOMIC, header, writer, error);
}

enum wm_status wm_recording_writer_grow(const char *path, const struct wm_recording_header *header,
                                        struct wm_recording_writer **writer, struct wm_error *error)
{
    return begin(path, WM_OUTPUT_INCREMENTAL, header, writer, error);
}

enum wm_status wm_recording_writer_status(const struct wm_recording_writer *writer,
                                          struct wm_error *error)
{
    if (failed(writer) && error != NULL)
        *error = writer->error;
    return writer->error.status;
}

uint64_t wm_recording_writer_bytes(const struct wm_recording_writer *writer)
{
    return wm_section_writer_bytes(writer->file);
}

void wm_recording_write_ptx(struct wm_recording_writer *writer, uint64_t hash, const char *text,
                            size_t length)
{
    put_u64(&writer->content, hash);
    wm_bytes_put(&writer->content, text, length);
    write_content(writer, WM_SECTION_PTX);
}

static void put_instruction(struct wm_bytes *content, const struct wm_recorded_instruction *it,
                            const struct wm_recorded_instruction *before)
{
    bool same_file = it->source_file == before->source_file ||
                     (it->source_file != NULL && before->source_file != NULL &&
                      strcmp(it->source_file, before->source_file) == 0);
    wm_bytes_put_number(
        content, (uint64_t)it->exists | (uint64_t)it->is_memory << 1 | (uint64_t)it->generic << 2 |
                     (uint64_t)same_file << 3 | (uint64_t)(it->bytes != 0) << 4 |
                     (uint64_t)(it->guard != NULL) << 5 | (uint64_t)it->keeps_waits << 6);
    wm_bytes_put_text(content, it->text);
    if (it->guard != NULL)
        wm_bytes_put_text(content, it->guard);
    if (!same_file)
        wm_bytes_put_text(content, it->source_file);
    wm_bytes_put_signed(content, (uint64_t)it->source_line - before->source_line);
    wm_bytes_put_signed(content, (uint64_t)it->ptx_line - before->ptx_line);
    wm_bytes_put_number(content, it->kind);
    wm_bytes_put_number(content, it->space);
    if (it->bytes == 0)
        return;
    wm_bytes_put_signed(content, it->address - wm_recorded_code_end(before));
    wm_bytes_put_number(content, it->bytes);
}

uint32_t wm_recording_write_code(struct wm_recording_writer *writer,
                                 const struct wm_recorded_code *code)
{
    struct wm_bytes *content = &writer->content;
    wm_bytes_put_text(content, code->name);
    wm_bytes_put_text(content, code->module);
    put_u64(content, code->fingerprint);
    put_u64(content, code->ptx_hash);
    wm_bytes_put_number(content, code->static_shared_bytes);
    wm_bytes_put_number(content, code->registers_per_thread);
    wm_bytes_put_number(content, code->instruction_count);
    struct wm_recorded_instruction none = {0};
    for (uint32_t pc = 0; pc < code->instruction_count; pc++)
        put_instruction(content, &code->instructions[pc],
                        pc > 0 ? &code->instructions[pc - 1] : &none);
    write_content(writer, WM_SECTION_CODE);
    return writer->codes++;
}

static void flush_events(struct wm_recording_writer *writer)
{
    if (writer->events.length == 0)
        return;
    struct wm_bytes empty = writer->content;
    writer->content = writer->events;
    write_content(writer, WM_SECTION_EVENTS);
    writer->events = writer->content;
    writer->content = empty;
}

void wm_recording_begin_orders(struct wm_recording_writer *writer)
{
    if (writer->orders)
        return;
    flush_events(writer);
    wm_bytes_put_number(&writer->content, WM_ORDER_VERSION);
    write_content(writer, WM_SECTION_ORDER);
    writer->orders = true;
}

// Of the events of a command that begin here.
static void write_order(struct wm_recording_writer *writer, const struct wm_recorded_event *event)
{
    static const struct wm_recorded_order behind_all = {0};
    const struct wm_recorded_order *order = event->order != NULL ? event->order : &behind_all;
    bool plain = wm_recorded_order_is_plain(order);
    if (plain && !writer->order_open)
        return;
    wm_recording_begin_orders(writer);
    wm_bytes_put_number(&writer->events, WM_RECORDED_ORDER);
    wm_bytes_put_number(&writer->events, event->stream);
    wm_order_put(&writer->events, order, writer->launches);
    writer->order_open = !plain;
}

// What happens while a launch runs is kept until its end.
void wm_recording_write_event(struct wm_recording_writer *writer,
                              const struct wm_recorded_event *event)
{
    struct wm_bytes *events = &writer->events;
    if (event->begins)
        write_order(writer, event);
    wm_bytes_put_number(events, event->kind);
    wm_bytes_put_number(events, event->stream);
    bool marks = wm_recorded_marks_range(event->kind);
    if (!marks)
        wm_bytes_put_number(events, event->address);
    if (event->kind == WM_RECORDED_DEVICE_COPY)
        wm_bytes_put_number(events, event->from);
    if (!marks && event->kind != WM_RECORDED_FREE)
        wm_bytes_put_number(events, event->bytes);
    if (events->length > EVENTS_BYTES && !writer->in_launch)
        flush_events(writer);
}

// --- Launches ---

static void begin_launch(struct wm_recording_writer *writer,
                         const struct wm_recorded_launch *launch, uint32_t slots,
                         enum wm_section_type type)
{
    bool plain = wm_recorded_order_is_plain(&launch->order);
    if (!plain)
        wm_recording_begin_orders(writer);
    flush_events(writer);
    writer->order_open = false;
    struct wm_bytes *content = &writer->content;
    wm_bytes_put_number(content, launch->number);
    wm_bytes_put_number(content, launch->code);
    wm_bytes_put_number(content, launch->stream);
    for (int axis = 0; axis < 3; axis++)
        wm_bytes_put_number(content, launch->grid[axis]);
    for (int axis = 0; axis < 3; axis++)
        wm_bytes_put_number(content, launch->block[axis]);
    wm_bytes_put_number(content, launch->dynamic_shared_bytes);
    wm_bytes_put_number(content, launch->preferred_carveout);
    wm_bytes_put_number(content, launch->local_bytes_per_block);
    if (!plain)
        wm_order_put(content, &launch->order, launch->number);
    write_content(writer, type);
    writer->launch = *launch;
    writer->in_launch = true;
    writer->slots = slots;
    writer->warps = wm_recorded_warps(launch, writer->lanes);
    writer->frames = 0;
    writer->directory.length = 0;
    wm_frame_packer_begin(&writer->packer, slots, writer->warps);
}

void wm_recording_launch_begin(struct wm_recording_writer *writer,
                               struct wm_recorded_launch *launch, uint32_t slots)
{
    launch->number = writer->launches++;
    begin_launch(writer, launch, slots, WM_SECTION_LAUNCH);
}

void wm_recording_cores_begin(struct wm_recording_writer *writer, struct wm_recorded_launch *launch,
                              uint32_t slots)
{
    launch->number = 0;
    writer->lanes = 1;
    begin_launch(writer, launch, slots, WM_SECTION_CORES);
}

void wm_recording_write_turns(struct wm_recording_writer *writer, const uint8_t *threads,
                              size_t count)
{
    wm_bytes_put(&writer->content, threads, count);
    write_content(writer, WM_SECTION_TURNS);
}

void wm_recording_write_names(struct wm_recording_writer *writer,
                              const struct wm_memory_names *names)
{
    uint64_t before = 0;
    if (names->count == 0 || writer->in_launch)
        return;
    flush_events(writer);
    for (size_t i = 0; i < names->count; i++) {
        const struct wm_memory_name *it = &names->items[i];
        wm_bytes_put_signed(&writer->content, it->address - before);
        wm_bytes_put_number(&writer->content, it->bytes);
        wm_bytes_put_text(&writer->content, it->name);
        before = it->address;
    }
    write_content(writer, WM_SECTION_NAMES);
}

void wm_recording_write_copy(struct wm_recording_writer *writer, const struct wm_section_file *from)
{
    for (uint64_t i = 1; i < from->list.count && !failed(writer); i++) {
        const struct wm_section *section = &from->list.sections[i];
        fail_with(writer, wm_section_copy(writer->file, from, section, &writer->error));
        writer->codes += section->type == WM_SECTION_CODE;
        writer->launches += section->type == WM_SECTION_LAUNCH;
        writer->orders = writer->orders || section->type == WM_SECTION_ORDER;
    }
}

static void write_frame(struct wm_recording_writer *writer)
{
    struct wm_frame_packer *packer = &writer->packer;
    if (packer->chunk_count == 0)
        return;
    wm_bytes_put_number(&writer->directory, packer->chunk_count);
    wm_bytes_put(&writer->directory, packer->chunks.data, packer->chunks.length);
    writer->directory.failed |= packer->failed;
    writer->frames++;
    wm_frame_packer_end(packer, writer->launch.number, &writer->content);
    write_content(writer, WM_SECTION_FRAME);
    wm_frame_packer_begin(packer, writer->slots, writer->warps);
}

static void free_block(struct wm_recording_block *block, uint32_t warps)
{
    for (uint32_t warp = 0; block->warps != NULL && warp < warps; warp++)
        wm_warp_encoder_release(&block->warps[warp]);
    free(block->warps);
    free(block);
}

static void free_blocks(struct wm_recording_writer *writer)
{
    for (struct wm_recording_block *block = writer->free_blocks, *next; block; block = next) {
        next = block->next;
        free_block(block, writer->free_warps);
    }
    writer->free_blocks = NULL;
}

static struct wm_recording_block *take_block(struct wm_recording_writer *writer)
{
    if (writer->free_warps != writer->warps)
        free_blocks(writer);
    writer->free_warps = writer->warps;
    struct wm_recording_block *block = writer->free_blocks;
    if (block != NULL) {
        writer->free_blocks = block->next;
        return block;
    }
    block = calloc(1, sizeof *block);
    if (block != NULL)
        block->warps = calloc(writer->warps + 1, sizeof *block->warps);
    if (block != NULL && block->warps != NULL)
        return block;
    free(block);
    fail_with(writer, wm_fail_no_memory(&writer->error, "a recorded block"));
    return NULL;
}

struct wm_recording_block *wm_recording_block_begin(struct wm_recording_writer *writer,
                                                    uint64_t index)
{
    struct wm_recording_block *block = failed(writer) ? NULL : take_block(writer);
    if (block == NULL)
        return NULL;
    block->index = index;
    block->sequence = 0;
    block->next = NULL;
    for (uint32_t warp = 0; warp < writer->warps; warp++)
        wm_warp_encoder_begin(&block->warps[warp], writer->slots);
    return block;
}

void wm_recording_write_chunk(struct wm_recording_writer *writer, uint64_t block, uint64_t sequence,
                              bool last, const struct wm_warp_encoder *warps)
{
    uint64_t steps = 0;
    for (uint32_t warp = 0; warp < writer->warps; warp++)
        steps += warps[warp].steps;
    if (steps > WM_TRACE_FRAME_STEPS - writer->packer.steps)
        write_frame(writer);
    if (steps > WM_TRACE_FRAME_STEPS) {
        fail_with(writer, wm_fail(&writer->error, WM_UNSUPPORTED,
                                  "block %" PRIu64 " does more between two of its chunks than a "
                                  "frame can have",
                                  block));
        return;
    }
    wm_frame_packer_add(&writer->packer, block, sequence, last, warps);
    if (wm_frame_packer_bytes(&writer->packer) >= FRAME_BYTES)
        write_frame(writer);
}

static void end_chunk(struct wm_recording_writer *writer, struct wm_recording_block *block,
                      bool last)
{
    for (uint32_t warp = 0; warp < writer->warps; warp++)
        wm_warp_encoder_end(&block->warps[warp]);
    wm_recording_write_chunk(writer, block->index, block->sequence++, last, block->warps);
}

bool wm_recording_is_chunk(size_t bytes, uint64_t steps)
{
    return bytes >= CHUNK_BYTES || steps >= CHUNK_STEPS;
}

bool wm_recording_block_is_chunk(const struct wm_recording_writer *writer,
                                 const struct wm_recording_block *block)
{
    size_t bytes = 0;
    uint64_t steps = 0;
    for (uint32_t warp = 0; warp < writer->warps; warp++) {
        bytes += wm_warp_encoder_bytes(&block->warps[warp]);
        steps += block->warps[warp].steps;
    }
    return wm_recording_is_chunk(bytes, steps);
}

void wm_recording_block_trim(struct wm_recording_writer *writer, struct wm_recording_block *block)
{
    end_chunk(writer, block, false);
    for (uint32_t warp = 0; warp < writer->warps; warp++)
        wm_warp_encoder_begin(&block->warps[warp], writer->slots);
}

void wm_recording_block_end(struct wm_recording_writer *writer, struct wm_recording_block *block)
{
    end_chunk(writer, block, true);
    block->next = writer->free_blocks;
    writer->free_blocks = block;
}

void wm_recording_launch_end(struct wm_recording_writer *writer, bool whole)
{
    write_frame(writer);
    struct wm_bytes *content = &writer->content;
    wm_bytes_put_number(content, writer->launch.number);
    wm_bytes_put_number(content, whole);
    wm_bytes_put_number(content, writer->frames);
    content->failed |= writer->directory.failed;
    wm_bytes_put(content, writer->directory.data, writer->directory.length);
    write_content(writer, WM_SECTION_LAUNCH_END);
    writer->in_launch = false;
}

// --- The end ---

enum wm_status wm_recording_writer_finish(struct wm_recording_writer *writer,
                                          struct wm_error *error)
{
    flush_events(writer);
    if (!failed(writer)) {
        fail_with(writer, wm_section_writer_finish(writer->file, &writer->error));
        writer->file = NULL;
    }
    enum wm_status status = writer->error.status;
    if (status != WM_OK && error != NULL)
        *error = writer->error;
    wm_recording_writer_free(writer);
    return status;
}

void wm_recording_writer_free(struct wm_recording_writer *writer)
{
    if (writer == NULL)
        return;
    free_blocks(writer);
    wm_frame_packer_release(&writer->packer);
    wm_bytes_release(&writer->events);
    wm_bytes_release(&writer->content);
    wm_bytes_release(&writer->directory);
    wm_section_writer_free(writer->file);
    free(writer);
}
