// Parts of a machine that not all have, in time: what each adds, worked out by hand.
#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { TO_L2_AND_BACK = TO_UNIT + L1 + LINK + L2 + REPLY + LINK };

// --- Chains of two words: each holds the other's address, and L1 has room for one of their lines
// ---

static uint64_t chain_of_two(const struct wm_machine *machine, const char *load)
{
    struct wm_machine small = *machine;
    struct forms forms;
    small.memory.l1.size_bytes = small.memory.l1.line_bytes;
    small.memory.l1.ways = 1;
    forms_init(&forms, &small, load, load);
    uint64_t address = walk_words(&forms.fixture, 64), other = address + 128;
    *(uint64_t *)(uintptr_t)address = other;
    *(uint64_t *)(uintptr_t)other = address;
    uint64_t cycles = cycles_a_line(&forms, address);
    forms_release(&forms);
    return cycles;
}

// Lines that each load displaces are in L2, unless L2 takes none that L1 does.
Test(clock_parts, l2_takes_no_lines_that_l1_takes)
{
    struct wm_machine machine = simple_machine();
    const char *load = "ld.global.u64 %rd1, [%rd1];";
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK);
    machine.memory.l2_load_allocation = WM_L2_TAKES_UNCACHED;
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK + TRANSFER + DRAM);
    machine.memory.l1_allocation = WM_ALLOCATE_STREAMING;
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK + TRANSFER + DRAM);
    // What goes past L1 takes a line of L2, and so does what L1 may not keep.
    cr_expect_eq(chain_of_two(&machine, "ld.global.cg.u64 %rd1, [%rd1];"), TO_L2_AND_BACK);
    cr_expect_eq(chain_of_two(&machine, "ld.global.L1::no_allocate.u64 %rd1, [%rd1];"),
                 TO_L2_AND_BACK);
}
