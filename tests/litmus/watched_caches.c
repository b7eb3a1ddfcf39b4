#include "watched_caches.h"

#include "mem/timed/coherent/caches.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 64, MOST_LINES = 1 << 16, MOST_PACKETS = 64, NO_THREAD = UINT32_MAX };

static struct {
    const struct litmus_test *test;
    uint64_t address;
    struct litmus_outcome outcome;
    const struct watched_listener *listener;
    struct wm_coherent_access packets[MOST_PACKETS]; // that wait for their lines
    uint32_t packet_count;
} now;

// Of the caches that were made last.
static uint32_t thread_of_node[MOST_NODES];
static struct version {
    uint64_t line, last, in_memory;
} versions[MOST_LINES]; // by a hash of the line
static uint64_t writes;
static void (*real_done)(void *context, uint64_t token, uint64_t cycle, uint32_t origin);

void watched_begin(const struct litmus_test *test, uint64_t address)
{
    memset(&now, 0, sizeof now);
    now.test = test;
    now.address = address;
}

void watched_listen(const struct litmus_test *test, uint64_t address,
                    const struct watched_listener *listener)
{
    watched_begin(test, address);
    now.listener = listener;
}

void watched_end(struct litmus_outcome *outcome)
{
    cr_assert_eq(now.packet_count, 0, "%u packets are not done", now.packet_count);
    *outcome = now.outcome;
    now.test = NULL;
    now.listener = NULL;
}

static struct version *version_of(uint64_t line)
{
    uint32_t at = (uint32_t)(line * 2654435761u) % MOST_LINES;
    while (versions[at].line != 0 && versions[at].line != line)
        at = (at + 1) % MOST_LINES;
    versions[at].line = line;
    return &versions[at];
}

static const struct litmus_step *step_of(uint32_t node, uint64_t line, bool store)
{
    uint64_t location = ((line << WATCHED_LINE_SHIFT) - now.address) / LITMUS_APART;
    uint32_t thread = thread_of_node[node];
    for (uint32_t i = 0; now.test != NULL && thread != NO_THREAD && i < now.test->steps_of[thread];
         i++) {
        const struct litmus_step *step = &now.test->steps[thread][i];
        if (step->store == store && step->location == location)
            return step;
    }
    return NULL;
}

static void report_step(uint32_t node, const struct litmus_step *step)
{
    if (step != NULL && now.listener != NULL)
        now.listener->step(thread_of_node[node], step);
}

// The load before the test reads first, and the test's own again.
static void see_read(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    const struct litmus_step *step = step_of(node, line, false);
    (void)context;
    cr_assert_eq(data, version_of(line)->last, "node %u reads an old copy", node);
    if (step != NULL)
        now.outcome.registers[step->value] = now.outcome.last[step->location];
    report_step(node, step);
}

static uint64_t see_write(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    const struct litmus_step *step = step_of(node, line, true);
    struct version *version = version_of(line);
    (void)context;
    cr_assert_eq(data, version->last, "node %u writes to an old copy", node);
    if (step != NULL)
        now.outcome.last[step->location] = step->value;
    report_step(node, step);
    return version->last = ++writes;
}

static uint64_t read_memory(void *context, uint64_t line)
{
    (void)context;
    return version_of(line)->in_memory;
}

static void write_memory(void *context, uint64_t line, uint64_t data)
{
    (void)context;
    version_of(line)->in_memory = data;
}

// --- Packets ---

static void report_packet(const struct wm_coherent_access *access)
{
    now.listener->packet(&access->requester, access->kind != WM_COHERENT_LOAD, access->line);
}

// Its level has just read or written.
static void see_done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    for (uint32_t i = 0; i < now.packet_count; i++)
        if (now.packets[i].token == token) {
            report_packet(&now.packets[i]);
            now.packets[i] = now.packets[--now.packet_count];
            break;
        }
    real_done(context, token, cycle, origin);
}

enum wm_coherent_answer __real_wm_coherent_caches_access(struct wm_coherent_caches *caches,
                                                         struct wm_coherent_access *access,
                                                         uint64_t cycle, uint64_t *done);
enum wm_coherent_answer __wrap_wm_coherent_caches_access(struct wm_coherent_caches *caches,
                                                         struct wm_coherent_access *access,
                                                         uint64_t cycle, uint64_t *done);

enum wm_coherent_answer __wrap_wm_coherent_caches_access(struct wm_coherent_caches *caches,
                                                         struct wm_coherent_access *access,
                                                         uint64_t cycle, uint64_t *done)
{
    bool reported = access->takes_look_up && now.listener != NULL;
    if (access->takes_look_up)
        thread_of_node[access->node] = NO_THREAD;
    enum wm_coherent_answer answer = __real_wm_coherent_caches_access(caches, access, cycle, done);
    if (reported && answer == WM_COHERENT_DONE)
        report_packet(access);
    if (reported && answer == WM_COHERENT_WAITS) {
        cr_assert_lt(now.packet_count, MOST_PACKETS);
        now.packets[now.packet_count++] = *access;
    }
    return answer;
}

// --- Building ---

// Caches without children are those that are no other's home: L1s of cores, and behind them L2
// where packets come to it.
static void number_threads(const struct wm_coherent_caches_spec *spec)
{
    uint32_t leaves = 0;
    cr_assert_leq(spec->node_count, MOST_NODES);
    for (uint32_t node = 0; node < spec->node_count; node++) {
        bool is_home = false;
        for (uint32_t child = 0; child < spec->node_count; child++)
            is_home |= spec->nodes[child].home == node;
        thread_of_node[node] = is_home ? NO_THREAD : leaves++ % LITMUS_THREADS;
    }
}

enum wm_status __real_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error);
enum wm_status __wrap_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error);

enum wm_status __wrap_wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                             struct wm_coherent_caches **caches,
                                             struct wm_error *error)
{
    struct wm_coherent_caches_spec watched = *spec;
    watched.watch = (struct wm_coherent_watch){see_read, see_write, read_memory, write_memory};
    real_done = spec->done;
    watched.done = see_done;
    memset(versions, 0, sizeof versions);
    number_threads(spec);
    return __real_wm_coherent_caches_new(&watched, caches, error);
}
