#include "observed.h"

#include "mem/system/memory.h"
#include "mem/system/memory_state.h"
#include "mem/timed/level/level.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE_SHIFT = 7, NOT_YET = 0xff };

// A line that an SM's L1 has, or waits for.
struct copy {
    uint64_t version;
    uint8_t value;
    bool awaited;   // L2 has not served it yet
    uint32_t loads; // a bit by step: that wait for it
};

static struct {
    const struct litmus_test *test;
    const struct gpu_litmus *kernel;
    uint64_t address;
    struct litmus_outcome outcome;
    struct copy copies[LITMUS_THREADS][LITMUS_LOCATIONS];
    uint64_t versions[LITMUS_LOCATIONS];               // the last of each line
    uint64_t oldest[LITMUS_THREADS][LITMUS_LOCATIONS]; // when the thread's first step was made
    uint32_t stale;
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

uint32_t observed_stale(void)
{
    return now.stale;
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
        if (now.kernel->first_pc + now.kernel->pcs[sm][i] == pc)
            return &now.test->steps[sm][i];
    return NULL;
}

static void begin_behind(uint32_t thread, const struct litmus_step *step)
{
    if (step == &now.test->steps[thread][0])
        memcpy(now.oldest[thread], now.versions, sizeof now.versions);
}

static void see(uint32_t thread, const struct litmus_step *step, uint8_t value, uint64_t version)
{
    now.outcome.registers[step->value] = value;
    if (step != &now.test->steps[thread][0] && !now.test->steps[thread][0].store)
        now.stale += version < now.oldest[thread][step->location];
    begin_behind(thread, step);
}

static void see_copy(uint32_t thread, const struct litmus_step *step, const struct copy *copy)
{
    if (step != NULL)
        see(thread, step, copy->value, copy->version);
}

// Memory has made the step.
static void make(uint32_t thread, const struct litmus_step *step)
{
    uint32_t location = step->location;
    if (!step->store) {
        see(thread, step, now.outcome.last[location], now.versions[location]);
        return;
    }
    now.outcome.last[location] = step->value;
    now.versions[location]++;
    begin_behind(thread, step);
}

static void take_copy(struct copy *copy, uint32_t location)
{
    copy->value = now.outcome.last[location];
    copy->version = now.versions[location];
}

// --- The walk ---

static void note_request(const struct wm_memory *memory, uint32_t kind, uint32_t hint, uint32_t sm,
                         uint32_t pc, uint64_t address)
{
    uint32_t location;
    if (!find_location(address, &location))
        return;
    uint32_t thread = thread_of(sm);
    const struct litmus_step *step = step_of(thread, pc);
    if (kind != WM_ACCESS_LOAD || hint != WM_HINT_DEFAULT) {
        if (step != NULL)
            make(thread, step);
        return;
    }
    struct copy *copy = &now.copies[thread][location];
    if (!wm_memory_l1_holds(memory, sm, address))
        take_copy(copy, location);
    see_copy(thread, step, copy);
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

// L1 has looked a load up; `pending`: the line was on its way.
static void note_look_up(struct copy *copy, uint32_t sm, uint32_t pc, bool pending, bool waits)
{
    const struct litmus_step *step = step_of(sm, pc);
    copy->awaited |= waits && !pending;
    if (!copy->awaited)
        see_copy(sm, step, copy);
    else if (step != NULL)
        copy->loads |= 1u << (step - now.test->steps[sm]);
}

// L2 serves an access; a load around L1 or for it.
static void note_served(const struct wm_requester *who, bool store, uint32_t location)
{
    struct copy *copy = &now.copies[who->sm][location];
    if (store || who->hint != WM_HINT_DEFAULT) {
        const struct litmus_step *step = step_of(who->sm, who->pc);
        if (step != NULL)
            make(who->sm, step);
        return;
    }
    take_copy(copy, location);
    copy->awaited = false;
    for (; copy->loads != 0; copy->loads &= copy->loads - 1)
        see_copy(who->sm, &now.test->steps[who->sm][__builtin_ctz(copy->loads)], copy);
}

void observed_step(uint32_t thread, const struct litmus_step *step)
{
    make(thread, step);
}

void observed_packet(const struct wm_requester *who, bool store, uint64_t line)
{
    uint32_t location;
    if (find_location(line << LINE_SHIFT, &location))
        note_served(who, store, location);
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
    if (access.client != WM_CACHE_STORE && access.client != WM_CACHE_LOAD)
        return stall;
    bool store = access.client == WM_CACHE_STORE;
    if (level->number == WM_LEVEL_L2)
        note_served(&who, store, location);
    else if (!store)
        note_look_up(&now.copies[who.sm][location], who.sm, who.pc, pending, outcome->waits != 0);
    return stall;
}
