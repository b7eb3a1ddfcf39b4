// What a warp scheduler uses of the instructions that it issues: the class of functional unit each
// goes to, how fast such a unit is, and which registers each reads and writes. Plain data: the
// specs are filled from a machine file, the tables by engine/issue/issue_table.h.
#ifndef WM_SM_ISSUE_ISSUE_H
#define WM_SM_ISSUE_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

// Classes of functional units, as the vendor's throughput table has them (CUDA C++ Programming
// Guide, "Arithmetic Instructions").
enum wm_unit {
    WM_UNIT_INTEGER, // integers, logic, moves, votes
    WM_UNIT_SINGLE,  // floating point of 32 bits and less
    WM_UNIT_DOUBLE,  // of 64 bits
    WM_UNIT_SPECIAL, // reciprocals, roots, sines; conversions from and to floating point; shuffles
    WM_UNIT_TENSOR,  // products of matrices
    WM_UNIT_MEMORY,  // loads, stores, atomics, textures, of every address space
    WM_UNIT_CONTROL, // branches, barriers, exits
    WM_UNITS
};

// Of the units of one class that one scheduler sends to; in cycles of the SM.
struct wm_unit_spec {
    uint32_t interval; // at least 1: between two warp instructions that a scheduler sends to one
    // At least 1: from issue until its result may be read. 0 of the memory class, whose latency is
    // that of the memory which is accessed.
    uint32_t latency;
};

// What an instruction may do to shared memory.
enum wm_issue_shared {
    WM_SHARED_NOTHING,
    WM_SHARED_STORE,
    WM_SHARED_OTHER, // loads, atomics, and generic addresses, which may be of it
};

// Instructions that machine code sends to other units than `unit`, or to several.
enum wm_issue_kind {
    WM_ISSUE_OF_ONE_UNIT,
    WM_ISSUE_PRODUCT,  // of integers
    WM_ISSUE_DIVISION, // or a root, of whatever type
};

struct wm_issue_facts {
    uint32_t first_register; // of the table's registers: destinations first, then sources
    uint8_t destinations, sources;
    uint8_t unit;    // an enum wm_unit
    uint8_t passes;  // how often it takes the unit's interval and latency: 1, more for a division
    uint8_t kind;    // an enum wm_issue_kind
    bool is_barrier; // waits for the block
    bool is_membar;  // waits until the warp's own accesses are done
    bool is_load;    // of global or local memory, which L1 may serve
    // When it is done the SM's first level drops its lines: where that is scoped, an acquire.
    bool acquires;
    uint8_t shared; // an enum wm_issue_shared
    // Where machine code is estimated (gpu.sm.machine_code): its issue slots; and that it has none.
    uint8_t slots;
    uint8_t interval_passes; // of these, how often it takes the unit's interval; 0: as `passes`
    bool is_folded;
    uint8_t unrolled; // of a branch that ends a round of a loop: rounds that are one basic block
};

// The same for the machine that issues it, in half a line of the host's caches (issue_steps.h).
// Most instructions have few registers, and these stand here; each place is looked at, whether or
// not the instruction needs it: how many it has the host would not foresee.
enum { WM_ISSUE_WRITTEN = 2, WM_ISSUE_NEEDED = 6, WM_STEP_MEMORY = 0 };

struct wm_issue_step {
    uint32_t latency, interval; // of its unit, times its passes; in cycles of the SM
    uint16_t written[WM_ISSUE_WRITTEN];
    uint16_t needed[WM_ISSUE_NEEDED]; // destinations and sources
    uint8_t unit;                     // its class of units, numbered over those of the kernel
    bool has_more;                    // registers than these: all stand in the table
    bool is_membar, is_load;
    uint32_t gap; // cycles from its issue to that of its warp's next, at the least
};
_Static_assert(sizeof(struct wm_issue_step) <= 32, "two steps a line of the host's caches");

// By pc of one kernel, or of several behind each other. A register is a number below
// register_count, which stands for its 32 bits, or for all of its bits where the text has one name
// for more (PTX).
struct wm_issue_table {
    struct wm_issue_facts *facts; // instruction_count of them
    uint16_t *registers;
    uint32_t instruction_count, register_count;
    struct wm_issue_step *steps; // sm/issue/issue_steps.h; NULL before that
    uint32_t unit_count;         // classes of units that the steps number, WM_STEP_MEMORY first
    uint8_t numbers[WM_UNITS];   // these, plus one; 0: no instruction needs one
};

#endif
