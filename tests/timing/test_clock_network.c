// Butterflies in the clock engine, against numbers worked out by hand.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static struct wm_machine machine_with_butterfly(uint32_t sms, uint32_t slices, uint32_t radix,
                                                uint32_t latency)
{
    struct wm_machine machine = simple_machine();
    struct wm_memory_spec *memory = &machine.memory;
    machine.sm.count = memory->sm_count = sms;
    memory->levels[WM_LEVEL_L2].slices = slices;
    memory->levels[WM_LEVEL_L2].cache.size_bytes *= slices;
    memory->interconnect.topology = WM_BUTTERFLY;
    memory->interconnect.radix = radix;
    memory->interconnect.latency = latency;
    return machine;
}

// A warp alone meets nobody: whatever the stages and the wires, the latency is the latency.
Test(clock_network, a_warp_alone_sees_the_latency)
{
    static const struct {
        uint32_t sms, slices, radix, stages;
    } cases[] = {{1, 1, 2, 1}, {2, 1, 2, 1}, {5, 4, 2, 3}, {5, 4, 5, 1}, {16, 1, 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t latency = cases[i].stages + 2; latency < 16; latency += 3) {
            struct wm_machine machine =
                machine_with_butterfly(cases[i].sms, cases[i].slices, cases[i].radix, latency);
            struct forms forms;
            forms_init(&forms, &machine, "", "ld.global.cg.u64 %rd1, [%rd1];");
            uint64_t address = walk_words(&forms.fixture, 64);
            *(uint64_t *)(uintptr_t)address = address;
            cr_expect_eq(cycles_a_line(&forms, address),
                         TO_UNIT + L1 + latency + L2 + REPLY + latency, "case %zu, latency %u", i,
                         latency);
            forms_release(&forms);
        }
}

struct counted {
    uint64_t cycles, waited, packets;
};

// One warp on each of 8 SMs, all loads of slice 0.
static struct counted run_eight(struct wm_machine *machine)
{
    struct forms forms;
    struct counted counted;
    forms_init(&forms, machine, "", "ld.global.cg.u64 %rd1, [%rd1];");
    uint64_t address = walk_words(&forms.fixture, 64);
    *(uint64_t *)(uintptr_t)address = address;
    walk_run(&forms.fixture, "warm", 1, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 8, 32, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *kernel = kernel_of(results, "longer");
    counted = (struct counted){.cycles = kernel->cycles,
                               .waited = counter(kernel, "switches", "waited"),
                               .packets = counter(kernel, "switches", "packets")};
    wm_results_free(results);
    forms_release(&forms);
    return counted;
}

// Eight requests meet on their way to the slice: in the first stage two at each of four outputs,
// then four at each of two, then all at one. The two sides of an output take turns, so whoever is
// first in a buffer waits a cycle for the other side, but for each output's first packet: 4 x 1 + 2
// x 3 + 7 cycles. They come one a cycle, as by a crossbar, whose slice takes one a cycle; so
// replies are as far apart, and nobody meets again.
Test(clock_network, ways_that_meet_wait_in_the_switches)
{
    struct wm_machine machine = machine_with_butterfly(8, 1, 2, 9);
    struct counted butterfly = run_eight(&machine);
    machine.memory.interconnect.topology = WM_CROSSBAR;
    struct counted crossbar = run_eight(&machine);
    cr_expect_eq(crossbar.packets, 0);
    cr_expect_eq(butterfly.packets, 3 * 2 * 8 * 2 * LENGTH, "requests and replies, three stages");
    cr_expect_eq(butterfly.waited, 4 * 1 + 2 * 3 + 7, "%" PRIu64 " cycles", butterfly.waited);
    cr_expect_eq(butterfly.cycles, crossbar.cycles, "%" PRIu64 " and %" PRIu64, butterfly.cycles,
                 crossbar.cycles);
}
