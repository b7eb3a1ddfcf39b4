#include "host_trace/polls.h"

#include "host_trace/live.h"
#include "host_trace/real_calls.h"
#include "host_trace/recorder.h"
#include "host_trace/thread_state.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MOST_WORDS = 256, // of a turn that may be one of a thread that polls
    // A turn that ends in the midst of a loop of so few accesses and marks is one of a thread that
    // waits.
    LOOP_PERIOD = 16,
    LOOP_LENGTH = 64,
    // The same in time, where turns are short: and no stores.
    TIMED_LOOP_PERIOD = 8,
    TIMED_LOOP_LENGTH = 24,
    TIMED_SPIN_LOADS = 8,
    // A thread that has waited again in the same state so often, for so long, waits for ever: more
    // than once, as what libraries hold that are not instrumented is not looked at.
    REPEATS = 16,
    REPEATS_NANOSECONDS = 10000000,
};

// --- Loops ---

// Whether the last `length` words are those that lie a number of words before them, `most` at most.
static bool is_periodic(uint32_t length, uint32_t most)
{
    const uint64_t *last = wm_host_recorder.words + wm_host_recorder.count - length;
    for (uint32_t period = 1; period <= most; period++)
        if (memcmp(last, last - period, length * sizeof *last) == 0)
            return true;
    return false;
}

static bool stores_nothing(uint32_t length)
{
    const uint64_t *end = wm_host_recorder.words + wm_host_recorder.count;
    for (const uint64_t *word = end - length; word < end; word++)
        if (wm_host_word_bytes(*word) != 0 && wm_host_word_is_store(*word))
            return false;
    return true;
}

bool wm_host_is_in_loop(void)
{
    const struct wm_host_recorder *recorder = &wm_host_recorder;
    if (wm_host_is_timed())
        return recorder->count >= TIMED_LOOP_LENGTH + TIMED_LOOP_PERIOD &&
               stores_nothing(TIMED_LOOP_LENGTH) &&
               is_periodic(TIMED_LOOP_LENGTH, TIMED_LOOP_PERIOD);
    if (recorder->count < LOOP_LENGTH + LOOP_PERIOD)
        return false;
    return is_periodic(LOOP_LENGTH, LOOP_PERIOD);
}

// In time a thread that is taken for one that waits has its core wait for data.
static uint32_t spin_loads(void)
{
    return wm_host_is_timed() ? TIMED_SPIN_LOADS : WM_HOST_SPIN_LOADS;
}

// Marks lie between them.
bool wm_host_repeats_load(uint64_t word)
{
    uint32_t times = spin_loads();
    const struct wm_host_recorder *recorder = &wm_host_recorder;
    uint32_t found = 0;
    if (wm_host_word_is_store(word))
        return false;
    for (uint32_t at = recorder->count; at > 0 && found < times; at--) {
        uint64_t before = recorder->words[at - 1];
        if (wm_host_word_bytes(before) == 0)
            continue;
        if (wm_host_word_plain(before) != wm_host_word_plain(word))
            return false;
        found++;
    }
    return found == times;
}

// --- Sleeps in between ---

// The words of the turn as they are in memory now. The system copies them, and says where one is
// not mapped any more.
static bool add_values(uint64_t *hash, uint32_t begin)
{
    static struct iovec from[MOST_WORDS];
    static uint64_t values[MOST_WORDS * WM_MAX_ACCESS_BYTES / sizeof(uint64_t) + 1];
    const struct wm_host_recorder *recorder = &wm_host_recorder;
    size_t count = 0, bytes = 0;
    for (uint32_t i = begin; i < recorder->count; i++) {
        uint64_t word = recorder->words[i];
        if (wm_host_word_bytes(word) == 0)
            continue;
        from[count++] = (struct iovec){.iov_base = (void *)(uintptr_t)wm_host_word_address(word),
                                       .iov_len = wm_host_word_bytes(word)};
        bytes += wm_host_word_bytes(word);
    }
    struct iovec to = {.iov_base = values, .iov_len = bytes};
    if (bytes >= sizeof values)
        return false;
    values[bytes / sizeof values[0]] = 0; // which may be copied in part
    int reason = errno;
    bool copied = count == 0 || real_syscall(SYS_process_vm_readv, getpid(), (long)&to, 1,
                                             (long)from, (long)count, 0) == (long)bytes;
    errno = reason;
    if (!copied)
        return false;
    for (size_t i = 0; i * sizeof values[0] < bytes; i++)
        *hash = wm_host_mix(*hash, values[i]);
    return true;
}

// Marks are left out: how many instructions they count may differ by one.
void wm_host_poll_turn(struct wm_host_poll *poll, uint32_t begin, uint64_t passed)
{
    static uint64_t others; // a turn that is like no other
    const struct wm_host_recorder *recorder = &wm_host_recorder;
    if (recorder->count < begin || recorder->count - begin > MOST_WORDS) {
        poll->since = wm_host_mix(poll->since, ~others++);
        return;
    }
    for (uint32_t i = begin; i < recorder->count; i++)
        if (wm_host_word_bytes(recorder->words[i]) != 0)
            poll->since = wm_host_mix(poll->since, recorder->words[i]);
    poll->since = wm_host_mix(poll->since, passed);
    poll->known_since = poll->known_since && passed == 0 && add_values(&poll->state_since, begin);
}

void wm_host_poll_unknown(struct wm_host_poll *poll)
{
    poll->known_since = false;
}

void wm_host_poll_note_state(struct wm_host_poll *poll, const void *stack_end)
{
    uint64_t state = 0;
    poll->noted = poll->known_since && stack_end != NULL && wm_host_thread_state(stack_end, &state);
    poll->state_since = wm_host_mix(poll->state_since, state);
}

// Values are looked at from the second time on alone.
bool wm_host_poll_waits(struct wm_host_poll *poll, uint64_t streak, uint64_t now)
{
    bool is_same = poll->has_waited && poll->since == poll->before;
    bool known = poll->known_since && poll->noted;
    bool repeats =
        is_same && known && poll->known_before && poll->state_since == poll->state_before;
    if (poll->streak != streak || !is_same)
        poll->looks = poll->repeats = 0;
    poll->streak = streak;
    poll->looks += is_same;
    if (!repeats || poll->repeats == 0)
        poll->repeats_since = now;
    poll->repeats = repeats ? poll->repeats + 1 : 0;
    poll->has_waited = true;
    poll->before = poll->since;
    poll->state_before = poll->state_since;
    poll->known_before = known;
    poll->since = poll->state_since = 0;
    poll->known_since = is_same && wm_host_is_live();
    poll->noted = false;
    return is_same;
}

bool wm_host_poll_looks(const struct wm_host_poll *poll, uint64_t streak, uint64_t now)
{
    (void)now;
    return poll->streak == streak && poll->looks > 0;
}

bool wm_host_poll_repeats(const struct wm_host_poll *poll, uint64_t streak, uint64_t now)
{
    return poll->streak == streak && poll->repeats >= REPEATS &&
           now - poll->repeats_since >= REPEATS_NANOSECONDS;
}
