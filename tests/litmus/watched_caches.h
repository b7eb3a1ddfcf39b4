// What coherent caches in time read and write for a litmus test (wm_coherent_caches_new is wrapped,
// so that they call functions of this file). A load has seen what its cache read, the last time
// where it was made again. Every read and write has to find the data of the line's last write: the
// test ends where a cache has an old copy.
#ifndef WM_TESTS_WATCHED_CACHES_H
#define WM_TESTS_WATCHED_CACHES_H

#include "gpu_litmus.h"
#include "mem/cache/cache.h"

enum { WATCHED_LINE_SHIFT = 7 };

// Of a test whose thread t makes its accesses at the t-th cache without children, modulo
// LITMUS_THREADS; and whose locations begin at the address.
void watched_begin(const struct litmus_test *test, uint64_t address);
void watched_end(struct litmus_outcome *outcome);

// Where SMs' L1s are not coherent, and their packets come to a coherent level: the threads' steps
// that caches make, of cores then, and the accesses of packets, each when its level reads or
// writes.
struct watched_listener {
    void (*step)(uint32_t thread, const struct litmus_step *step);
    void (*packet)(const struct wm_requester *who, bool store, uint64_t line);
};
// As watched_begin; `outcome` of watched_end is what caches have made alone.
void watched_listen(const struct litmus_test *test, uint64_t address,
                    const struct watched_listener *listener);

#endif
