#include "observed.h"

#include "mem/system/memory.h"
#include "mem/system/memory_state.h"
#include "mem/timed/level/level.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE_SHIFT = 7, NOT_YET = 0xff };

// A line that an SM's L1 has, or waits for.
struct copy {
    uint8_t value;
    bool awaited;   // L2 has not served it yet
    uint32_t loads; // a bit by register: that wait for it
};

static struct {
    const struct litmus_test *test;
    const struct gpu_litmus *kernel;
    uint64_t address;
    struct litmus_outcome outcome;
    struct copy copies[LITMUS_THREADS][LITMUS_LOCATIONS];
} now;

void observed_begin(const struct litmus_test *test, const struct gpu_litmus *kernel,
                    uint64_t address)
{
    memset(&now, 0, sizeof now);
    now.test = test;
    now.kernel = kernel;
    now.address = address;
    memset(now.outcome.registers, NOT_YET, sizeof now.outcome.registers);
}

void observed_end(struct litmus_outcome *outcome)
{
    for (uint32_t thread = 0; thread < now.test->threads; thread++)
        for (uint32_t i = 0; i < now.test->steps_of[thread]; i++) {
            const struct litmus_step *step = &now.test->steps[thread][i];
            cr_assert(step->store || now.outcome.registers[step->value] != NOT_YET,
                      "%s: register %u was not loaded", now.test->name, step->value);
        }
    *outcome = now.outcome;
}

static bool find_location(uint64_t address, uint32_t *location)
{
    uint64_t at = (address - now.address) / LITMUS_APART;
    *location = (uint32_t)at;
    return now.test != NULL && address >= now.address && at < LITMUS_LOCATIONS;
}

// CPU cores come behind the SMs, as many.
static uint32_t thread_of(uint32_t unit)
{
    return unit % LITMUS_THREADS;
}

// The step at the SM's pc; NULL: a load before the test.
static const struct litmus_step *step_of(uint32_t sm, uint32_t pc)
{
    for (uint32_t i = 0; i < now.test->steps_of[sm]; i++)
        if (now.kernel->pcs[sm][i] == pc)
            return &now.test->steps[sm][i];
    return NULL;
}

static void note_load(uint32_t sm, uint32_t pc, uint8_t value)
{
    const struct litmus_step *step = step_of(sm, pc);
    if (step != NULL)
        now.outcome.registers[step->value] = value;
}

static void note_store(uint32_t sm, uint32_t pc, uint32_t location)
{
    now.outcome.last[location] = step_of(sm, pc)->value;
}

// --- The walk ---

static void note_request(const struct wm_memory *memory, uint32_t kind, uint32_t hint, uint32_t sm,
                         uint32_t pc, uint64_t address)
{
    uint32_t location;
    if (!find_location(address, &location))
        return;
    if (kind != WM_ACCESS_LOAD) {
        note_store(thread_of(sm), pc, location);
        return;
    }
    uint8_t *copy = &now.copies[thread_of(sm)][location].value;
    if (hint != WM_HINT_DEFAULT) {
        note_load(thread_of(sm), pc, now.outcome.last[location]);
        return;
    }
    if (!wm_memory_l1_holds(memory, sm, address))
        *copy = now.outcome.last[location];
    note_load(thread_of(sm), pc, *copy);
}

void __real_wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run);
void __wrap_wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run);

// One instruction at a time.
void __wrap_wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run)
{
    struct wm_request_run one = *run;
    one.count = 1;
    for (uint32_t i = 0; i < run->count; i++, one.lines += one.line_count) {
        one.heads = &run->heads[i];
        one.line_count = one.heads->count;
        for (uint32_t line = 0; line < one.line_count; line++)
            note_request(memory, one.heads->kind, one.heads->hint, one.heads->sm, one.heads->pc,
                         one.lines[line].line_address);
        __real_wm_memory_access_run(memory, &one);
    }
}

struct wm_access_result __real_wm_memory_access_lines(struct wm_memory *memory,
                                                      const struct wm_request *who,
                                                      const struct wm_line_request *lines,
                                                      uint32_t count);
struct wm_access_result __wrap_wm_memory_access_lines(struct wm_memory *memory,
                                                      const struct wm_request *who,
                                                      const struct wm_line_request *lines,
                                                      uint32_t count);

struct wm_access_result __wrap_wm_memory_access_lines(struct wm_memory *memory,
                                                      const struct wm_request *who,
                                                      const struct wm_line_request *lines,
                                                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        note_request(memory, who->kind, who->hint, who->sm, who->pc, lines[i].line_address);
    return __real_wm_memory_access_lines(memory, who, lines, count);
}

bool __real_wm_memory_hit(struct wm_memory *memory, const struct wm_request *request);
bool __wrap_wm_memory_hit(struct wm_memory *memory, const struct wm_request *request);

// A core's access that its L1 serves; others go the way of all.
bool __wrap_wm_memory_hit(struct wm_memory *memory, const struct wm_request *request)
{
    bool hit = __real_wm_memory_hit(memory, request);
    if (hit)
        note_request(memory, request->kind, request->hint, request->sm, request->pc,
                     request->address);
    return hit;
}

// --- In time ---

static void wait_for(struct copy *copy, uint32_t sm, uint32_t pc)
{
    const struct litmus_step *step = step_of(sm, pc);
    copy->loads |= step != NULL ? 1u << step->value : 0;
}

// L1 has looked a load up; `pending`: the line was on its way.
static void note_look_up(struct copy *copy, uint32_t sm, uint32_t pc, bool pending, bool waits)
{
    copy->awaited |= waits && !pending;
    if (copy->awaited)
        wait_for(copy, sm, pc);
    else
        note_load(sm, pc, copy->value);
}

// L2 serves a load, around L1 or for it.
static void note_served(struct copy *copy, const struct wm_requester *who, uint8_t value)
{
    if (who->hint != WM_HINT_DEFAULT) {
        note_load(who->sm, who->pc, value);
        return;
    }
    copy->value = value;
    copy->awaited = false;
    for (; copy->loads != 0; copy->loads &= copy->loads - 1)
        now.outcome.registers[__builtin_ctz(copy->loads)] = value;
}

enum wm_stall __real_wm_timed_level_look_up(struct wm_timed_level *level, uint64_t cycle,
                                            struct wm_level_request *request,
                                            struct wm_level_outcome *outcome);
enum wm_stall __wrap_wm_timed_level_look_up(struct wm_timed_level *level, uint64_t cycle,
                                            struct wm_level_request *request,
                                            struct wm_level_outcome *outcome);

enum wm_stall __wrap_wm_timed_level_look_up(struct wm_timed_level *level, uint64_t cycle,
                                            struct wm_level_request *request,
                                            struct wm_level_outcome *outcome)
{
    const struct wm_timed_access access = request->access;
    const struct wm_requester who = access.requester;
    bool pending = wm_mshr_find(&level->timed.mshr, access.line) != NULL;
    enum wm_stall stall = __real_wm_timed_level_look_up(level, cycle, request, outcome);
    uint32_t location;
    if (stall != WM_STALL_NONE || !find_location(access.line << LINE_SHIFT, &location))
        return stall;
    struct copy *copy = &now.copies[who.sm][location];
    if (access.client == WM_CACHE_STORE && level->number == WM_LEVEL_L2)
        note_store(who.sm, who.pc, location);
    else if (access.client == WM_CACHE_LOAD && level->number == WM_LEVEL_L2)
        note_served(copy, &who, now.outcome.last[location]);
    else if (access.client == WM_CACHE_LOAD)
        note_look_up(copy, who.sm, who.pc, pending, outcome->waits != 0);
    return stall;
}
