#include "source/accelsim/export_parts.h"

#include "trace/recorded_slots.h"
#include "trace/warp/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

// Where generic addresses of shared and local memory lie: nothing that is allocated is there.
#define SHARED_BASE UINT64_C(0x100000000000)
#define LOCAL_BASE UINT64_C(0x110000000000)

struct writer {
    struct wm_accelsim_export *export;
    const struct wm_recording *recording;
    const struct wm_recorded_code *code;
    FILE *file;
    struct wm_recorded_streams streams;
    struct wm_sass_line *lines; // owned; by pc
    struct wm_recorded_slots slots;
    struct wm_decoder_slot *decoder_slots; // owned
    struct wm_warp_decoder decoder;
    struct wm_trace_item successors[WM_TRACE_KEYS]; // the decoder's
    uint64_t local_bytes_per_warp;
    bool has_source_lines;
};

// --- Decoding ---

static enum wm_status broken(const struct writer *writer, uint64_t block, uint32_t warp,
                             struct wm_error *error)
{
    wm_fail(error, WM_INVALID,
            "launch %" PRIu64 ", block %" PRIu64 ", warp %" PRIu32 ": its stream "
            "breaks the format",
            writer->streams.launch.number, block, warp);
    return wm_error_place(error, "%s", writer->recording->file.path);
}

typedef enum wm_status (*item_function)(struct writer *writer, uint32_t warp,
                                        const struct wm_trace_item *item, uint64_t *count,
                                        struct wm_error *error);

// All items of a warp, through its block's chunks.
static enum wm_status each_item(struct writer *writer, uint64_t block, uint32_t warp,
                                item_function function, uint64_t *count, struct wm_error *error)
{
    for (uint64_t sequence = 0;; sequence++) {
        struct wm_recorded_chunk chunk;
        WM_TRY(wm_recorded_chunk_get(&writer->streams, block, sequence, &chunk, error));
        wm_recorded_chunk_begin(&chunk, warp, &writer->decoder);
        enum wm_status status = WM_OK;
        struct wm_trace_item item;
        while (status == WM_OK && wm_warp_decoder_item(&writer->decoder, &item))
            status = function(writer, warp, &item, count, error);
        if (status == WM_OK && writer->decoder.control.bad)
            status = broken(writer, block, warp, error);
        if (status == WM_INVALID && error != NULL && error->message[0] == '\0')
            status = broken(writer, block, warp, error);
        bool last = chunk.last;
        wm_recorded_chunk_drop(&writer->streams, &chunk);
        if (status != WM_OK || last)
            return status;
    }
}

// Lanes end with an instruction that is no return: a line is added for it.
static bool adds_exit(const struct writer *writer, const struct wm_trace_item *item)
{
    return item->event == WM_TRACE_EXIT && item->count != 0 &&
           !writer->lines[item->first_pc + item->count - 1].ends;
}

static enum wm_status count_item(struct writer *writer, uint32_t warp,
                                 const struct wm_trace_item *item, uint64_t *count,
                                 struct wm_error *error)
{
    (void)warp;
    (void)error;
    *count += item->count + adds_exit(writer, item);
    writer->export->left_out += item->skipped;
    return WM_OK;
}

// --- Accesses ---

// The accesses of one instruction together: one line has them all.
struct gathered {
    struct wm_warp_access access; // of the first; its `active` is of all
    uint64_t addresses[WM_MAX_LANES];
    bool generic;
};

// A thread's own offset in local memory, from where it lies in its block's.
static uint64_t thread_offset(const struct writer *writer, uint32_t warp, uint32_t lane,
                              uint64_t address, uint32_t bytes)
{
    uint64_t within = address - warp * writer->local_bytes_per_warp;
    if (bytes <= 4)
        return within / (4 * LANES) * 4 + (within & 3);
    return (within - lane * (uint64_t)bytes) / (4 * LANES) * 4;
}

static uint64_t address_of(const struct writer *writer, uint32_t warp, uint32_t lane,
                           const struct wm_warp_access *access, bool generic)
{
    uint64_t address = access->addresses[lane];
    if (access->space == WM_SPACE_LOCAL)
        address = thread_offset(writer, warp, lane, address, access->bytes_per_lane) +
                  (generic ? LOCAL_BASE : 0);
    if (access->space == WM_SPACE_SHARED && generic)
        address += SHARED_BASE;
    return address;
}

// False when the stream has not what its item says.
static bool gather(struct writer *writer, uint32_t warp, uint32_t pc, uint64_t count,
                   struct gathered *all)
{
    uint64_t addresses[WM_MAX_LANES];
    *all = (struct gathered){.generic = writer->code->instructions[pc].generic};
    struct wm_warp_access access = {0};
    for (uint64_t i = 0; wm_trace_has_more_accesses(count, i, access.continues); i++) {
        if (i == WM_MOST_ACCESSES ||
            !wm_warp_decoder_access(&writer->decoder, writer->slots.before[pc], &access, addresses))
            return false;
        // SASS has no atomics on local memory of its own, and none on parameters.
        bool atomic = access.kind == WM_ACCESS_ATOMIC || access.kind == WM_ACCESS_REDUCTION;
        all->generic |= access.space == WM_SPACE_LOCAL && atomic;
        for (uint64_t rest = access.active; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(rest);
            all->addresses[lane] = address_of(writer, warp, lane, &access, all->generic);
        }
        uint64_t before = all->access.active;
        all->access = access;
        all->access.active |= before;
    }
    all->access.addresses = all->addresses;
    return true;
}

// As the tracer compresses them: a run of lanes with one stride, else differences.
static void write_addresses(FILE *file, const struct wm_warp_access *access)
{
    uint64_t mask = access->active;
    const uint64_t *addresses = access->addresses;
    uint32_t first = (uint32_t)__builtin_ctzll(mask);
    uint64_t run = mask >> first;
    bool regular = mask != 0 && (run & (run + 1)) == 0 && run != 1;
    uint64_t stride = regular ? addresses[first + 1] - addresses[first] : 0;
    for (uint32_t lane = first; regular && lane + 1 < LANES && (mask >> (lane + 1) & 1) != 0;
         lane++)
        regular = addresses[lane + 1] - addresses[lane] == stride;
    fprintf(file, "%u %" PRIu32 " 0x%" PRIx64 " ", 0u + access->bytes_per_lane, regular ? 1u : 2u,
            addresses[first]);
    if (regular) {
        fprintf(file, "%" PRId64 " ", (int64_t)stride);
        return;
    }
    uint64_t before = addresses[first];
    for (uint64_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        uint64_t address = addresses[__builtin_ctzll(rest)];
        fprintf(file, "%" PRId64 " ", (int64_t)(address - before));
        before = address;
    }
}

// --- Lines ---

static void write_words(const struct writer *writer, uint32_t pc, uint64_t mask, const char *opcode)
{
    const struct wm_sass_line *line = &writer->lines[pc];
    FILE *file = writer->file;
    if (writer->has_source_lines)
        fprintf(file, "%" PRIu32 " ", writer->code->instructions[pc].source_line);
    fprintf(file, "%04" PRIx32 " %08" PRIx32 " %" PRIu32 " ", pc * 16, (uint32_t)mask,
            line->destination_count);
    for (uint32_t i = 0; i < line->destination_count; i++)
        fprintf(file, "%s ", line->registers[i]);
    fprintf(file, "%s %" PRIu32 " ", opcode, line->source_count);
    for (uint32_t i = 0; i < line->source_count; i++)
        fprintf(file, "%s ", line->registers[line->destination_count + i]);
}

static bool is_sass(const struct writer *writer)
{
    return strcmp(writer->recording->header.source, "accel-sim") == 0;
}

// Parameters are the constant bank's operands of SASS instructions: they have no line of memory.
static void write_memory(struct writer *writer, uint32_t pc, const struct gathered *all)
{
    const struct wm_recorded_instruction *it = &writer->code->instructions[pc];
    char name[96];
    struct wm_warp_access access = all->access;
    if (access.active == 0)
        access = (struct wm_warp_access){.kind = it->kind, .space = it->space, .bytes_per_lane = 4};
    wm_sass_memory_name(it->text, &access, all->generic, name, sizeof name);
    write_words(writer, pc, access.active, is_sass(writer) ? writer->lines[pc].opcode : name);
    if (access.space == WM_SPACE_PARAMETER)
        fprintf(writer->file, "0 ");
    else if (access.active == 0)
        fprintf(writer->file, "%" PRIu32 " 1 0x0 0 ", access.bytes_per_lane);
    else
        write_addresses(writer->file, &access);
}

static void write_plain(struct writer *writer, uint32_t pc, const struct wm_trace_item *item,
                        const struct wm_trace_item *event)
{
    const struct wm_sass_line *line = &writer->lines[pc];
    const char *opcode = line->opcode;
    uint64_t mask = item->active;
    if (event != NULL && event->event == WM_TRACE_EXIT && line->ends) {
        opcode = "EXIT";
        mask = event->lanes;
    } else if (event != NULL && event->event == WM_TRACE_ARRIVAL) {
        opcode = is_sass(writer) ? opcode : (event->waits ? "BAR.SYNC" : "BAR.ARV");
        mask = event->lanes;
    }
    write_words(writer, pc, mask, opcode);
    fprintf(writer->file, "0 ");
}

static enum wm_status write_item(struct writer *writer, uint32_t warp,
                                 const struct wm_trace_item *item, uint64_t *count,
                                 struct wm_error *error)
{
    uint32_t end = item->first_pc + item->count, first_slot = writer->slots.before[item->first_pc];
    for (uint32_t pc = item->first_pc; pc < end; pc++) {
        bool is_last = pc + 1 == end && item->event != WM_TRACE_NO_EVENT;
        if (writer->code->instructions[pc].is_memory) {
            uint32_t slot = writer->slots.before[pc] - first_slot;
            struct gathered all;
            if (slot >= WM_TRACE_ITEM_ACCESSES ||
                !gather(writer, warp, pc, item->accesses >> 2 * slot & 3, &all)) {
                wm_error_clear(error); // the caller knows which block it is
                return WM_INVALID;
            }
            write_memory(writer, pc, &all);
        } else {
            write_plain(writer, pc, item, is_last ? item : NULL);
        }
        fprintf(writer->file, "%" PRId32 " \n", writer->lines[pc].immediate);
        ++*count;
    }
    if (adds_exit(writer, item)) {
        if (writer->has_source_lines)
            fprintf(writer->file, "0 ");
        fprintf(writer->file, "%04" PRIx32 " %08" PRIx32 " 0 EXIT 0 0 0 \n",
                writer->code->instruction_count * 16, (uint32_t)item->lanes);
        ++*count;
    }
    return WM_OK;
}

// --- Blocks ---

static enum wm_status write_warp(struct writer *writer, uint64_t block, uint32_t warp, bool *begun,
                                 struct wm_error *error)
{
    const uint32_t *grid = writer->streams.launch.grid;
    uint64_t count = 0, written = 0;
    WM_TRY(each_item(writer, block, warp, count_item, &count, error));
    // Accel-Sim knows no warp of no instruction, nor such a block.
    if (count == 0)
        return WM_OK;
    if (!*begun)
        fprintf(writer->file, "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]);
    *begun = true;
    fprintf(writer->file, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp, count);
    writer->export->warp_instructions += count;
    return each_item(writer, block, warp, write_item, &written, error);
}

static enum wm_status write_block(struct writer *writer, uint64_t block, struct wm_error *error)
{
    bool begun = false;
    for (uint32_t warp = 0; warp < writer->streams.warps; warp++)
        WM_TRY(write_warp(writer, block, warp, &begun, error));
    if (begun)
        fprintf(writer->file, "\n#END_TB\n\n");
    return WM_OK;
}

// --- The launch ---

static void write_header(const struct writer *writer, uint64_t id)
{
    const struct wm_recorded_launch *launch = &writer->streams.launch;
    const uint32_t *grid = launch->grid, *block = launch->block;
    uint64_t local = writer->local_bytes_per_warp / LANES;
    FILE *file = writer->file;
    fprintf(file, "-kernel name = %s\n-kernel id = %" PRIu64 "\n", writer->code->name, id);
    fprintf(file, "-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", grid[0], grid[1], grid[2]);
    fprintf(file, "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", block[0], block[1],
            block[2]);
    fprintf(file, "-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n",
            writer->code->static_shared_bytes + launch->dynamic_shared_bytes,
            writer->code->registers_per_thread);
    fprintf(file, "-binary version = 70\n-cuda stream id = %" PRIu32 "\n", launch->stream);
    fprintf(file, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
            SHARED_BASE, LOCAL_BASE);
    fprintf(file, "-nvbit version = none, %s\n-accelsim tracer version = 5\n",
            writer->export->writer);
    fprintf(file, "-enable lineinfo = %d\n", writer->has_source_lines);
    if (local != 0)
        fprintf(file, "-warpmem local bytes = %" PRIu64 "\n", local);
    if (launch->preferred_carveout != 0)
        fprintf(file, "-warpmem carveout = %" PRIu32 "\n", launch->preferred_carveout);
    fprintf(file, "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                  "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n\n");
}

// The lines of all instructions, and their places among those of memory.
static enum wm_status prepare(struct writer *writer, struct wm_error *error)
{
    uint32_t count = writer->code->instruction_count;
    struct wm_sass_registers *registers = wm_sass_registers_new();
    writer->lines = calloc(count + UINT64_C(1), sizeof *writer->lines);
    bool good = registers != NULL && writer->lines != NULL &&
                wm_recorded_slots_init(&writer->slots, writer->code);
    if (good)
        writer->decoder_slots =
            calloc(writer->slots.count + UINT64_C(1), sizeof *writer->decoder_slots);
    good = good && writer->decoder_slots != NULL;
    for (uint32_t pc = 0; good && pc < count; pc++) {
        const struct wm_recorded_instruction *it = &writer->code->instructions[pc];
        if (is_sass(writer))
            wm_sass_line_of_sass(it->text, &writer->lines[pc]);
        else
            wm_sass_line_of_ptx(it->text, registers, &writer->lines[pc]);
        writer->has_source_lines |= it->source_line != 0;
    }
    wm_sass_registers_free(registers);
    if (!good)
        return wm_fail_no_memory(error, "exporting a kernel");
    writer->decoder = (struct wm_warp_decoder){.slots = writer->decoder_slots,
                                               .successors = writer->successors,
                                               .slot_count = writer->slots.count,
                                               .instruction_count = count,
                                               .lanes = LANES};
    const struct wm_recorded_launch *launch = &writer->streams.launch;
    writer->local_bytes_per_warp = launch->local_bytes_per_block / writer->streams.warps;
    return WM_OK;
}

static enum wm_status check_whole(const struct writer *writer, struct wm_error *error)
{
    const struct wm_recorded_launch *launch = &writer->streams.launch;
    if (writer->streams.whole)
        return WM_OK;
    wm_fail(error, WM_INVALID, "launch %" PRIu64 " of kernel %.200s is not whole", launch->number,
            writer->code->name);
    wm_error_place(error, "%s", writer->recording->file.path);
    return wm_error_hint(error, "record the program again, or cut the whole launches out with "
                                "warpmem trace cut");
}

enum wm_status wm_accelsim_lines_write(struct wm_accelsim_export *export,
                                       struct wm_recording *recording, uint64_t id, FILE *file,
                                       struct wm_error *error)
{
    struct writer writer = {.export = export, .recording = recording, .file = file};
    WM_TRY(wm_recorded_streams_open(recording, &writer.streams, error));
    writer.code = &recording->codes[writer.streams.launch.code];
    enum wm_status status = check_whole(&writer, error);
    if (status == WM_OK)
        status = prepare(&writer, error);
    if (status == WM_OK) {
        write_header(&writer, id);
        uint64_t blocks = wm_recorded_blocks(&writer.streams.launch);
        for (uint64_t block = 0; block < blocks && status == WM_OK; block++)
            status = write_block(&writer, block, error);
    }
    free(writer.lines);
    wm_recorded_slots_release(&writer.slots);
    free(writer.decoder_slots);
    wm_recorded_streams_close(&writer.streams);
    return status;
}
