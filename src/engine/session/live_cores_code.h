// The instructions of live cores: one for each kind of access at each place of the program's code,
// numbered as they come. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_LIVE_CORES_CODE_H
#define WM_ENGINE_SESSION_LIVE_CORES_CODE_H

#include "base/run/host_threads.h"
#include "engine/session/work.h"

enum {
    WM_LIVE_KINDS = WM_ACCESS_ATOMIC + 1,
    // Counters have a place for each of them from the begin; accesses of other code count together.
    WM_LIVE_MOST_CODES = 2048,
    WM_LIVE_INSTRUCTIONS = (WM_LIVE_MOST_CODES + 1) * WM_LIVE_KINDS,
};

struct wm_live_codes {
    // What a place of code is, once the program has ended; NULL: that is not known.
    struct wm_host_code (*describe)(uint64_t code);
    uint32_t count;
    uint64_t codes[WM_LIVE_MOST_CODES];       // by number less one
    uint8_t kinds[WM_LIVE_MOST_CODES + 1];    // by number, 0 all other code: bit by kind of access
    uint16_t buckets[2 * WM_LIVE_MOST_CODES]; // open addressing: a number, 0 is empty
};

// The instruction of an access, below WM_LIVE_INSTRUCTIONS.
uint32_t wm_live_codes_pc(struct wm_live_codes *codes, const struct wm_host_access *access);
// As wm_work_ops.describe, of an instruction that has come by then; others do not exist.
void wm_live_codes_describe(const struct wm_live_codes *codes, uint32_t pc,
                            struct wm_instruction_facts *facts, struct wm_text *text);

#endif
