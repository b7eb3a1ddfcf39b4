#include "host_trace/polls.h"

#include "host_trace/recorder.h"

enum { MOST_WORDS = 256 }; // of a turn that may be one of a thread that polls

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
