// Warps that are run in step (wm_work_ops.run_in_step) against the same warps run one by one:
// random recordings whose warps mostly, but not always, do the same, on machines of random orders,
// turns and caches. All that is counted is the same. Those that are run one by one each have their
// own slots, as where threads share the work; in step, warps that go straight through their code
// share them.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/replay/recorded_work.h"
#include "engine/session/session.h"
#include "machine/machine.h"
#include "mem/bypass/bypass.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <unistd.h>

enum { INSTRUCTIONS = 20, ROUNDS = 60, PHASES = 4, MOST_WARPS = 8 };

// --- Recordings ---

struct kernel {
    struct wm_recorded_instruction instructions[INSTRUCTIONS];
    uint32_t bytes[INSTRUCTIONS], slots[INSTRUCTIONS];
    enum wm_cache_hint hints[INSTRUCTIONS];
    uint64_t strides[INSTRUCTIONS];
    uint32_t slot_count;
    uint32_t rounds; // of a phase, at most
};

static bool chance(struct wm_random *random, uint32_t one_of)
{
    return wm_random_below(random, one_of) == 0;
}

static void draw_kernel(struct wm_random *random, struct kernel *kernel)
{
    static const enum wm_address_space spaces[] = {
        WM_SPACE_GLOBAL, WM_SPACE_GLOBAL,   WM_SPACE_GLOBAL, WM_SPACE_SHARED,
        WM_SPACE_LOCAL,  WM_SPACE_CONSTANT, WM_SPACE_TEXTURE};
    kernel->slot_count = 0;
    // Warps that hardly leave the SM use up what they may execute before another goes.
    bool inside = chance(random, 3);
    kernel->rounds = inside ? 2 * ROUNDS : ROUNDS / PHASES;
    for (uint32_t pc = 0; pc < INSTRUCTIONS; pc++) {
        struct wm_recorded_instruction *it = &kernel->instructions[pc];
        *it = (struct wm_recorded_instruction){
            .text = "it", .exists = true, .is_memory = !chance(random, 3)};
        it->space = spaces[wm_random_below(random, 7)];
        if (inside)
            it->space = chance(random, 15) ? WM_SPACE_GLOBAL : WM_SPACE_SHARED;
        if (it->space == WM_SPACE_GLOBAL)
            it->kind = (enum wm_access_kind)wm_random_below(random, chance(random, 3) ? 4 : 2);
        kernel->hints[pc] = (enum wm_cache_hint)wm_random_below(random, chance(random, 3) ? 7 : 1);
        kernel->bytes[pc] = UINT32_C(1) << wm_random_below(random, 5);
        kernel->strides[pc] = chance(random, 2)   ? kernel->bytes[pc]
                              : chance(random, 2) ? 0
                                                  : 8 * wm_random_below(random, 40);
        kernel->slots[pc] = it->is_memory ? kernel->slot_count++ : 0;
    }
}

static void write_access(const struct kernel *kernel, uint32_t pc, uint64_t active, uint64_t base,
                         struct wm_random *random, struct wm_warp_encoder *warp)
{
    uint64_t addresses[LANES];
    const struct wm_warp_access access = {.kind = kernel->instructions[pc].kind,
                                          .space = kernel->instructions[pc].space,
                                          .hint = kernel->hints[pc],
                                          .pc = pc,
                                          .bytes_per_lane = kernel->bytes[pc],
                                          .lanes = LANES,
                                          .active = active,
                                          .addresses = addresses};
    bool scattered = chance(random, 12);
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] =
            scattered ? 16 * wm_random_below(random, 4096) : base + lane * kernel->strides[pc];
    wm_warp_encoder_access(warp, kernel->slots[pc], &access, 0);
}

// An item that all warps of the block are told of, as one of them does it.
static void write_item(const struct kernel *kernel, struct wm_trace_item item, uint32_t number,
                       uint64_t round, struct wm_random *random, struct wm_warp_encoder *warp)
{
    if (chance(random, 15) && item.event == WM_TRACE_NO_EVENT)
        item.active = 1 + wm_random_below(random, UINT32_MAX);
    if (chance(random, 25)) {
        item.skipped = 1 + wm_random_below(random, 9);
        item.skipped_lanes = wm_random_below(random, item.skipped * LANES + 1);
    }
    item.accesses = WM_TRACE_ONE_EACH;
    uint32_t within = 0;
    for (uint32_t pc = item.first_pc; pc < item.first_pc + item.count; pc++) {
        if (!kernel->instructions[pc].is_memory)
            continue;
        uint64_t times = chance(random, 20) ? wm_random_below(random, 3) : 1;
        item.accesses &= ~(UINT64_C(3) << 2 * within);
        item.accesses |= times << 2 * within++;
        uint64_t base = pc * 4096 + number * (pc % 3) * 176 + round * (pc % 4) * 32;
        for (; times > 0; times--)
            write_access(kernel, pc, item.active, base, random, warp);
    }
    wm_warp_encoder_item(warp, &item);
}

// The warps go through the same stretches, meet at barriers and end.
static void write_block(const struct kernel *kernel, uint64_t index, uint32_t warps,
                        struct wm_random *random, struct wm_recording_writer *writer)
{
    struct wm_recording_block *block = small_block_begin(writer, index);
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        uint32_t first = (uint32_t)wm_random_below(random, INSTRUCTIONS), rounds;
        struct wm_trace_item item = {
            .first_pc = first,
            .count = 1 + (uint32_t)wm_random_below(random, INSTRUCTIONS - first),
            .active = UINT32_MAX};
        rounds = 1 + (uint32_t)wm_random_below(random, kernel->rounds);
        for (uint32_t round = 0; round < rounds; round++)
            for (uint32_t warp = 0; warp < warps; warp++)
                if (!chance(random, 20))
                    write_item(kernel, item, warp, round, random, &block->warps[warp]);
        item.lanes = UINT32_MAX;
        item.waits = true;
        item.event = phase + 1 < PHASES ? WM_TRACE_ARRIVAL : WM_TRACE_EXIT;
        if (item.event == WM_TRACE_EXIT && chance(random, 2))
            item.count = 0;
        for (uint32_t warp = 0; warp < warps; warp++)
            write_item(kernel, item, warp, rounds, random, &block->warps[warp]);
        if (chance(random, 3))
            wm_recording_block_trim(writer, block);
    }
    wm_recording_block_end(writer, block);
}

// The warps go once through all of the code, some of them leaving items out.
static void write_straight_block(const struct kernel *kernel, uint64_t index, uint32_t warps,
                                 struct wm_random *random, struct wm_recording_writer *writer)
{
    struct wm_recording_block *block = small_block_begin(writer, index);
    for (uint32_t pc = 0, count; pc < INSTRUCTIONS; pc += count) {
        count = 1 + (uint32_t)wm_random_below(random, 6);
        count = count < INSTRUCTIONS - pc ? count : INSTRUCTIONS - pc;
        struct wm_trace_item item = {.first_pc = pc, .count = count, .active = UINT32_MAX};
        bool ends = pc + count == INSTRUCTIONS;
        item.event = ends ? WM_TRACE_EXIT : WM_TRACE_NO_EVENT;
        item.lanes = ends ? UINT32_MAX : 0;
        for (uint32_t warp = 0; warp < warps; warp++)
            if (ends || !chance(random, 20))
                write_item(kernel, item, warp, index, random, &block->warps[warp]);
    }
    wm_recording_block_end(writer, block);
}

static void write_recording(const char *path, struct wm_random *random)
{
    static struct kernel kernel;
    draw_kernel(random, &kernel);
    struct wm_recording_writer *writer =
        small_recording_begin(path, kernel.instructions, INSTRUCTIONS);
    uint32_t warps = 1 + (uint32_t)wm_random_below(random, MOST_WARPS);
    uint64_t blocks = 1 + wm_random_below(random, 12);
    struct wm_recorded_launch launch = {.grid = {(uint32_t)blocks, 1, 1},
                                        .block = {LANES * warps, 1, 1},
                                        .local_bytes_per_block = 1 << 18};
    wm_recording_launch_begin(writer, &launch, kernel.slot_count);
    bool straight = chance(random, 3);
    for (uint64_t block = 0; block < blocks; block++)
        (straight ? write_straight_block : write_block)(&kernel, block, warps, random, writer);
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
}

// --- Machines ---

// Who asked for what, in order, as a bypass entry sees it.
static uint64_t asked;

static enum wm_bypass_decision listen(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    const uint64_t words[] = {event->line, event->sectors, event->pc, event->warp, event->sm};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        asked = (asked ^ words[i]) * UINT64_C(0x100000001b3);
    return WM_BYPASS_NO;
}

static const struct wm_bypass_ops listener = {.name = "listener", .decide = listen};

static void draw_machine(struct wm_random *random, struct wm_machine *machine)
{
    // Each with its own chance; what contradicts each other is not among them.
    static const char *const often[] = {"gpu.l1.ways=64",
                                        "gpu.l1.ways=4",
                                        "gpu.l1.allocation=streaming",
                                        "gpu.sm.turn=37",
                                        "gpu.l1.bypass=contention",
                                        "gpu.sm.turn_ends_at_memory=true",
                                        "gpu.l1.local_only=true",
                                        "gpu.constant.present=true",
                                        "gpu.texture.present=true",
                                        "gpu.tlb.present=true",
                                        "gpu.l1.replacement=srrip",
                                        "gpu.l1.replacement=fifo",
                                        "gpu.instruction.present=true",
                                        "gpu.sm.warp_scheduler=greedy-then-oldest",
                                        "gpu.l1.write=back",
                                        "gpu.l1.write_fetch=never"};
    const char *settings[24] = {"gpu.sm.warp_scheduler=round-robin", "gpu.l1.size=16KiB",
                                "gpu.l1.set_index=modulo", "gpu.texture.present=false"};
    uint32_t count = 4;
    settings[count++] = chance(random, 2) ? "gpu.sm.count=1" : "gpu.sm.count=3";
    settings[count++] = chance(random, 2) ? "gpu.sm.max_blocks=8" : "gpu.sm.max_blocks=1";
    for (uint32_t i = 0; i < sizeof often / sizeof often[0]; i++)
        if (chance(random, i < 6 ? 3 : 8))
            settings[count++] = often[i];
    struct wm_error error;
    char buffer[2048];
    cr_assert_eq(wm_machine_load("gtx480", settings, count, machine, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
    if (chance(random, 3))
        machine->memory.levels[WM_LEVEL_L1].bypass = &listener;
}

// --- Comparing ---

// The recording has one launch.
static struct wm_results *walk(const char *path, const struct wm_machine *machine, bool in_step,
                               uint64_t *asked_for)
{
    struct wm_recording recording;
    struct wm_recorded_work work;
    struct wm_recorded_event event;
    struct wm_results *results;
    struct wm_session *session;
    struct wm_error error;
    bool more;
    const struct wm_session_options options = {.memory = true};
    asked = 0;
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
    cr_assert(more && event.kind == WM_RECORDED_LAUNCH);
    cr_assert_eq(wm_session_new(machine, NULL, &options, &session, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(wm_recorded_work_init(&work, &recording, machine->sm.count, &error), WM_OK);
    struct wm_work_ops one_by_one = *work.work.ops;
    one_by_one.run_in_step = NULL;
    if (!in_step) {
        work.work.ops = &one_by_one;
        work.work.threaded = true;
    }
    cr_assert_eq(wm_session_run_work(session, &work.work, &error), WM_OK, "%s", error.message);
    *asked_for = asked;
    wm_session_finish(session);
    cr_assert_eq(wm_session_results(session, NULL, &results, &error), WM_OK);
    wm_recorded_work_release(&work);
    wm_session_free(session);
    wm_recording_close(&recording);
    return results;
}

static void compare_components(const struct wm_component_result *a,
                               const struct wm_component_result *b, uint32_t count, uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < a[i].set->count; c++)
            cr_assert_eq(a[i].values[c], b[i].values[c],
                         "seed %" PRIu64 ", %s %s: %" PRIu64 " in step, %" PRIu64 " one by one",
                         seed, a[i].path, a[i].set->declarations[c].name, a[i].values[c],
                         b[i].values[c]);
}

static void compare(const struct wm_results *a, const struct wm_results *b, uint64_t seed)
{
    cr_assert_eq(a->component_count, b->component_count);
    compare_components(a->components, b->components, a->component_count, seed);
    const struct wm_kernel_result *left = &a->kernels[0], *right = &b->kernels[0];
    cr_assert_eq(left->thread_instructions, right->thread_instructions, "seed %" PRIu64, seed);
    cr_assert_eq(left->instruction_count, right->instruction_count, "seed %" PRIu64, seed);
    for (uint32_t i = 0; i < left->instruction_count; i++)
        cr_assert_eq(memcmp(&left->instructions[i].counters, &right->instructions[i].counters,
                            sizeof left->instructions[i].counters),
                     0, "seed %" PRIu64 ", instruction %" PRIu32, seed, i);
}

Test(in_step, warps_do_what_they_do_one_by_one)
{
    static struct wm_machine machine;
    char path[SMALL_PATH];
    small_recording_file(path);
    for (uint64_t seed = 0; seed < TEST_ROUNDS(150); seed++) {
        struct wm_random random;
        uint64_t asks[2];
        wm_random_init(&random, seed, "in step");
        write_recording(path, &random);
        draw_machine(&random, &machine);
        struct wm_results *together = walk(path, &machine, true, &asks[0]);
        struct wm_results *alone = walk(path, &machine, false, &asks[1]);
        cr_assert_eq(asks[0], asks[1], "seed %" PRIu64, seed);
        compare(together, alone, seed);
        wm_results_free(together);
        wm_results_free(alone);
    }
    unlink(path);
}
