// Random kernels made of the forms of forms/isa.txt: plain C, AVX2 and AVX-512 lanes leave the same
// bits in every register of every thread. (tests/fuzz/forms_fuzz.c does the same with libFuzzer.)
//
// RANDOM_FORMS=n runs the first n kernels, RANDOM_FORMS_SEED=n one of them.
#include "exec_harness.h"
#include "random_forms.h"

enum { THREADS = RANDOM_FORMS_THREADS, SLOT_BYTES = RANDOM_FORMS_SLOT_BYTES };

static void run(const char *source, uint64_t seed, enum wm_lane_isa isa, bool private_registers,
                uint8_t registers[THREADS * SLOT_BYTES])
{
    struct harness harness;
    struct wm_random random;
    wm_random_init(&random, seed, "values");
    harness_init(&harness, source, 32, isa, private_registers);
    uint64_t *io = harness_allocate(&harness, THREADS * SLOT_BYTES);
    random_forms_fill(&(struct form_choices){.random = &random}, io);
    HARNESS_RUN(&harness, "k", 1, THREADS, ADDRESS(io));
    memcpy(registers, io, (size_t)THREADS * SLOT_BYTES);
    harness_release(&harness);
}

static void check_seed(uint64_t seed)
{
    static uint8_t plain[THREADS * SLOT_BYTES], fast[THREADS * SLOT_BYTES];
    struct wm_random random;
    wm_random_init(&random, seed, "forms");
    char *source = random_forms_draw(&(struct form_choices){.random = &random});
    run(source, seed, WM_HOST_C, true, plain);
    for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
        run(source, seed, isa, false, fast);
        for (unsigned i = 0; i < THREADS * SLOT_BYTES; i++)
            if (plain[i] != fast[i]) {
                cr_log_error("seed %llu, %s: byte %u of thread %u: %02x, plain C %02x in\n%s",
                             (unsigned long long)seed, wm_host_isa_name(isa), i % SLOT_BYTES,
                             i / SLOT_BYTES, fast[i], plain[i], source);
                cr_assert_fail("the builds differ");
            }
    }
    free(source);
}

Test(random_forms, give_the_same_bits_in_every_build, .fini = random_forms_release)
{
    const char *one = getenv("RANDOM_FORMS_SEED"), *many = getenv("RANDOM_FORMS");
    uint64_t count = many ? strtoull(many, NULL, 10) : 60;
    cr_assert(random_forms_read());
    if (one)
        check_seed(strtoull(one, NULL, 10));
    for (uint64_t seed = 1; !one && seed <= count; seed++)
        check_seed(seed);
}
