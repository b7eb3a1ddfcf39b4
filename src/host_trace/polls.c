#include "host_trace/polls.h"

#include "host_trace/live.h"
#include "host_trace/recorder.h"

#include <string.h>

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

static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

// Marks are left out: how many instructions they count may differ by one.
void wm_host_poll_turn(struct wm_host_poll *poll, uint32_t begin, uint64_t passed)
{
    static uint64_t others; // a turn that is like no other
    const struct wm_host_recorder *recorder = &wm_host_recorder;
    if (recorder->count < begin || recorder->count - begin > MOST_WORDS) {
        poll->since = mix(poll->since, ~others++);
        return;
    }
    for (uint32_t i = begin; i < recorder->count; i++)
        if (wm_host_word_bytes(recorder->words[i]) != 0)
            poll->since = mix(poll->since, recorder->words[i]);
    poll->since = mix(poll->since, passed);
}

bool wm_host_poll_waits(struct wm_host_poll *poll)
{
    bool is_same = poll->since == poll->before;
    poll->before = poll->since;
    poll->since = 0;
    return is_same;
}
