#include "small_recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct wm_recorded_instruction small_instructions[SMALL_INSTRUCTIONS] = {
    [LOAD] = {.text = "ld.global.u32 %r1, [%rd1]",
              .exists = true,
              .is_memory = true,
              .kind = WM_ACCESS_LOAD,
              .space = WM_SPACE_GLOBAL},
    [ADD] = {.text = "add.s32 %r2, %r1, %r2", .exists = true},
    [OTHER_LOAD] = {.text = "ld.global.u32 %r3, [%rd2]",
                    .exists = true,
                    .is_memory = true,
                    .kind = WM_ACCESS_LOAD,
                    .space = WM_SPACE_GLOBAL},
    [STORE] = {.text = "st.global.u32 [%rd3], %r2",
               .exists = true,
               .is_memory = true,
               .kind = WM_ACCESS_STORE,
               .space = WM_SPACE_GLOBAL},
};

void small_recording_file(char path[SMALL_PATH])
{
    snprintf(path, SMALL_PATH, "%s", "/tmp/small-recording-XXXXXX");
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
}

struct wm_recording_writer *small_recording_begin(const char *path,
                                                  struct wm_recorded_instruction *instructions,
                                                  uint32_t count)
{
    struct wm_recording_writer *writer;
    struct wm_error error;
    const struct wm_recording_header header = {
        .writer = "test", .source = "test", .machine = "", .machine_yaml = "", .lanes = LANES};
    const struct wm_recorded_code code = {.name = "small",
                                          .module = "test",
                                          .instruction_count = count,
                                          .instructions = instructions};
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK, "%s",
                 error.message);
    wm_recording_write_code(writer, &code);
    return writer;
}

void small_launch_begin(struct wm_recording_writer *writer, uint32_t blocks, uint32_t warps,
                        uint32_t slots)
{
    struct wm_recorded_launch launch = {.grid = {blocks, 1, 1}, .block = {LANES * warps, 1, 1}};
    wm_recording_launch_begin(writer, &launch, slots);
}

struct wm_recording_block *small_block_begin(struct wm_recording_writer *writer, uint64_t index)
{
    struct wm_recording_block *block = wm_recording_block_begin(writer, index);
    cr_assert_not_null(block);
    return block;
}

void small_recording_finish(struct wm_recording_writer *writer)
{
    struct wm_error error;
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK, "%s", error.message);
}

void small_access(struct wm_warp_encoder *warp, uint32_t slot, uint32_t pc,
                  const struct wm_recorded_instruction *instruction, const uint64_t *addresses)
{
    const struct wm_warp_access access = {.kind = instruction->kind,
                                          .space = instruction->space,
                                          .pc = pc,
                                          .bytes_per_lane = 4,
                                          .lanes = LANES,
                                          .active = UINT32_MAX,
                                          .addresses = addresses};
    wm_warp_encoder_access(warp, slot, &access, 0);
}

void small_load(struct wm_warp_encoder *warp, uint32_t slot, uint32_t pc, uint64_t base)
{
    uint64_t addresses[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = base + 4 * lane;
    small_access(warp, slot, pc, &small_instructions[LOAD], addresses);
}

void small_item(struct wm_warp_encoder *warp, uint32_t first_pc, uint32_t count, bool last)
{
    const struct wm_trace_item item = {.first_pc = first_pc,
                                       .count = count,
                                       .active = UINT32_MAX,
                                       .accesses = WM_TRACE_ONE_EACH,
                                       .event = last ? WM_TRACE_EXIT : WM_TRACE_NO_EVENT,
                                       .lanes = last ? UINT32_MAX : 0};
    wm_warp_encoder_item(warp, &item);
}
