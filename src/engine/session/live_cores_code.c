#include "engine/session/live_cores_code.h"

#include "base/numbers/hash.h"

#include <inttypes.h>

static uint32_t number_of(struct wm_live_codes *codes, uint64_t code)
{
    enum { BUCKETS = sizeof codes->buckets / sizeof codes->buckets[0] };
    uint64_t at = wm_hash_u64(code) % BUCKETS;
    if (code == 0)
        return 0;
    while (codes->buckets[at] != 0 && codes->codes[codes->buckets[at] - 1] != code)
        at = (at + 1) % BUCKETS;
    if (codes->buckets[at] == 0 && codes->count < WM_LIVE_MOST_CODES) {
        codes->codes[codes->count++] = code;
        codes->buckets[at] = (uint16_t)codes->count;
    }
    return codes->buckets[at];
}

uint32_t wm_live_codes_pc(struct wm_live_codes *codes, const struct wm_host_access *access)
{
    // A fence is none of an instruction's accesses.
    uint32_t kind = access->kind < WM_LIVE_KINDS ? access->kind : (uint32_t)WM_ACCESS_ATOMIC;
    uint32_t number = number_of(codes, access->code);
    codes->kinds[number] |= (uint8_t)(1u << kind);
    return number * WM_LIVE_KINDS + kind;
}

void wm_live_codes_describe(const struct wm_live_codes *codes, uint32_t pc,
                            struct wm_instruction_facts *facts, struct wm_text *text)
{
    static const char *const names[WM_LIVE_KINDS] = {
        [WM_ACCESS_LOAD] = "load", [WM_ACCESS_STORE] = "store", [WM_ACCESS_ATOMIC] = "locked"};
    uint32_t number = pc / WM_LIVE_KINDS, kind = pc % WM_LIVE_KINDS;
    bool exists = (codes->kinds[number] >> kind & 1) != 0;
    *facts = (struct wm_instruction_facts){.exists = exists,
                                           .is_memory = exists,
                                           .kind = (enum wm_access_kind)kind,
                                           .space = WM_SPACE_GLOBAL};
    if (number != 0 && exists && codes->describe != NULL && text != NULL) {
        struct wm_host_code code = codes->describe(codes->codes[number - 1]);
        facts->source_file = code.file;
        facts->source_line = code.line;
        wm_text_format(text, "%s+0x%" PRIx64 " ", code.object, code.offset);
    }
    if (text != NULL)
        wm_text_add(text, names[kind]);
}
