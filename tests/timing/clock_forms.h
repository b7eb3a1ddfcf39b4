// A machine simple enough for numbers worked out by hand, and kernels of a line of PTX many times
// over.
//
// A warp's life, from its coming to its last instruction, is what it issued and what it waited for.
// Kernels of one length are subtracted from those of another, so their beginnings cancel out.
#ifndef WM_TESTS_CLOCK_FORMS_H
#define WM_TESTS_CLOCK_FORMS_H

#include "../unit/engine/walk_fixture.h"
#include "base/text/text.h"

enum {
    ALU = 4,      // latency of an addition
    L1 = 10,      // of L1
    LINK = 8,     // of the interconnect, one way; a sector and its header are one flit
    L2 = 20,      // of L2
    DRAM = 50,    // of DRAM, beside the transfer
    TRANSFER = 4, // of a sector at 8 bytes a cycle
    SHARED = 15,  // of shared memory
    TO_UNIT = 1,  // from issue to the request
    REPLY = 1,    // from a look-up, or a fill, to its reply's leaving
    LENGTH = 40,  // instructions of the shorter kernels
};

// One SM with one warp scheduler, one slice of L2, one channel with a latency and a bandwidth, and
// one clock of 1 GHz for all.
struct wm_machine simple_machine(void);
// simple_machine() with other levels and SMs, which all have the timing, behind its interconnect
// and with its memory's rate.
struct wm_machine simple_machine_with(const struct wm_memory_spec *spec,
                                      const struct wm_cache_timing *timing);
// A kernel whose body is `count` times `line`, behind `before`; %rd1 is its parameter.
void write_kernel(struct wm_text *text, const char *name, const char *before, const char *line,
                  uint32_t count);

struct forms {
    struct walk_fixture fixture;
    struct wm_text text;
};

// Kernels "shorter" and "longer", of twice as many lines, and "warm", of one.
void forms_init(struct forms *forms, const struct wm_machine *machine, const char *before,
                const char *line);
void forms_release(struct forms *forms);

uint64_t counter(const struct wm_kernel_result *kernel, const char *kind, const char *name);
// Warp-cycles from the warps' coming to their last instructions.
uint64_t life_of(const struct wm_kernel_result *kernel);
const struct wm_kernel_result *kernel_of(const struct wm_results *results, const char *name);
// How much longer one warp's life is for each further line, L2 having seen the first.
uint64_t cycles_a_line(struct forms *forms, uint64_t parameter);
uint64_t cycles_of(const struct wm_machine *machine, const char *before, const char *line);
// Of a line that loads a word which holds its own address, into the register of the address.
uint64_t cycles_of_own_address(const struct wm_machine *machine, const char *line);
// NULL: there is none.
const struct wm_component_result *component_of(const struct wm_results *results, const char *path,
                                               const struct wm_counter_set *set);

#endif
