#include "engine/replay/recorded_work.h"

#include "engine/replay/recorded_block.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// As PTX names clocks, or SASS.
static bool reads_clock(const char *text)
{
    return strstr(text, "%clock") != NULL || strstr(text, "%globaltimer") != NULL ||
           strstr(text, "SR_CLOCK") != NULL || strstr(text, "SR_GLOBALTIMER") != NULL;
}

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    const struct wm_recorded_work *recorded = work;
    const struct wm_recorded_instruction *it = &recorded->code->instructions[pc];
    *facts = (struct wm_instruction_facts){.ptx_line = it->ptx_line,
                                           .source_line = it->source_line,
                                           .source_file = it->source_file,
                                           .guard = it->guard,
                                           .exists = it->exists,
                                           .is_memory = it->is_memory,
                                           .generic = it->generic,
                                           .reads_clock = reads_clock(it->text),
                                           .kind = it->kind,
                                           .space = it->space};
    if (text != NULL)
        wm_text_add(text, it->text);
}

static uint64_t ptx_hash(const void *work)
{
    const struct wm_recorded_work *recorded = work;
    return recorded->code->ptx_hash;
}

static char *copy_ptx(const void *work)
{
    const struct wm_recorded_work *recorded = work;
    struct wm_error error;
    char *text = NULL;
    if (recorded->code->ptx_hash != 0 &&
        wm_recording_ptx(recorded->streams.recording, recorded->code->ptx_hash, &text, &error) !=
            WM_OK)
        return NULL;
    return text;
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    const struct wm_recorded_work *recorded = work;
    if (recorded->status != WM_OK && error != NULL)
        *error = recorded->error;
    return recorded->status;
}

// Threads run SMs in no order, but an SM's warps in one: so its first fault of a moment is always
// the same, and of those of several SMs the same one counts. Other blocks continue: which of them
// had their turn before the fault depends on the threads.
void wm_recorded_stop_with(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                           const struct wm_error *error)
{
    uint64_t moment = recorded->work.moment != NULL ? *recorded->work.moment : 0;
    uint32_t sm = block->public.sm;
    block->stopped = true;
    pthread_mutex_lock(&recorded->stop_mutex);
    if (recorded->status == WM_OK || moment < recorded->stop_moment ||
        (moment == recorded->stop_moment && sm < recorded->stop_sm)) {
        recorded->status = error->status;
        recorded->error = *error;
        recorded->stop_moment = moment;
        recorded->stop_sm = sm;
    }
    pthread_mutex_unlock(&recorded->stop_mutex);
}

void wm_recorded_stop(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                      uint32_t warp, const char *what)
{
    struct wm_error error;
    wm_fail(&error, WM_INVALID, "launch %" PRIu64 ", block %" PRIu64 ", warp %" PRIu32 ": %s",
            recorded->streams.launch.number, block->public.index, warp, what);
    wm_error_place(&error, "%s", recorded->streams.recording->file.path);
    wm_error_hint(&error, "record the program again");
    wm_recorded_stop_with(recorded, block, &error);
}

static enum wm_status deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error)
{
    struct wm_recorded_work *recorded = work;
    assert(count > 0);
    recorded->stuck = recorded->turn.given || wm_recorded_awaits_device(recorded, blocks, count);
    if (recorded->status == WM_OK && !recorded->stuck &&
        !wm_recorded_stop_order(recorded, blocks, count))
        wm_recorded_stop(recorded, (struct wm_recorded_block *)blocks[0], 0,
                         "every warp waits for another");
    return fault(work, error);
}

static void read_ahead(void *work)
{
    struct wm_recorded_work *recorded = work;
    wm_recorded_streams_read_ahead(&recorded->streams);
}

static const struct wm_work_ops recorded_ops = {
    .describe = describe,
    .ptx_hash = ptx_hash,
    .copy_ptx = copy_ptx,
    .start_block = wm_recorded_start_block,
    .finish_block = wm_recorded_finish_block,
    .run = wm_recorded_run,
    .begin_round = wm_recorded_begin_round,
    .accesses_done = wm_recorded_accesses_done,
    .run_in_step = wm_recorded_run_in_step,
    .expect_in_step = wm_recorded_expect_in_step,
    .next_pc = wm_recorded_next_pc,
    .step = wm_recorded_step,
    .expect = wm_recorded_expect,
    .read_ahead = read_ahead,
    .fault = fault,
    .deadlock = deadlock,
};

// --- The launch ---

static bool place_code(struct wm_recorded_work *recorded)
{
    const struct wm_recorded_code *code = recorded->code;
    // Of a core nothing else is fetched: what has no address stands for no code.
    bool known = recorded->lanes == 1;
    for (uint32_t pc = 0; pc < code->instruction_count && !known; pc++)
        known = code->instructions[pc].bytes != 0;
    if (!known)
        return true;
    recorded->code_places =
        calloc(code->instruction_count + UINT64_C(1), sizeof *recorded->code_places);
    for (uint32_t pc = 0; recorded->code_places != NULL && pc < code->instruction_count; pc++)
        recorded->code_places[pc] = (struct wm_code_place){
            .address = code->instructions[pc].address, .bytes = code->instructions[pc].bytes};
    return recorded->code_places != NULL;
}

static void fill_work(struct wm_recorded_work *recorded)
{
    const struct wm_recorded_launch *launch = &recorded->streams.launch;
    const struct wm_recorded_code *code = recorded->code;
    recorded->work = (struct wm_work){
        .ops = &recorded_ops,
        .parallel = true,
        .kernel = code->name,
        .module = code->module,
        .fingerprint = code->fingerprint,
        .instruction_count = code->instruction_count,
        .warps_per_block = recorded->streams.warps,
        .static_shared_bytes = code->static_shared_bytes,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .registers_per_thread = code->registers_per_thread,
        .local_bytes_per_block = launch->local_bytes_per_block,
        .preferred_carveout = launch->preferred_carveout,
        .stream = launch->stream,
        .gpu = launch->order.gpu,
        .local_offset = wm_work_first_local(launch->order.gpu),
        .code_places = recorded->code_places,
    };
    memcpy(recorded->work.grid, launch->grid, sizeof launch->grid);
    memcpy(recorded->work.block, launch->block, sizeof launch->block);
}

// A replay remembers each memory instruction of each warp of a resident block: a file of a few
// bytes must not take all of the host's memory.
enum { MOST_BLOCK_SLOTS = 1 << 20 };

static enum wm_status check_slots(const struct wm_recorded_work *recorded, struct wm_error *error)
{
    uint64_t slots = (uint64_t)recorded->streams.warps * recorded->slots.count;
    if (slots <= MOST_BLOCK_SLOTS)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED,
            "kernel %s has %" PRIu32 " memory instructions for %" PRIu32
            " warps a block; a replay takes %d of both multiplied",
            recorded->code->name, recorded->slots.count, recorded->streams.warps, MOST_BLOCK_SLOTS);
    wm_error_place(error, "%s", recorded->streams.recording->file.path);
    return wm_error_hint(error, "run the program with warpmem run instead");
}

enum wm_status wm_recorded_work_init(struct wm_recorded_work *recorded,
                                     struct wm_recording *recording, uint32_t sm_count,
                                     struct wm_error *error)
{
    *recorded = (struct wm_recorded_work){.code = &recording->codes[recording->launch.code],
                                          .sm_count = sm_count,
                                          .lanes = recording->header.lanes};
    WM_TRY(wm_recorded_streams_open(recording, &recorded->streams, error));
    pthread_mutex_init(&recorded->stop_mutex, NULL);
    enum wm_status status = WM_OK;
    if (!wm_recorded_slots_init(&recorded->slots, recorded->code) || !place_code(recorded) ||
        !wm_recorded_make_pools(recorded) || !wm_recorded_make_progress(recorded))
        status = wm_fail_no_memory(error, "a recorded kernel");
    if (status == WM_OK)
        status = check_slots(recorded, error);
    const struct wm_recorded_streams *streams = &recorded->streams;
    if (status == WM_OK && !streams->whole) {
        if (streams->stopped)
            wm_fail(error, WM_INVALID,
                    "launch %" PRIu64 " of kernel %s was stopped before its end when it was "
                    "recorded",
                    streams->launch.number, recorded->code->name);
        else
            wm_fail(error, WM_INVALID,
                    "launch %" PRIu64 " of kernel %s is not whole: %" PRIu64 " of its %" PRIu64
                    " blocks were recorded to their end",
                    streams->launch.number, recorded->code->name, streams->whole_blocks,
                    wm_recorded_blocks(&streams->launch));
        wm_error_place(error, "%s", recording->file.path);
        status = wm_error_hint(error, "record the program again, or cut the whole launches out "
                                      "with warpmem trace cut");
    }
    if (status == WM_OK)
        fill_work(recorded);
    else
        wm_recorded_work_release(recorded);
    return status;
}

void wm_recorded_work_release(struct wm_recorded_work *recorded)
{
    wm_recorded_release_blocks(recorded);
    free(recorded->progress);
    recorded->progress = NULL;
    pthread_mutex_destroy(&recorded->stop_mutex);
    wm_recorded_streams_close(&recorded->streams);
    wm_recorded_slots_release(&recorded->slots);
    free(recorded->code_places);
    recorded->code_places = NULL;
}
