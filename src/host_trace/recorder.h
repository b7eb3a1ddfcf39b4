// The accesses of a traced program on their way to the process that writes them. All of it is
// static: an allocation here would move the program's own.
//
// Thread rules: only the thread whose turn it is (turns.h) makes accesses.
#ifndef WM_HOST_TRACE_RECORDER_H
#define WM_HOST_TRACE_RECORDER_H

#include "host_trace/access_word.h"

#include <stddef.h>

enum {
    WM_HOST_RECORDER_WORDS = 8192,
    WM_HOST_LIVE_CHANNEL = 99999, // in place of a socket's number; no process has so many
};

struct wm_host_recorder {
    bool on;      // between warpmem_trace_begin() and warpmem_trace_end()
    bool several; // threads take turns: accesses count for them even where none is recorded
    bool ended;   // all has been sent: what its last destructors do is not
    bool traces;  // a process writes what is sent to `channel`
    int channel;  // a socket, or WM_HOST_LIVE_CHANNEL; -1: this process is not traced
    // What takes the buffered accesses in place of the process that writes a trace, or before it;
    // NULL: nothing does.
    void (*takes)(void);
    const char *mode; // what the user has set, as messages name it
    uint32_t count;
    uint32_t limit; // of `count`: where the buffer or the thread's turn ends
    uint64_t last;  // the access before, of the same turn
    uint64_t frame; // of the words, where it is sent
    uint64_t words[WM_HOST_RECORDER_WORDS];
    uint64_t codes[WM_HOST_RECORDER_WORDS]; // by word: the code's address; of a mark 0
};

extern struct wm_host_recorder wm_host_recorder;
// One more than the calling thread's number; 0: not one that takes turns.
extern _Thread_local uint32_t wm_host_thread __attribute__((tls_model("initial-exec")));

// Of the calling thread: instructions that it has executed and that are not in the trace yet, less
// its accesses, each of which stands for one. Negative where instructions made several.
extern _Thread_local int64_t wm_host_counted __attribute__((tls_model("initial-exec")));

// Sends the buffered records. Where the process that writes the trace has ended, it has printed
// why, and the program ends with status 2.
void wm_host_recorder_send(void);
// To the process that writes the trace alone, where there is one; they stay in the buffer.
void wm_host_recorder_send_words(void);
// Behind the last words: the program has ended, and the trace is whole.
void wm_host_recorder_send_end(void);
// Says that `what` cannot be traced, with what to do about it, and ends the program.
_Noreturn void wm_host_recorder_refuse(const char *what, const char *hint);
// The same after something else has been printed.
_Noreturn void wm_host_recorder_end_refused(void);
_Noreturn void wm_host_recorder_refuse_thread(void);
// `channel` and whether to record from here on; behind wm_host_turns_start().
void wm_host_recorder_start(int channel, bool on);

// Where a turn may end (turns.h): before the access `word`, which with others that must not be
// parted from it takes `words` of the buffer. There is room for them afterwards.
void wm_host_turn_point(uint64_t word, uint32_t words);
// Puts a mark into the trace behind what the thread has done, which has the turn.
void wm_host_turn_mark(uint64_t word);
// The same where accesses are not recorded.
void wm_host_unrecorded(uint64_t word);
// Behind accesses that were put without looking at the limit.
void wm_host_turn_overdrawn(void);

// Puts the counted instructions of the calling thread into the trace; there are some.
void wm_host_put_counted(void);

// Whether to record what is about to happen, from access `word` on: `words` of them.
static inline bool wm_host_begin(uint64_t word, uint32_t words)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    if (!__atomic_load_n(&recorder->on, __ATOMIC_RELAXED)) {
        if (__builtin_expect(recorder->several, false))
            wm_host_unrecorded(word);
        return false;
    }
    if (__builtin_expect(wm_host_thread == 0, false))
        wm_host_recorder_refuse_thread();
    if (--wm_host_counted > 0)
        wm_host_put_counted();
    if (__builtin_expect(recorder->count + words > recorder->limit || word == recorder->last,
                         false))
        wm_host_turn_point(word, words);
    recorder->last = word;
    return true;
}

// Behind a wm_host_begin() that has found room. `code`: where the call returns to that the compiler
// has put before the access; NULL of a mark.
static inline void wm_host_put(uint64_t word, const void *code)
{
    uint32_t at = wm_host_recorder.count++;
    wm_host_recorder.words[at] = word;
    wm_host_recorder.codes[at] = (uintptr_t)code;
}

// Of any number of accesses behind one wm_host_begin(): a copy is not parted by other threads'
// turns. wm_host_turn_overdrawn() follows the last.
static inline void wm_host_put_many(const volatile void *address, size_t bytes, bool store,
                                    const void *code)
{
    if (wm_host_recorder.count == WM_HOST_RECORDER_WORDS) {
        wm_host_recorder_send();
        wm_host_recorder.limit = 0;
    }
    wm_host_put(wm_host_access_word((uintptr_t)address, bytes, store), code);
}

// Threads meet at a place: what the calling thread does from here on comes behind what others had
// done when they released it. Without several threads, or a trace, nothing.
static inline bool wm_host_meets(void)
{
    return wm_host_recorder.several && wm_host_recorder.traces && wm_host_thread != 0 &&
           !wm_host_recorder.ended;
}

static inline void wm_host_acquire(const volatile void *place)
{
    if (wm_host_meets())
        wm_host_turn_mark(wm_host_acquire_word(place));
}

static inline void wm_host_release(const volatile void *place)
{
    if (wm_host_meets())
        wm_host_turn_mark(wm_host_release_word(place));
}

static inline void wm_host_record(const volatile void *address, size_t bytes, bool store,
                                  const void *code)
{
    uint64_t word = wm_host_access_word((uintptr_t)address, bytes, store);
    if (wm_host_begin(word, 1))
        wm_host_put(word, code);
}

#endif
