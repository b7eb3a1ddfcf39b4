// What a traced program's threads wait for of each other, as a trace has it: "thread 2 goes on when
// thread 0 has made 40 accesses". It follows from the places at which they meet, that is locks,
// atomic variables, and variables that one reads in a loop until another has written them: who
// acquires a place comes behind all that its releasers had done. What follows from other waits is
// left out, by vector clocks (Mattern, "Virtual Time and Global States of Distributed Systems",
// 1989). Of the process that writes the trace (supervisor.h).
//
// Thread rules: one thread at a time. Memory grows with the number of places, and for each with the
// threads that have released it since another did.
#ifndef WM_HOST_TRACE_ORDER_H
#define WM_HOST_TRACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_HOST_ORDER_THREADS = 256 };

struct wm_host_order;

// NULL without memory.
struct wm_host_order *wm_host_order_new(void);
void wm_host_order_free(struct wm_host_order *order); // or NULL

// The thread meets others at a place: what it does from here on comes behind all releases before,
// and what acquires the place later behind all that it has done. False without memory.
void wm_host_order_acquire(struct wm_host_order *order, uint32_t thread, uint64_t place);
bool wm_host_order_release(struct wm_host_order *order, uint32_t thread, uint64_t place);

// Before an access of the thread (access_word.h): what it has to wait for is in `thread`'s waits.
// Returns whether there is any.
bool wm_host_order_before(struct wm_host_order *order, uint32_t thread, uint64_t word);
// The next of them, in order of threads; false behind the last, when the thread waits for nothing
// more.
bool wm_host_order_next_wait(struct wm_host_order *order, uint32_t thread, uint32_t *awaited,
                             uint64_t *accesses);
// Behind the access, which counts from here on. False without memory.
bool wm_host_order_after(struct wm_host_order *order, uint32_t thread, uint64_t word);

#endif
