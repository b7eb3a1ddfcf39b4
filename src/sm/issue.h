// What a warp scheduler needs to know of the instructions that it issues: the class of functional
// unit each goes to, how fast such a unit is, and which registers each reads and writes. Plain
// data: the specs are filled from a machine file, the tables by engine/issue_table.h.
#ifndef WM_SM_ISSUE_H
#define WM_SM_ISSUE_H

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

struct wm_issue_facts {
    uint32_t first_register; // of the table's registers: destinations first, then sources
    uint8_t destinations, sources;
    uint8_t unit;    // an enum wm_unit
    uint8_t passes;  // how often it takes the unit's interval and latency: 1, more for a division
    bool is_barrier; // waits for the block
    bool is_membar;  // waits until the warp's own accesses are done
    bool is_load;    // of global or local memory, which L1 may serve
};

// By pc of one kernel. A register is a number below register_count, which stands for its 32 bits,
// or for all of its bits where the text has one name for more (PTX).
struct wm_issue_table {
    struct wm_issue_facts *facts; // instruction_count of them
    uint16_t *registers;
    uint32_t instruction_count, register_count;
};

#endif
