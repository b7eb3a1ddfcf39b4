// Runs PTX text in tests: a module or several, one device memory, launches with a chosen width,
// build, residency and schedule.
#ifndef EXEC_HARNESS_H
#define EXEC_HARNESS_H

#include "base/numbers/random.h"
#include "exec/exec.h"
#include "exec/texture/texture.h"

#include <criterion/criterion.h>

struct harness {
    struct wm_device_memory *memory;
    struct wm_program *program;
    struct wm_access_sink sink; // .access NULL: none
    enum wm_run_until until;
    uint32_t resident;                  // blocks at once; 0: all
    uint32_t dynamic_shared;            // bytes
    uint64_t stack_bytes;               // of a kernel that needs a stack
    uint64_t budget;                    // instructions a turn; 0: no limit
    bool asks;                          // which instruction comes next, before each turn: `next`
    uint32_t next;                      // its pc
    struct wm_random *schedule;         // random turns and budgets when not NULL
    struct wm_texture_objects textures; // and references
    const struct wm_device_time *time;  // NULL: clocks count instructions
    // Of the last launch
    struct wm_run_result result;
    struct wm_finding fault; // kind NONE when it ended well
    bool deadlock;
};

// `body` is the module after its version header. Fails the test on an error.
void harness_init(struct harness *harness, const char *body, unsigned width, enum wm_lane_isa isa,
                  bool private_registers);
// Several modules linked: first.ptx, second.ptx, third.ptx. To be released whatever it returns.
enum { HARNESS_MOST_MODULES = 3 };
enum wm_status harness_link(struct harness *harness, const char *const *bodies, uint32_t count,
                            struct wm_error *error);
void harness_release(struct harness *harness);
// Device memory, zeroed; labelled "cudaMalloc".
void *harness_allocate(struct harness *harness, uint64_t bytes);
const struct wm_kernel *harness_kernel(struct harness *harness, const char *name);
// Runs to the end, to a fault, or to a deadlock. Parameters: `count` 64-bit values.
void harness_launch(struct harness *harness, const char *kernel, uint32_t blocks, uint32_t threads,
                    const uint64_t *parameters, uint32_t count);
// The same, and the launch must end well.
void harness_run(struct harness *harness, const char *kernel, uint32_t blocks, uint32_t threads,
                 const uint64_t *parameters, uint32_t count);
// Loads `body`, asks for its kernel "k", and expects this status; the message is left in `error`.
void harness_expect_refusal(const char *body, enum wm_status status, struct wm_error *error);

#define HARNESS_LAUNCH(harness, kernel, blocks, threads, ...)                           \
    harness_launch((harness), (kernel), (blocks), (threads), (uint64_t[]){__VA_ARGS__}, \
                   sizeof((uint64_t[]){__VA_ARGS__}) / 8)
#define HARNESS_RUN(harness, kernel, blocks, threads, ...)                           \
    harness_run((harness), (kernel), (blocks), (threads), (uint64_t[]){__VA_ARGS__}, \
                sizeof((uint64_t[]){__VA_ARGS__}) / 8)
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

#endif
