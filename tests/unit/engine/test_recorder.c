// What is reported to a recorder, against what is read of its recording: warps that take turns go
// round in loops whose rounds differ now and then, in one access, one event or the lanes.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/record/recorder_items.h"
#include "trace/warp/reader.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LANES = 32,
    INSTRUCTIONS = 80,
    MOST_WARPS = 3,
    RECORDINGS = TEST_ROUNDS(60),
    STRETCHES = 3000, // of all warps
    MOST_STEPS = STRETCHES * INSTRUCTIONS,
    MOST_OBJECTS = 4,
};

// What is at each pc: memory, a barrier, an mbarrier, or none of these.
enum part { MEMORY, BARRIER, PHASE, PLAIN };

// One executed instruction, as it was reported; its accesses and its event are kept as a hash.
struct reported_step {
    uint32_t pc;
    bool executed;
    uint64_t active, accesses, event;
};

struct reported_warp {
    struct reported_step *steps;
    uint32_t count;
    struct wm_warp_stretch loop; // the stretch that it goes round
};

struct scene {
    struct wm_random random;
    bool memory_only;
    enum part parts[INSTRUCTIONS];
    struct wm_memory_instruction instructions[INSTRUCTIONS];
    struct wm_recorder *recorder;
    struct wm_recorder_block *block;
    uint32_t warp_count;
    struct reported_warp warps[MOST_WARPS];
};

static bool chance(struct scene *scene, uint64_t one_in)
{
    return wm_random_below(&scene->random, one_in) == 0;
}

static uint32_t below(struct scene *scene, uint32_t limit)
{
    return (uint32_t)wm_random_below(&scene->random, limit);
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
}

static uint64_t mixed_access(uint64_t hash, const struct wm_warp_access *access)
{
    hash = mixed(hash, access->active);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if ((access->active >> lane & 1) != 0)
            hash = mixed(hash, access->addresses[lane]);
    return mixed(hash, access->kind * 64 + access->space * 8 + access->bytes_per_lane);
}

// --- The code ---

static const struct scene *described;

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    static const char *const texts[] = {"ld.global.u32 %r1, [%rd1]", "bar.arrive 1, 64",
                                        "mbarrier.arrive.b64 _, [%rd1]", "add.s32 %r1, %r1, 1"};
    (void)work;
    enum part part = described->parts[pc];
    *facts = (struct wm_instruction_facts){
        .exists = true, .is_memory = part == MEMORY, .space = described->instructions[pc].space};
    if (text != NULL)
        wm_text_add(text, texts[part]);
}

static const struct wm_work_ops ops = {.describe = describe};

static void draw_code(struct scene *scene)
{
    uint32_t memory = 1 + below(scene, 9);
    for (uint32_t pc = 0; pc < INSTRUCTIONS; pc++) {
        uint32_t choice = below(scene, 12);
        scene->parts[pc] = choice < memory ? MEMORY
                           : choice == 10  ? BARRIER
                           : choice == 11  ? PHASE
                                           : PLAIN;
        scene->instructions[pc] = (struct wm_memory_instruction){
            .space = chance(scene, 2) ? WM_SPACE_GLOBAL : WM_SPACE_SHARED,
            .pc = pc,
            .reference_pc = pc,
            .bytes_per_lane = chance(scene, 3) ? 8 : 4,
            .lanes = LANES,
            .offset = 16 * below(scene, 3),
        };
        scene->instructions[pc].narrow =
            scene->instructions[pc].space == WM_SPACE_SHARED && chance(scene, 2);
    }
}

// --- What is reported ---

// Two rows, or lanes anywhere; returns what can be known of them.
static enum wm_half_warp_pattern draw_lanes(struct scene *scene, uint32_t bytes,
                                            uint64_t *addresses)
{
    if (chance(scene, 6)) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            addresses[lane] = 8 * wm_random_below(&scene->random, 1 << 20);
        return WM_HALF_WARPS_UNKNOWN;
    }
    bool uniform = chance(scene, 4);
    uint64_t stride = uniform ? 0 : bytes, base = 64 * wm_random_below(&scene->random, 16);
    uint64_t apart = chance(scene, 4) ? 1024 : 16 * stride;
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = base + lane % 16 * stride + lane / 16 * apart;
    return uniform ? WM_HALF_WARPS_UNIFORM : WM_HALF_WARPS_CONSECUTIVE;
}

static uint64_t tell_access(struct scene *scene, uint32_t pc, uint64_t active, uint64_t hash)
{
    const struct wm_memory_instruction *instruction = &scene->instructions[pc];
    uint64_t registers[LANES], addresses[LANES];
    uint32_t narrow[LANES];
    enum wm_half_warp_pattern rows = draw_lanes(scene, instruction->bytes_per_lane, registers);
    for (uint32_t lane = 0; lane < LANES; lane++)
        narrow[lane] = (uint32_t)registers[lane];
    const void *read = instruction->narrow ? (const void *)narrow : registers;
    if (chance(scene, 10))
        active &= wm_random_u64(&scene->random) | (active & (0 - active));
    struct wm_warp_access access = wm_access_of_instruction(instruction, read, active, addresses);
    if (active != UINT32_MAX || chance(scene, 4))
        rows = WM_HALF_WARPS_UNKNOWN;
    if (chance(scene, 5))
        wm_recorder_sink.access(scene->recorder, &access);
    else
        wm_recorder_sink.access_by_registers(scene->recorder, instruction, read, active, rows);
    return mixed_access(hash, &access);
}

static uint64_t tell_arrival(struct scene *scene, uint32_t pc, uint64_t active)
{
    struct wm_warp_arrival arrival = {
        .pc = pc, .barrier = below(scene, 16), .threads = 64, .lanes = active};
    wm_recorder_sink.arrival(scene->recorder, &arrival);
    return mixed(mixed(mixed(WM_TRACE_ARRIVAL, arrival.lanes), arrival.barrier), arrival.threads);
}

static uint64_t tell_phase(struct scene *scene, uint32_t pc, uint64_t active)
{
    struct wm_warp_phase phase = {.pc = pc,
                                  .operation = WM_PHASE_EXPECT,
                                  .object = below(scene, MOST_OBJECTS),
                                  .operand = 4 * below(scene, 5),
                                  .lanes = active};
    wm_recorder_sink.phase(scene->recorder, &phase);
    uint32_t word = wm_trace_phase_word(phase.operation, phase.object);
    return mixed(mixed(mixed(WM_TRACE_PHASE, phase.lanes), word), phase.operand);
}

// One instruction of a stretch.
static void report_step(struct scene *scene, struct reported_warp *warp, uint32_t pc,
                        uint64_t active)
{
    struct reported_step *step = &warp->steps[warp->count++];
    *step = (struct reported_step){.pc = pc, .executed = true, .active = active};
    uint32_t times = 1;
    if (scene->parts[pc] == MEMORY && chance(scene, 30))
        times = below(scene, 3);
    for (uint32_t i = 0; scene->parts[pc] == MEMORY && i < times; i++)
        step->accesses = tell_access(scene, pc, active, step->accesses);
    if (scene->parts[pc] == BARRIER && chance(scene, 8))
        step->event = tell_arrival(scene, pc, active);
    if (scene->parts[pc] == PHASE && chance(scene, 8))
        step->event = tell_phase(scene, pc, active);
}

static void report_stretch(struct scene *scene, struct reported_warp *warp,
                           const struct wm_warp_stretch *stretch)
{
    uint32_t last = stretch->first_pc + stretch->count - 1;
    for (uint32_t pc = stretch->first_pc; pc < last; pc++)
        report_step(scene, warp, pc, stretch->active);
    // A test in vain is made again, and only that which is not is recorded.
    if (scene->parts[last] == PHASE && chance(scene, 8))
        wm_recorder_sink.phase(
            scene->recorder,
            &(struct wm_warp_phase){.pc = last, .operation = WM_PHASE_BLOCKED, .lanes = 1});
    else
        report_step(scene, warp, last, stretch->active);
    wm_recorder_sink.stretch(scene->recorder, stretch);
}

static void draw_loop(struct scene *scene, struct wm_warp_stretch *loop)
{
    loop->first_pc = below(scene, INSTRUCTIONS);
    loop->count = 1 + below(scene, chance(scene, 8) ? INSTRUCTIONS : 6);
    if (loop->count > INSTRUCTIONS - loop->first_pc)
        loop->count = INSTRUCTIONS - loop->first_pc;
    loop->active = UINT32_MAX;
}

// What the block's warps hold is counted as it grows: it makes a chunk when it is large.
static void check_sizes(const struct scene *scene)
{
    size_t bytes = 0;
    uint64_t steps = 0;
    for (uint32_t warp = 0; warp < scene->warp_count; warp++) {
        bytes += wm_warp_encoder_bytes(&scene->block->block->warps[warp]);
        steps += scene->block->block->warps[warp].steps;
    }
    cr_assert_eq(scene->block->bytes, bytes);
    cr_assert_eq(scene->block->steps, steps);
}

static void tell_turn(struct scene *scene, uint32_t number)
{
    struct reported_warp *warp = &scene->warps[number];
    wm_recorder_warp_begin(scene->recorder, scene->block, number);
    for (uint32_t rounds = 1 + below(scene, 12); rounds > 0; rounds--) {
        if (warp->loop.count == 0 || chance(scene, 10))
            draw_loop(scene, &warp->loop);
        else if (chance(scene, 10))
            warp->loop.active = chance(scene, 2) ? UINT32_MAX : 1 + below(scene, UINT32_MAX);
        report_stretch(scene, warp, &warp->loop);
    }
    wm_recorder_warp_end(scene->recorder);
    check_sizes(scene);
}

static void tell_end(struct scene *scene, uint32_t number)
{
    struct reported_warp *warp = &scene->warps[number];
    wm_recorder_warp_begin(scene->recorder, scene->block, number);
    wm_recorder_sink.exit(scene->recorder, INSTRUCTIONS - 1, UINT32_MAX);
    struct wm_warp_stretch last = {.first_pc = INSTRUCTIONS - 1, .count = 1, .active = UINT32_MAX};
    wm_recorder_sink.stretch(scene->recorder, &last);
    warp->steps[warp->count++] = (struct reported_step){.pc = INSTRUCTIONS - 1,
                                                        .executed = true,
                                                        .active = UINT32_MAX,
                                                        .event = mixed(WM_TRACE_EXIT, UINT32_MAX)};
    wm_recorder_warp_end(scene->recorder);
}

static void record(struct scene *scene, const char *path)
{
    const struct wm_recording_header header = {.writer = "test",
                                               .source = "test",
                                               .machine = "",
                                               .machine_yaml = "",
                                               .lanes = LANES,
                                               .memory_only = scene->memory_only};
    struct wm_work work = {.ops = &ops,
                           .kernel = "loops",
                           .module = "test",
                           .instruction_count = INSTRUCTIONS,
                           .grid = {1, 1, 1},
                           .block = {LANES * scene->warp_count, 1, 1},
                           .warps_per_block = scene->warp_count};
    struct wm_error error;
    described = scene;
    cr_assert_eq(wm_recorder_new(path, &header, &scene->recorder, &error), WM_OK);
    wm_recorder_launch_begin(scene->recorder, &work, 1);
    scene->block = wm_recorder_block_begin(scene->recorder, &(struct wm_block){0});
    cr_assert_not_null(scene->block);
    for (uint32_t turn = 0; turn < STRETCHES / 12; turn++)
        tell_turn(scene, below(scene, scene->warp_count));
    for (uint32_t warp = 0; warp < scene->warp_count; warp++)
        tell_end(scene, warp);
    wm_recorder_block_end(scene->recorder, scene->block);
    wm_recorder_launch_end(scene->recorder, true);
    cr_assert_eq(wm_recorder_finish(scene->recorder, &error), WM_OK, "%s", error.message);
}

// --- What is read ---

static struct reported_step read_step(const struct wm_warp_step *step)
{
    struct reported_step reported = {
        .pc = step->pc, .executed = step->executed, .active = step->active};
    for (uint32_t i = 0; i < step->access_count; i++)
        reported.accesses = mixed_access(reported.accesses, &step->accesses[i]);
    if (step->event != WM_TRACE_NO_EVENT)
        reported.event = mixed(step->event, step->lanes);
    if (step->event == WM_TRACE_ARRIVAL || step->event == WM_TRACE_PHASE)
        reported.event = mixed(mixed(reported.event, step->barrier), step->threads);
    return reported;
}

static void compare_step(const struct reported_step *reported, const struct reported_step *got)
{
    cr_assert(got->pc == reported->pc && got->executed == reported->executed &&
                  got->active == reported->active,
              "pc %u, reported %u", got->pc, reported->pc);
    cr_assert_eq(got->accesses, reported->accesses, "pc %u: accesses", got->pc);
    cr_assert_eq(got->event, reported->event, "pc %u: event", got->pc);
}

static void compare_warp(const struct scene *scene, struct wm_warp_reader *reader, uint32_t number)
{
    const struct reported_warp *warp = &scene->warps[number];
    struct wm_warp_step step;
    struct wm_error error;
    bool more = true;
    uint64_t skipped = 0, skipped_lanes = 0;
    wm_warp_reader_begin(reader, 0, number);
    for (uint32_t i = 0; i < warp->count; i++) {
        const struct reported_step *reported = &warp->steps[i];
        if (scene->memory_only && scene->parts[reported->pc] != MEMORY && reported->event == 0) {
            skipped++;
            skipped_lanes += (uint64_t)__builtin_popcountll(reported->active);
            continue;
        }
        cr_assert_eq(wm_warp_reader_step(reader, &step, &more, &error), WM_OK, "%s", error.message);
        cr_assert(more, "warp %u ends at step %u", number, i);
        struct reported_step got = read_step(&step);
        compare_step(reported, &got);
        cr_assert(step.skipped == skipped && step.skipped_lanes == skipped_lanes);
        skipped = skipped_lanes = 0;
    }
    cr_assert_eq(wm_warp_reader_step(reader, &step, &more, &error), WM_OK);
    cr_assert_not(more, "warp %u goes on", number);
}

static void compare(const struct scene *scene, const char *path)
{
    struct wm_recording recording;
    struct wm_recorded_event event;
    struct wm_launch_reader launch;
    struct wm_warp_reader reader;
    struct wm_error error;
    bool more;
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
    cr_assert_eq(wm_launch_reader_open(&recording, &launch, &error), WM_OK);
    cr_assert_eq(wm_warp_reader_init(&reader, &launch, &error), WM_OK);
    for (uint32_t warp = 0; warp < scene->warp_count; warp++)
        compare_warp(scene, &reader, warp);
    wm_warp_reader_release(&reader);
    wm_launch_reader_close(&launch);
    wm_recording_close(&recording);
}

Test(recorder, what_is_told_is_read)
{
    char path[] = "/tmp/recorder-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    static struct scene scene;
    for (uint32_t w = 0; w < MOST_WARPS; w++)
        scene.warps[w].steps = malloc(MOST_STEPS * sizeof *scene.warps[w].steps);
    for (uint64_t seed = 0; seed < RECORDINGS; seed++) {
        wm_random_init(&scene.random, seed, "recorder");
        scene.memory_only = chance(&scene, 4);
        draw_code(&scene);
        scene.warp_count = 1 + below(&scene, MOST_WARPS);
        for (uint32_t w = 0; w < MOST_WARPS; w++) {
            scene.warps[w].count = 0;
            scene.warps[w].loop.count = 0;
        }
        record(&scene, path);
        compare(&scene, path);
    }
    for (uint32_t w = 0; w < MOST_WARPS; w++)
        free(scene.warps[w].steps);
    unlink(path);
}
