#include "source/cores/core_streams.h"

static void trim_block(struct wm_core_importing *importing)
{
    if (wm_recording_block_is_chunk(importing->writer, importing->block))
        wm_recording_block_trim(importing->writer, importing->block);
}

static void end_item(struct wm_core_importing *importing)
{
    if (importing->item.count == 0)
        return;
    wm_warp_encoder_item(&importing->block->warps[0], &importing->item);
    importing->item.count = 0;
    trim_block(importing);
}

static void report_accesses(struct wm_core_importing *importing,
                            const struct wm_core_instruction *it, const struct wm_core_step *step)
{
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct wm_core_access *from = &step->accesses[i];
        uint64_t address = wm_core_importing_address(importing, importing->trace, from->address);
        const struct wm_warp_access access = {
            .kind = from->store    ? WM_ACCESS_STORE
                    : from->locked ? WM_ACCESS_ATOMIC
                                   : WM_ACCESS_LOAD,
            .space = WM_SPACE_GLOBAL,
            .hint = WM_HINT_DEFAULT,
            .pc = it->pc,
            .bytes_per_lane = from->bytes,
            .lanes = 1,
            .active = 1,
            .addresses = &address,
        };
        wm_warp_encoder_access(&importing->block->warps[0], it->slot, &access, 0);
        importing->counts.loads += !from->store && !from->locked;
        importing->counts.locked += from->locked;
        importing->counts.stores += from->store;
    }
}

static enum wm_status changed(const struct wm_core_importing *importing, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "changed while it was read");
    return wm_error_place(error, "%s", importing->import->paths[importing->trace]);
}

static enum wm_status write_step(struct wm_core_importing *importing,
                                 const struct wm_core_step *step, struct wm_error *error)
{
    const struct wm_core_instruction *it =
        wm_core_table_find(&importing->table, wm_core_importing_program(importing, step), step);
    bool memory = it != NULL && wm_core_instruction_is_memory(it);
    if (it == NULL || (step->access_count > 0 && !memory))
        return changed(importing, error);
    struct wm_trace_item *item = &importing->item;
    bool extends = importing->skipped == 0 && item->count > 0 &&
                   it->pc == item->first_pc + item->count &&
                   it->slot + memory - importing->item_slot <= WM_TRACE_ITEM_ACCESSES;
    if (!extends) {
        end_item(importing);
        *item = (struct wm_trace_item){.first_pc = it->pc,
                                       .active = 1,
                                       .accesses = WM_TRACE_ONE_EACH,
                                       .skipped = importing->skipped,
                                       .skipped_lanes = importing->skipped};
        importing->skipped = 0;
        importing->item_slot = it->slot;
    }
    item->count++;
    if (memory)
        item->accesses ^= (uint64_t)(step->access_count ^ 1)
                          << 2 * (it->slot - importing->item_slot);
    report_accesses(importing, it, step);
    importing->counts.steps++;
    return WM_OK;
}

// An event of the core's between two instructions.
static void write_event(struct wm_core_importing *importing, enum wm_phase_operation operation,
                        uint32_t object, uint32_t operand)
{
    const struct wm_trace_item event = {.first_pc = importing->item.first_pc,
                                        .active = 1,
                                        .accesses = WM_TRACE_ONE_EACH,
                                        .skipped = importing->skipped,
                                        .skipped_lanes = importing->skipped,
                                        .event = WM_TRACE_PHASE,
                                        .barrier = wm_trace_phase_word(operation, object),
                                        .threads = operand,
                                        .lanes = 1};
    end_item(importing);
    importing->skipped = 0;
    wm_warp_encoder_item(&importing->block->warps[0], &event);
    trim_block(importing);
}

static enum wm_status write_any_step(struct wm_core_importing *importing,
                                     const struct wm_core_step *step, struct wm_error *error)
{
    importing->skipped += step->skipped;
    importing->counts.steps += step->skipped;
    if (importing->skipped > WM_TRACE_MOST_SKIPPED) {
        wm_fail(error, WM_LIMIT, "more than 2^36 instructions between two accesses");
        return wm_error_place(error, "%s", importing->import->paths[importing->trace]);
    }
    if (step->kind == WM_CORE_STEP_EXECUTES)
        return write_step(importing, step, error);
    if (step->kind == WM_CORE_STEP_ENDS || !wm_core_importing_keeps(importing, step))
        return WM_OK;
    switch (step->kind) {
    case WM_CORE_STEP_FENCE: write_event(importing, WM_PHASE_FENCE, 0, 0); break;
    case WM_CORE_STEP_ISSUES: write_event(importing, WM_PHASE_ISSUES, 0, step->command); break;
    case WM_CORE_STEP_AWAITS: write_event(importing, WM_PHASE_AWAITS, 0, step->command); break;
    case WM_CORE_STEP_TURN: write_event(importing, WM_PHASE_TURN_END, 0, 0); break;
    default:
        write_event(importing, WM_PHASE_FOLLOWS,
                    importing->numbers[importing->trace][step->awaited], step->awaited_accesses);
    }
    return WM_OK;
}

enum wm_status wm_core_importing_write_stream(struct wm_core_importing *importing, uint32_t core,
                                              struct wm_error *error)
{
    importing->block = wm_recording_block_begin(importing->writer, core);
    if (importing->block == NULL)
        return WM_OK; // the writer has failed, and says so at its end
    importing->item = (struct wm_trace_item){.count = 0};
    importing->skipped = 0;
    WM_TRY(wm_core_importing_read(importing, importing->cores[core].trace,
                                  importing->cores[core].thread, write_any_step, error));
    if (importing->skipped > 0) {
        end_item(importing);
        importing->item = (struct wm_trace_item){.active = 1,
                                                 .accesses = WM_TRACE_ONE_EACH,
                                                 .skipped = importing->skipped,
                                                 .skipped_lanes = importing->skipped};
    }
    importing->item.event = WM_TRACE_EXIT;
    importing->item.lanes = 1;
    wm_warp_encoder_item(&importing->block->warps[0], &importing->item);
    wm_recording_block_end(importing->writer, importing->block);
    return WM_OK;
}
