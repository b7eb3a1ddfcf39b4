// What profilers say of warps' requests, computed from counters: sectors a request, and how many of
// the bytes moved were requested. A request is one warp instruction that reached memory, as in
// Nsight Compute, however many lines it touches. Private to study/.
#ifndef WM_STUDY_RUN_REPORT_REQUEST_RATIOS_H
#define WM_STUDY_RUN_REPORT_REQUEST_RATIOS_H

#include "base/names/counters.h"
#include "engine/session/results.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_REQUEST_RATIOS(X)                                                                       \
    X(sectors_per_request, "sectors/request", "32-byte sectors that a warp's request touches: sectors / executions") \
    X(bytes_used_percent, "percent", "bytes that lanes requested, of the bytes of the sectors touched: bytes_requested / (32 sectors), at most 100 (lanes may request the same bytes)")
// clang-format on

#define WM_RATIO_FIELD(name, unit, sentence) double name;
struct wm_request_ratios {
    WM_REQUEST_RATIOS(WM_RATIO_FIELD)
};
#undef WM_RATIO_FIELD
// Kind "instruction_ratios".
extern const struct wm_counter_set wm_request_ratio_set;

// Of enum wm_access_kind.
enum { WM_REQUEST_KINDS = WM_ACCESS_REDUCTION + 1 };

// Rounded to thousandths. False where no sector was touched.
bool wm_request_ratios_of(const struct wm_instruction_counters *counters,
                          struct wm_request_ratios *ratios);

// What a kernel's instructions of one kind caused, of those that reach beyond the SM.
struct wm_instruction_counters wm_kernel_requests(const struct wm_kernel_result *kernel,
                                                  enum wm_access_kind kind);

#endif
