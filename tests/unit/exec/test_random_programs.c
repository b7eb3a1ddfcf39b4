// Random control-flow graphs with calls, compared with a plain interpreter that runs one thread
// after another and knows nothing of warps, masks, frames or register places.
#include "../../rounds.h"
#include "exec_harness.h"
#include "listener.h"
#include "random_program.h"

struct setting {
    unsigned width;
    enum wm_lane_isa isa;
    bool private_registers, random_schedule, until_memory;
};

// False, with the first difference in `difference`, when the interpreter and the reference differ.
static bool agrees(const struct random_program *program, uint64_t seed,
                   const struct setting *setting, char *difference, size_t size)
{
    enum { BLOCKS = 2, THREADS = 75 };
    struct harness harness;
    struct wm_random random;
    char *source = random_program_text(program);
    harness_init(&harness, source, setting->width, setting->isa, setting->private_registers);
    free(source);
    wm_random_init(&random, seed, "schedule");
    uint64_t place, place_bytes;
    cr_assert(wm_program_variable(harness.program, "input", &place, &place_bytes));
    uint32_t *input = (uint32_t *)(uintptr_t)place;
    for (uint32_t i = 0; i < INPUT_WORDS + 2; i++)
        input[i] = (uint32_t)wm_random_u64(&random);
    uint32_t *output = harness_allocate(&harness, BLOCKS * THREADS * OUTPUT_WORDS * 4);
    harness.schedule = setting->random_schedule ? &random : NULL;
    harness.until = setting->until_memory ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS;
    struct listener listener = {0};
    harness.sink = listener_by_registers_sink(&listener);
    HARNESS_RUN(&harness, "k", BLOCKS, THREADS, place, ADDRESS(output));
    bool equal = listener.warp_instructions == harness.result.warp_instructions &&
                 listener.thread_instructions == harness.result.thread_instructions &&
                 listener.exited_lanes == BLOCKS * THREADS && listener.pending_count == 0 &&
                 listener.broken == 0;
    if (!equal)
        snprintf(difference, size,
                 "width %u: stretches have %lu, %lu of %lu, %lu instructions, %lu exits, %u left",
                 setting->width, listener.warp_instructions, listener.thread_instructions,
                 harness.result.warp_instructions, harness.result.thread_instructions,
                 listener.exited_lanes, listener.pending_count);
    for (uint32_t n = 0; n < BLOCKS * THREADS * OUTPUT_WORDS && equal; n++) {
        uint32_t expected[OUTPUT_WORDS], thread = n / OUTPUT_WORDS, word = n % OUTPUT_WORDS;
        if (word == 0)
            random_program_reference(program, thread, input, expected);
        equal = output[n] == expected[word];
        if (!equal)
            snprintf(difference, size,
                     "width %u, private %d: thread %u word %u: %08x, expected %08x", setting->width,
                     setting->private_registers, thread, word, output[n], expected[word]);
    }
    harness_release(&harness);
    return equal;
}

// Takes away what can go while the two still differ, so that the report is short.
static void shrink(struct random_program *program, uint64_t seed, const struct setting *setting)
{
    char unused[256];
    for (uint32_t f = 0; f < program->function_count; f++) {
        for (uint32_t b = 0; b < program->functions[f].block_count; b++) {
            struct block *block = &program->functions[f].blocks[b];
            for (uint32_t i = block->count; i-- > 0;) {
                struct block kept = *block;
                block->count--;
                memmove(&block->instructions[i], &block->instructions[i + 1],
                        (block->count - i) * sizeof(block->instructions[0]));
                if (agrees(program, seed, setting, unused, sizeof(unused)))
                    *block = kept;
            }
            for (enum terminator t = GOTO; t <= INDEXED; t++) {
                enum terminator kept = block->terminator;
                block->terminator = t < kept ? t : kept;
                if (t < kept && agrees(program, seed, setting, unused, sizeof(unused)))
                    block->terminator = kept;
            }
        }
    }
}

static void check_program(struct random_program *program, uint64_t seed)
{
    enum wm_lane_isa best = wm_host_best_isa();
    const struct setting settings[] = {
        {32, best, false, false, false},     {32, best, true, false, false},
        {32, WM_HOST_C, false, true, false}, {32, best, false, true, true},
        {64, best, false, true, false},      {64, WM_HOST_C, true, false, true},
    };
    char difference[256];
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
        if (agrees(program, seed, &settings[s], difference, sizeof(difference)))
            continue;
        shrink(program, seed, &settings[s]);
        agrees(program, seed, &settings[s], difference, sizeof(difference));
        char *source = random_program_text(program);
        cr_log_error("seed %llu: %s in\n%s", (unsigned long long)seed, difference, source);
        free(source);
        cr_assert_fail("the interpreter differs from the reference");
    }
}

static void check_seeds(uint64_t first, uint64_t count)
{
    static struct random_program program;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "programs");
        random_program_draw(&program, &random);
        check_program(&program, seed);
    }
}

// RANDOM_PROGRAM_SEED=n runs one program, RANDOM_PROGRAMS=n the first n.
Test(random_programs, agree_with_one_thread_at_a_time)
{
    const char *one = getenv("RANDOM_PROGRAM_SEED");
    const char *many = getenv("RANDOM_PROGRAMS");
    if (one)
        check_seeds(strtoull(one, NULL, 10), 1);
    else
        check_seeds(1, many ? strtoull(many, NULL, 10) : TEST_ROUNDS(60));
}
