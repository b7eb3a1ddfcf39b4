// What the keys of gpu.dram say of a channel in time.
#ifndef WM_MACHINE_DRAM_H
#define WM_MACHINE_DRAM_H

#include "base/error.h"
#include "machine/machine.h"
#include "mem/dram/dram_spec.h"

// One channel of the machine, for wm_dram_channel_new: with a device, its timings under the
// controller that the keys describe; without one, a fixed latency behind the channel's part of
// gpu.dram.bandwidth, in cycles of the memory clock, gpu.dram.access bytes a request. WM_INVALID
// when the keys do not fit together, which wm_machine_load has checked.
enum wm_status wm_machine_dram_channel(const struct wm_machine *machine,
                                       struct wm_dram_channel_spec *spec, struct wm_error *error);

#endif
