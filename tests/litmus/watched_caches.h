// What coherent caches in time read and write for a litmus test (wm_coherent_caches_new is wrapped,
// so that they call functions of this file). A load has seen what its cache read, the last time
// where it was made again. Every read and write has to find the data of the line's last write: the
// test ends where a cache has an old copy.
#ifndef WM_TESTS_WATCHED_CACHES_H
#define WM_TESTS_WATCHED_CACHES_H

#include "gpu_litmus.h"

enum { WATCHED_LINE_SHIFT = 7 };

// Of a test whose thread t makes its accesses at the t-th cache without children, modulo
// LITMUS_THREADS; and whose locations begin at the address.
void watched_begin(const struct litmus_test *test, uint64_t address);
void watched_end(struct litmus_outcome *outcome);

#endif
