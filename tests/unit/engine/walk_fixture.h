// A small machine, a program of test kernels and device memory, ready to launch on.
#ifndef WM_TESTS_WALK_FIXTURE_H
#define WM_TESTS_WALK_FIXTURE_H

#include "engine/session/session.h"

struct walk_fixture {
    struct wm_machine machine;
    struct wm_device_memory *memory;
    struct wm_program *program;
    struct wm_session *session;
    // For the launches to come.
    uint32_t dynamic_shared_bytes, preferred_carveout;
    uint32_t gpu;         // that they run on; all may access the memory of all
    uint64_t safe_points; // how often the engine offered a moment
};

// Two SMs of 4 blocks and 64 warps; L1 4 KiB of 2 ways, flushed at each kernel, written through; L2
// 64 KiB in two slices; lines of 128 bytes in sectors of 32; two DRAM channels.
struct wm_machine walk_test_machine(void);
// A side cache: 4 ways of 64 bytes, LRU.
struct wm_level_spec walk_side_cache(uint64_t size_bytes, uint32_t sms_each);
void walk_fixture_init(struct walk_fixture *fixture, const struct wm_machine *machine, bool memory);
// With the memory system, explaining misses.
void walk_fixture_init_explained(struct walk_fixture *fixture, const struct wm_machine *machine);
// The same in time.
void walk_fixture_init_explained_timed(struct walk_fixture *fixture,
                                       const struct wm_machine *machine);
// Under the clock engine, with the kernels of a PTX text.
void walk_fixture_init_timed(struct walk_fixture *fixture, const struct wm_machine *machine,
                             const char *text);
// The same in the walk.
void walk_fixture_init_text(struct walk_fixture *fixture, const struct wm_machine *machine,
                            const char *text);
// Either, explaining misses.
void walk_fixture_init_text_explained(struct walk_fixture *fixture,
                                      const struct wm_machine *machine, const char *text,
                                      bool timed);
void walk_fixture_release(struct walk_fixture *fixture);

// Zeroed device memory of `count` words, of that GPU's; its address.
uint64_t walk_words(struct walk_fixture *fixture, uint64_t count);

// Launches `name` over `blocks` of `threads` with 64-bit parameters (a 32-bit one takes the low
// half of its slot, which is where PTX's alignment puts it when it comes last or alone).
enum wm_status walk_launch(struct walk_fixture *fixture, const char *name, uint32_t blocks,
                           uint32_t threads, const uint64_t *parameters, uint32_t parameter_count,
                           struct wm_finding *finding, struct wm_error *error);
// The same, and it must succeed.
void walk_run(struct walk_fixture *fixture, const char *name, uint32_t blocks, uint32_t threads,
              const uint64_t *parameters, uint32_t parameter_count);

struct wm_results *walk_take_results(struct walk_fixture *fixture);
// The counter summed over the components of a kind.
uint64_t walk_component_sum(const struct wm_component_result *components, uint32_t count,
                            const char *kind, const char *name);
// The sums over the kernel's memory instructions that leave the SM; those of constant memory add to
// all but the executions.
struct wm_instruction_counters walk_causes(const struct wm_kernel_result *kernel);
// Fails the test unless instructions and components tell the same story, kernel by kernel.
void walk_check_invariants(const struct wm_results *results);

#endif
