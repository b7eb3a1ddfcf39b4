// What each global load of a kernel does for L1 when it alone may use it, when it shares it with
// one other, and when all do: Y. Liang, X. Xie, G. Sun and D. Chen, "An efficient compiler
// framework for cache bypassing on GPUs" (TCAD), section IV-C. There each of these is a run of its
// own: N for the loads, N (N - 1) / 2 for the pairs, one without L1 and one where all use it. Here
// one front end (decoding, turns, coalescing) reads the recording once, and each of these sets of
// loads has L1s of its own, which get only what may change them: loads that bypass L1 leave it
// alone.
//
// Only L1 is simulated. What another set would change below it, or in time, does not reach L1 in a
// walk.
#ifndef WM_ENGINE_PROFILE_LOAD_PROFILE_H
#define WM_ENGINE_PROFILE_LOAD_PROFILE_H

#include "engine/session/session.h"
#include "trace/recording_reader.h"

// What the L1s did for a set of loads, over all launches of the kernel.
struct wm_load_set_counts {
    uint64_t hits, misses; // sectors of the set's loads that L1 held, and that it did not
    // Between L1 and L2, both ways, of all accesses of the kernel to L1, the set's loads or not:
    // what two sets differ by is what one of them saves. What moves the same in every set, as
    // stores do that an L1 does not keep, may be in all or in none.
    uint64_t bytes;
};

// More loads than this a kernel are not profiled in pairs: their number grows with the square.
enum { WM_LOAD_PROFILE_MOST_LOADS = 256, WM_LOAD_SET_WORDS = WM_LOAD_PROFILE_MOST_LOADS / 64 };

// Some loads of a kernel, a bit each in their order.
struct wm_load_set {
    uint64_t words[WM_LOAD_SET_WORDS];
};

static inline bool wm_load_set_has(const struct wm_load_set *set, uint32_t load)
{
    return set->words[load / 64] >> load % 64 & 1;
}

static inline void wm_load_set_add(struct wm_load_set *set, uint32_t load)
{
    set->words[load / 64] |= UINT64_C(1) << load % 64;
}

// One load that may be decided: a global load of the kernel's PTX.
struct wm_load_record {
    uint32_t pc, ptx_line;
    uint64_t executions;      // by warps
    uint64_t lanes;           // over all executions
    uint64_t bytes_requested; // by lanes: a byte requested twice counts twice
    uint64_t lines;           // requests for a line of L1 each: the paper's access_i
    uint64_t sectors;         // of 32 bytes, over all lines: what a bypass moves
    // The load's own, among what L1 did where all loads used it.
    uint64_t hits_together, misses_together;
    struct wm_load_set_counts alone;
};

struct wm_profiled_kernel {
    const char *name, *module; // as in PTX; file or program
    uint64_t fingerprint;      // of the code (struct wm_work)
    uint64_t launches;
    uint32_t grid[3], block[3]; // of the last launch
    uint64_t l1_bytes;          // of an SM's L1, of the last launch
    uint32_t load_count;        // by pc
    struct wm_load_record *loads;
    struct wm_load_set_counts none, all; // no load uses L1; all do
    struct wm_load_set_counts *pairs;    // wm_load_profile_pair
};

struct wm_load_profile {
    struct wm_arena arena;              // owns all of it
    struct wm_profiled_kernel *kernels; // in order of first launch; those without global loads too
    uint32_t kernel_count;
    uint32_t line_bytes; // of L1
};

// The counts of loads `a` and `b`, two different ones of the kernel, together.
static inline const struct wm_load_set_counts *wm_load_profile_pair(
    const struct wm_profiled_kernel *kernel, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return &kernel->pairs[(uint64_t)high * (high - 1) / 2 + low];
}

// Bytes between L1 and L2 that the kernel's loads save when those of the set, rather than none, use
// L1. Negative: it would cost.
int64_t wm_load_profile_saving(const struct wm_profiled_kernel *kernel, uint32_t load);
// The same of a pair, less what each saves alone: the weight of their edge.
int64_t wm_load_profile_edge(const struct wm_profiled_kernel *kernel, uint32_t a, uint32_t b);
// The same of all loads together.
int64_t wm_load_profile_saving_of_all(const struct wm_profiled_kernel *kernel);

struct wm_load_profile_options {
    // Whether the instruction at `pc`, a load that reaches L1, is one that is decided; the others
    // do in every set as their operators say. NULL: all are.
    bool (*decided)(void *context, const struct wm_work *work,
                    const struct wm_instruction_facts *facts, uint32_t pc);
    void *context;
    bool progress;                         // show progress on a terminal
    const struct wm_launch_filter *filter; // borrowed, may be NULL: the launches that are profiled
};

// WM_UNSUPPORTED for a machine without an L1 that global loads may use: before a program is run.
enum wm_status wm_load_profile_check(const struct wm_machine *machine, struct wm_error *error);

// Profiles the recording on the machine. Where the machine's warp scheduler depends on what misses,
// which differs from set to set, warps have their turns in round-robin order instead, for all sets.
// The caller frees *profile (wm_load_profile_free).
//
// WM_UNSUPPORTED for a machine without an L1 that global loads may use, and for a kernel of more
// than WM_LOAD_PROFILE_MOST_LOADS loads; errors of wm_replay; WM_NO_MEMORY.
enum wm_status wm_load_profile_new(struct wm_recording *recording, const struct wm_machine *machine,
                                   const struct wm_load_profile_options *options,
                                   struct wm_load_profile **profile, struct wm_error *error);
// Sets of a kernel's loads, of the caller's choice.
struct wm_chosen_sets {
    const struct wm_profiled_kernel *kernel; // of a profile with the same machine and options
    const struct wm_load_set *sets;
    uint32_t count;
    uint64_t *bytes; // by set: filled
};

// Finds of `count` kernels how many bytes move between L1 and L2, both ways, of all accesses to
// L1, when the loads of each set use L1 and the kernel's others go around it, for all sets in one
// pass over the recording. Each set has L1s of its own: where they would take more than some 400 MB
// together, in as many passes as bound them. Warps have their turns as in wm_load_profile_new:
// where the machine's own order is that, and its L1s are empty at each launch's begin, this is to
// the byte what a replay counts with the other loads in gpu.l1.bypass_list. Errors of
// wm_load_profile_new.
enum wm_status wm_load_profile_sets(struct wm_recording *recording,
                                    const struct wm_machine *machine,
                                    const struct wm_load_profile_options *options,
                                    const struct wm_chosen_sets *chosen, uint32_t count,
                                    struct wm_error *error);
// NULL is allowed.
void wm_load_profile_free(struct wm_load_profile *profile);

#endif
