// Which write each load of a litmus test has seen: where the data of a load come from says which
// version of the line it is, in both engines. The interpreter's memory is always current, so values
// do not say it. The functions by which requests come to caches are wrapped (-Wl,--wrap).
//
// A write is one of memory when it comes to L2, where the order of all is. A load that L1 serves
// has seen what L2 had when it served the fill of that copy; any other what L2 has when it serves
// it.
#ifndef WM_TESTS_OBSERVED_H
#define WM_TESTS_OBSERVED_H

#include "gpu_litmus.h"
#include "watched_caches.h"

// A launch of the kernel begins, whose locations begin at `address`; the copies that L1s have of
// launches before are gone.
void observed_begin(const struct litmus_test *test, const struct gpu_litmus *kernel,
                    uint64_t address);
// All loads have been served: what they have seen. Fails the test where one has not been.
void observed_end(struct litmus_outcome *outcome);
// How many second loads of a thread have seen a version of their line that was no longer the last
// when the thread's first load was made. Behind an acquire there is none.
uint32_t observed_stale(void);

// Where L2 and the cores' caches are coherent ones in time: what they report
// (struct watched_listener).
void observed_step(uint32_t thread, const struct litmus_step *step);
void observed_packet(const struct wm_requester *who, bool store, uint64_t line);

#endif
