// Which launches each launch has to be behind, from what the commands of a program are ordered
// behind: launches, copies, events and whatever else a program issues, in order of issue. Commands
// that are no launches take no time of the device; a recording knows launches alone, and has for
// each the launches that it is behind, directly or by way of other commands. Launches that the host
// has waited for need not be named any more, nor those that others named are behind.
//
// Thread rules: one thread at a time.
#ifndef WM_TRACE_LAUNCH_ORDER_H
#define WM_TRACE_LAUNCH_ORDER_H

#include "trace/recording.h"

#include <stddef.h>

struct wm_launch_order;

struct wm_order_command {
    uint64_t id; // as later commands name it: not below those before; 0: none will
    bool behind_all;
    const uint64_t *behind; // ids; 0 and those that were never met are allowed
    size_t behind_count;
    // The host had waited for all commands with such an id and below, and for those of `ended`.
    uint64_t ended_up_to;
    const uint64_t *ended;
    size_t ended_count;
};

// NULL when out of memory. Launches from number `launches` on are met; those before have ended.
struct wm_launch_order *wm_launch_order_new(uint64_t launches);
// NULL is allowed.
void wm_launch_order_free(struct wm_launch_order *order);
// The next command. False when out of memory, like the others: then nothing that follows is right.
bool wm_launch_order_command(struct wm_launch_order *order, const struct wm_order_command *command);
// What the command is behind, to be written: its `concurrent`, `behind`, and what the host has
// waited for since that was written last. Its numbers are borrowed until the next call.
bool wm_launch_order_write(struct wm_launch_order *order, struct wm_recorded_order *order_out);
// The command is a launch: of the next number.
bool wm_launch_order_launched(struct wm_launch_order *order);

#endif
