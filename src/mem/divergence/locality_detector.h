// Whether coherent loads come back to their lines: the victim cache and the coherent load profiler
// of DaCache (ICS 2015, section 4.2). One warp is watched, the oldest of the SM's first scheduler:
// lines that its coherent loads fetched are kept with the instruction for a while. One that is
// requested again, by that instruction or another, shows that the instruction that fetched it has
// locality; one that is displaced before shows that it has none. What is known of an instruction
// stays known as long as there is room, and its requests are watched no longer.
//
// What the paper leaves open: whose request for a line shows locality. Section 1 calls it a warp's,
// "re-referenced by their fetching warps", so the instruction does not matter: loads of neighbours,
// as of a stencil, fetch for one another. The victim cache takes lines when they are fetched, which
// are more than those displaced; both tables displace what they took first. Private to
// mem/divergence/.
#ifndef WM_MEM_DIVERGENCE_LOCALITY_DETECTOR_H
#define WM_MEM_DIVERGENCE_LOCALITY_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_DETECTOR_LINES = 16, WM_DETECTOR_LOADS = 32 };

enum wm_locality { WM_LOCALITY_UNKNOWN, WM_LOCALITY_SOME, WM_LOCALITY_NONE };

struct wm_watched_line {
    uint64_t line;
    uint32_t pc;
};

struct wm_profiled_load {
    uint32_t pc;
    uint8_t locality; // enum wm_locality; unknown: free
};

// All zero is a new one.
struct wm_locality_detector {
    struct wm_watched_line lines[WM_DETECTOR_LINES];
    struct wm_profiled_load loads[WM_DETECTOR_LOADS];
    uint32_t line_count, next_line; // the oldest of a full table is next
    uint32_t next_load;
};

// What is known of the load at `pc`.
enum wm_locality wm_locality_of(const struct wm_locality_detector *detector, uint32_t pc);

// The watched warp's coherent load at `pc` requests `line`, and fetches it where it is `missing`.
void wm_locality_watch(struct wm_locality_detector *detector, uint32_t pc, uint64_t line,
                       bool missing);

#endif
