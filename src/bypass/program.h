// A program's kernels and their global loads, profiled on a machine, with a decision for each load:
// whether it is to use L1. Y. Liang, X. Xie, G. Sun and D. Chen, "An efficient compiler framework
// for cache bypassing on GPUs" (TCAD).
//
// A load's identity is its place in its module's PTX. What inlined functions and several launches
// of a kernel do there adds up: there is one decision for all of them. A function that several
// kernels call, inlined in none, has its loads decided for each kernel; its text can have one,
// which is that of the kernel that executes the load most often.
#ifndef WM_BYPASS_PROGRAM_H
#define WM_BYPASS_PROGRAM_H

#include "base/names/kernel_names.h"
#include "bypass/exact_solver.h"
#include "bypass/load_efficiency.h"
#include "bypass/load_hint.h"
#include "bypass/traffic_graph.h"
#include "engine/profile/load_profile.h"
#include "ptx/rewrite.h"

enum wm_bypass_choice {
    WM_BYPASS_CHOICE_CACHE, // .ca
    WM_BYPASS_CHOICE_BYPASS // .cg
};

struct wm_bypass_load {
    uint32_t number; // in its kernel, from 1, in the order of PTX: the paper's ld_1, ld_2, …
    const struct wm_ptx_function *function;   // whose text it is in
    const struct wm_ptx_statement *statement; // of the function
    const struct wm_load_record *profiled;
    const char *text;        // "ld.global.f32 %f2, [%rd23]"
    const char *source_file; // or NULL
    uint32_t source_line;
    uint32_t bytes; // that a thread requests
    struct wm_load_shape shape;
    struct wm_load_efficiency efficiency[WM_EFFICIENCY_SOURCES];
};

// What a solver decided.
struct wm_bypass_solution {
    bool *cached; // by load
    double saved; // bytes between L1 and L2, of those that the loads take when all bypass L1
    double bound; // of the exact solver: no set saves more
    bool proved;  // likewise: `saved` is the most
};

enum wm_bypass_solver {
    WM_BYPASS_NONE_CACHED,
    WM_BYPASS_ALL_CACHED,
    WM_BYPASS_HEURISTIC,
    WM_BYPASS_EXACT,
    WM_BYPASS_SOLVERS
};
extern const char *const wm_bypass_solver_names[WM_BYPASS_SOLVERS]; // "bypass-all", "cache-all", …

// What is decided of efficiencies of one source: its graph, and the solvers' solutions.
struct wm_bypass_view {
    struct wm_traffic_graph graph;
    struct wm_bypass_solution solutions[WM_BYPASS_SOLVERS];
    uint32_t unknown; // loads for which the source knows nothing: the program's mean stands in
};

// Whether a load's decision is given (struct wm_bypass_options).
enum wm_bypass_forced { WM_BYPASS_FREE, WM_BYPASS_FORCED_CACHED, WM_BYPASS_FORCED_BYPASSED };

struct wm_bypass_kernel {
    const struct wm_profiled_kernel *profiled;
    struct wm_kernel_name shown;
    struct wm_ptx_module *module;  // NULL: the recording has no PTX of it
    uint64_t ptx_hash;             // that recordings name it by
    struct wm_bypass_load *loads;  // profiled->load_count
    enum wm_bypass_forced *forced; // by load
    // Global loads that are left as they are, and why.
    struct wm_bypass_fixed *fixed;
    uint32_t fixed_count;
    struct wm_bypass_view views[WM_EFFICIENCY_SOURCES];
    // By load, its hints (bypass/hints.h), in place of a solver's solution;
    // borrowed. NULL: the solution is all there is.
    const struct wm_load_hint *hints;
};

struct wm_bypass_fixed {
    const struct wm_ptx_statement *statement;
    const char *why; // "is volatile"
};

struct wm_bypass_program {
    struct wm_arena arena; // owns what is not freed by itself
    struct wm_load_profile *profile;
    struct wm_bypass_kernel *kernels; // with global loads to decide, in order of first launch
    uint32_t kernel_count;
    struct wm_ptx_module **modules; // that the kernels are in
    uint32_t module_count;
    enum wm_efficiency_source source; // as the options have it
    struct wm_load_efficiency mean;   // of all loads that were executed, as profiled
    // With hints: what makes a machine obey them, "gpu.l1.replacement=priority"; borrowed.
    const char *const *settings;
    uint32_t setting_count;
};

struct wm_bypass_options {
    // Of which source the weights are that decide; the others are there to be compared.
    enum wm_efficiency_source source;
    const struct wm_launch_filter *filter; // borrowed, may be NULL
    // Loads whose decision is given, "3=ca" or "KERNEL:3=cg" (bypass/forced_loads.h): the
    // heuristic and the exact solver decide the others. Bypass-all and cache-all, which others are
    // compared with, stay what they are. Borrowed.
    const char *const *forces;
    uint32_t force_count;
    const char *name; // what errors call the recording: the program; NULL: its path
    bool progress;
};

// Profiles the recording on the machine, builds the graphs and decides. The caller releases the
// program, whatever the outcome. WM_NOT_FOUND when no kernel has a global load to decide; errors of
// wm_load_profile_new, of wm_bypass_forces_apply and of the PTX in the recording.
enum wm_status wm_bypass_program_init(struct wm_bypass_program *program,
                                      struct wm_recording *recording,
                                      const struct wm_machine *machine,
                                      const struct wm_bypass_options *options,
                                      struct wm_error *error);
void wm_bypass_program_release(struct wm_bypass_program *program);

// The solution of the source that decides.
static inline const struct wm_bypass_solution *wm_bypass_solution_of(
    const struct wm_bypass_program *program, const struct wm_bypass_kernel *kernel,
    enum wm_bypass_solver solver)
{
    return &kernel->views[program->source].solutions[solver];
}

// Whether decisions are about the load: one that never ran, or that is not in the text, stays as it
// is.
static inline bool wm_bypass_is_decided(const struct wm_bypass_load *load)
{
    return load->statement != NULL && load->profiled->executions != 0;
}

// The load's cache qualifiers by a solution.
static inline struct wm_load_hint wm_bypass_solved_hint(const struct wm_bypass_solution *solution,
                                                        uint32_t load)
{
    return (struct wm_load_hint){solution->cached[load] ? WM_LOAD_CA : WM_LOAD_CG,
                                 WM_LOAD_L2_NORMAL};
}

// The same by the kernel's hints, where it has some.
static inline struct wm_load_hint wm_bypass_hint_of(const struct wm_bypass_program *program,
                                                    const struct wm_bypass_kernel *kernel,
                                                    enum wm_bypass_solver solver, uint32_t load)
{
    return kernel->hints != NULL
               ? kernel->hints[load]
               : wm_bypass_solved_hint(wm_bypass_solution_of(program, kernel, solver), load);
}

// The kernel's name for people.
const char *wm_bypass_kernel_title(const struct wm_bypass_kernel *kernel);
// Appends the name of a kernel's symbol for people, without result type and parameters.
void wm_bypass_symbol_title(const char *symbol, struct wm_text *text);

// Loads of a kernel that a solution caches.
uint32_t wm_bypass_count_cached(const struct wm_bypass_kernel *kernel,
                                const struct wm_bypass_solution *solution);

#endif
