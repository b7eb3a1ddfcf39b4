// The second reading: instructions of a trace become the items and accesses of warps' streams.
#include "source/accelsim/accelsim_import_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MOST_WARPS = 32, TRIM_BYTES = 1 << 20 };

struct wm_accelsim_warps {
    struct wm_accelsim_import *import;  // borrowed
    struct wm_recording_writer *writer; // borrowed
    const struct wm_accelsim_file *file;
    uint32_t stream;
    // The launch.
    uint32_t warp_count;
    uint64_t local_low, local_bytes_per_warp;
    uint8_t *seen; // owned; a bit for each block
    // The block.
    struct wm_recording_block *block;
    uint64_t block_index;
    uint32_t present; // bit w: the trace has warp w of this block
    // The warp.
    struct wm_warp_encoder *encoder;
    uint32_t warp;
    uint64_t left;             // of its instructions
    uint32_t live;             // lanes that have not ended
    struct wm_trace_item item; // open; count 0: none
};

enum wm_status wm_accelsim_warps_new(struct wm_accelsim_import *import,
                                     struct wm_recording_writer *writer,
                                     struct wm_accelsim_warps **result, struct wm_error *error)
{
    *result = calloc(1, sizeof **result);
    if (*result == NULL)
        return wm_fail_no_memory(error, "importing a trace");
    (*result)->import = import;
    (*result)->writer = writer;
    return WM_OK;
}

void wm_accelsim_warps_free(struct wm_accelsim_warps *warps)
{
    if (warps == NULL)
        return;
    free(warps->seen);
    free(warps);
}

// --- The launch ---

static void begin_launch(struct wm_accelsim_warps *warps, const struct wm_accelsim_header *header)
{
    const struct wm_accelsim_file *file = warps->file;
    uint64_t low = 0, bytes = header->local_bytes;
    if (file->local_low < file->local_high) {
        // Stacks grow down from the end of the window: only the part in use is laid out.
        low = bytes != 0 || file->local_low < 1 << 16 ? 0 : file->local_low & ~UINT64_C(15);
        uint64_t used = file->local_high - low;
        bytes = used > bytes ? (used + 15) & ~UINT64_C(15) : bytes;
    }
    warps->local_low = low;
    warps->local_bytes_per_warp = bytes * LANES;
    struct wm_recorded_launch launch = {
        .code = file->code->number,
        .stream = warps->stream,
        .dynamic_shared_bytes = header->shared_bytes,
        .preferred_carveout = header->carveout,
    };
    memcpy(launch.grid, header->grid, sizeof launch.grid);
    memcpy(launch.block, header->block, sizeof launch.block);
    warps->warp_count = wm_recorded_warps(&launch, LANES);
    launch.local_bytes_per_block = warps->local_bytes_per_warp * warps->warp_count;
    wm_recording_launch_begin(warps->writer, &launch, file->code->slots);
}

// The trace is not what the first reading found.
static enum wm_status changed(struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the trace changed while it was read");
    return wm_error_hint(error, "import it again");
}

static enum wm_status on_header(void *context, const struct wm_accelsim_header *header,
                                struct wm_error *error)
{
    struct wm_accelsim_warps *warps = context;
    const struct wm_accelsim_header *before = &warps->file->header;
    if (memcmp(header->grid, before->grid, sizeof header->grid) != 0 ||
        memcmp(header->block, before->block, sizeof header->block) != 0)
        return changed(error);
    begin_launch(warps, header);
    return WM_OK;
}

// --- Blocks ---

static uint32_t existing_lanes(const struct wm_accelsim_warps *warps, uint32_t warp)
{
    const uint32_t *block = warps->file->header.block;
    uint32_t left = block[0] * block[1] * block[2] - warp * LANES;
    return left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

static enum wm_status begin_block(struct wm_accelsim_warps *warps, uint64_t index,
                                  struct wm_error *error)
{
    warps->block = wm_recording_block_begin(warps->writer, index);
    warps->block_index = index;
    warps->present = 0;
    // The writer reports the cause when the recording is finished.
    return warps->block != NULL ? WM_OK : wm_fail(error, WM_IO, "cannot write the recording");
}

// Lanes end without an instruction.
static void end_lanes(struct wm_warp_encoder *encoder, uint32_t lanes)
{
    const struct wm_trace_item end = {
        .accesses = WM_TRACE_ONE_EACH, .event = WM_TRACE_EXIT, .lanes = lanes};
    wm_warp_encoder_item(encoder, &end);
}

static void end_block(struct wm_accelsim_warps *warps)
{
    for (uint32_t warp = 0; warp < warps->warp_count; warp++)
        if ((warps->present >> warp & 1) == 0)
            end_lanes(&warps->block->warps[warp], existing_lanes(warps, warp));
    wm_recording_block_end(warps->writer, warps->block);
    warps->block = NULL;
}

static enum wm_status on_block(void *context, uint64_t block, struct wm_error *error)
{
    struct wm_accelsim_warps *warps = context;
    if ((warps->seen[block / 8] >> block % 8 & 1) != 0)
        return changed(error);
    warps->seen[block / 8] |= (uint8_t)(1 << block % 8);
    return begin_block(warps, block, error);
}

static enum wm_status on_block_end(void *context, struct wm_error *error)
{
    (void)error;
    end_block(context);
    return WM_OK;
}

// --- Warps ---

static enum wm_status on_warp(void *context, uint32_t warp, uint64_t instructions,
                              struct wm_error *error)
{
    (void)error;
    struct wm_accelsim_warps *warps = context;
    warps->warp = warp;
    warps->encoder = &warps->block->warps[warp];
    warps->left = instructions;
    warps->live = existing_lanes(warps, warp);
    warps->item.count = 0;
    if (instructions > 0)
        warps->present |= UINT32_C(1) << warp;
    return WM_OK;
}

static void close_item(struct wm_accelsim_warps *warps)
{
    if (warps->item.count != 0)
        wm_warp_encoder_item(warps->encoder, &warps->item);
    warps->item.count = 0;
}

// Puts one instruction behind the open item, or begins another.
static void add_instruction(struct wm_accelsim_warps *warps, uint32_t pc, uint32_t mask,
                            uint64_t accesses)
{
    const uint32_t *slot_before = warps->file->code->slot_before;
    struct wm_trace_item *item = &warps->item;
    bool extends = item->count != 0 && item->event == WM_TRACE_NO_EVENT &&
                   item->first_pc + item->count == pc && item->active == mask &&
                   slot_before[pc + 1] - slot_before[item->first_pc] <= WM_TRACE_ITEM_ACCESSES;
    if (!extends) {
        close_item(warps);
        *item =
            (struct wm_trace_item){.first_pc = pc, .active = mask, .accesses = WM_TRACE_ONE_EACH};
    }
    if (slot_before[pc + 1] != slot_before[pc])
        item->accesses ^= (accesses ^ 1) << 2 * (slot_before[pc] - slot_before[item->first_pc]);
    item->count++;
}

// --- Accesses ---

// Where local memory of a thread lies in its block's, as the hardware interleaves it by lane
// (docs/interpreter.md).
static uint64_t local_address(const struct wm_accelsim_warps *warps, unsigned lane, uint64_t offset,
                              uint32_t bytes)
{
    uint64_t from = offset - warps->local_low;
    uint64_t row = warps->warp * warps->local_bytes_per_warp + (from >> 2) * 4 * LANES;
    return bytes <= 4 ? row + lane * UINT64_C(4) + (from & 3) : row + lane * (uint64_t)bytes;
}

// Encodes the access of one instruction, once for each address space of its lanes; returns how
// often.
static uint64_t report_accesses(struct wm_accelsim_warps *warps,
                                const struct wm_accelsim_entry *entry,
                                const struct wm_accelsim_instruction *it)
{
    static const enum wm_address_space order[] = {WM_SPACE_GLOBAL, WM_SPACE_SHARED, WM_SPACE_LOCAL,
                                                  WM_SPACE_CONSTANT};
    const struct wm_sass_opcode *opcode = &entry->opcode;
    uint32_t bytes = wm_accelsim_bytes(opcode, it->width);
    uint64_t addresses[WM_MAX_LANES] = {0}, count = 0;
    uint32_t lanes[sizeof order / sizeof order[0]] = {0};
    for (uint32_t rest = it->mask & opcode->lanes; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t offset;
        enum wm_address_space space =
            wm_accelsim_space(&warps->file->header, opcode, it->addresses[lane], &offset);
        addresses[lane] =
            space == WM_SPACE_LOCAL ? local_address(warps, lane, offset, bytes) : offset;
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
            if (order[i] == space)
                lanes[i] |= UINT32_C(1) << lane;
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct wm_warp_access access = {.kind = opcode->kind,
                                              .space = order[i],
                                              .hint = opcode->hint,
                                              .pc = entry->index,
                                              .bytes_per_lane = bytes,
                                              .lanes = LANES,
                                              .active = lanes[i],
                                              .addresses = addresses};
        if (lanes[i] == 0)
            continue;
        uint32_t slot = warps->file->code->slot_before[entry->index];
        wm_warp_encoder_access(warps->encoder, slot, &access, 0);
        count++;
    }
    return count;
}

// --- Instructions ---

static void arrive(struct wm_accelsim_warps *warps, uint32_t mask)
{
    uint32_t lanes = mask & warps->live;
    if (lanes == 0)
        return;
    warps->item.event = WM_TRACE_ARRIVAL;
    warps->item.lanes = lanes;
    warps->item.barrier = warps->item.threads = 0;
    warps->item.waits = true;
    warps->item.others = lanes != warps->live;
}

// `lanes` end with the instruction added last. A replay would skip what the trace has behind the
// end of a warp's last lanes: they end with its last instruction.
static void leave(struct wm_accelsim_warps *warps, uint32_t lanes)
{
    lanes &= warps->live;
    if (warps->left == 0)
        lanes = warps->live;
    else if (lanes == warps->live)
        return;
    if (lanes == 0)
        return;
    if (warps->item.event != WM_TRACE_NO_EVENT) {
        close_item(warps);
        end_lanes(warps->encoder, lanes);
    } else {
        warps->item.event = WM_TRACE_EXIT;
        warps->item.lanes = lanes;
    }
    warps->live &= ~lanes;
}

static void trim(struct wm_accelsim_warps *warps)
{
    size_t bytes = 0;
    for (uint32_t warp = 0; warp < warps->warp_count; warp++)
        bytes += wm_warp_encoder_bytes(&warps->block->warps[warp]);
    if (bytes < TRIM_BYTES)
        return;
    close_item(warps);
    wm_recording_block_trim(warps->writer, warps->block);
}

static enum wm_status on_instruction(void *context, const struct wm_accelsim_instruction *it,
                                     struct wm_error *error)
{
    struct wm_accelsim_warps *warps = context;
    const struct wm_accelsim_entry *entry = wm_accelsim_code_find(warps->file->code, it);
    if (entry == NULL)
        return changed(error);
    uint64_t accesses = 0;
    if (entry->is_memory && it->has_addresses)
        accesses = report_accesses(warps, entry, it);
    add_instruction(warps, entry->index, it->mask, accesses);
    if (entry->opcode.class == WM_SASS_BARRIER)
        arrive(warps, it->mask);
    warps->left--;
    if (entry->opcode.class == WM_SASS_EXIT || warps->left == 0)
        leave(warps, entry->opcode.class == WM_SASS_EXIT ? it->mask : 0);
    warps->import->warp_instructions++;
    warps->import->thread_instructions += (uint64_t)__builtin_popcount(it->mask);
    if (warps->left == 0)
        close_item(warps);
    // Often enough to bound what a block takes, seldom enough not to cost.
    if (warps->left % 1024 == 0)
        trim(warps);
    return WM_OK;
}

// --- All of it ---

static enum wm_status missing_blocks(struct wm_accelsim_warps *warps, struct wm_error *error)
{
    const uint32_t *grid = warps->file->header.grid;
    uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2];
    for (uint64_t block = 0; block < count; block++) {
        if ((warps->seen[block / 8] >> block % 8 & 1) != 0)
            continue;
        WM_TRY(begin_block(warps, block, error));
        end_block(warps);
        warps->import->missing_blocks++;
    }
    return WM_OK;
}

enum wm_status wm_accelsim_warps_launch(struct wm_accelsim_warps *warps,
                                        const struct wm_accelsim_file *file, uint32_t stream,
                                        struct wm_error *error)
{
    const uint32_t *grid = file->header.grid;
    warps->file = file;
    warps->stream = stream;
    free(warps->seen);
    warps->seen = calloc((uint64_t)grid[0] * grid[1] * grid[2] / 8 + 1, 1);
    if (warps->seen == NULL)
        return wm_fail_no_memory(error, "importing a trace");
    const struct wm_accelsim_callbacks listener = {.header = on_header,
                                                   .block_begin = on_block,
                                                   .warp = on_warp,
                                                   .instruction = on_instruction,
                                                   .block_end = on_block_end,
                                                   .context = warps};
    WM_TRY(wm_accelsim_trace_read(file->path, &listener, error));
    WM_TRY(missing_blocks(warps, error));
    wm_recording_launch_end(warps->writer, true);
    return WM_OK;
}
