// Instruction fetches. PTX instructions stand for the machine's own: each takes as many bytes of a
// kernel's code (gpu.instruction.bytes).
#include "engine/walk_feed.h"
#include "engine/walk_parts.h"

// Where code lies: above every device address and the page table (mem/translation/tlb.h).
#define CODE_BASE (UINT64_C(3) << 61)
// At least a line of any cache, so that no two kernels share one.
enum { CODE_ALIGNMENT = 1024 };

uint64_t wm_walk_place_code(struct wm_walk *walk, uint32_t instruction_count)
{
    uint64_t address = CODE_BASE + walk->code_bytes;
    uint64_t bytes = (uint64_t)instruction_count * walk->machine.sm.instruction_bytes;
    walk->code_bytes += (bytes + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
    return address;
}

void wm_walk_fetch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_walk_tracer *tracer = context;
    uint32_t line_bytes = tracer->beside_line_bytes[WM_BESIDE_INSTRUCTION];
    uint64_t line_mask = ~(uint64_t)(line_bytes - 1);
    uint64_t bytes = tracer->instruction_bytes;
    uint64_t begin = tracer->code_address + stretch->first_pc * bytes;
    uint64_t last = (begin + stretch->count * bytes - 1) & line_mask;
    uint64_t *held = &tracer->code_lines[tracer->warp];
    struct wm_coalesced fetched = {.sectors = UINT32_MAX >> (32 - line_bytes / WM_SECTOR_BYTES)};
    const struct wm_feed_head head = {
        .item = WM_FEED_BESIDE,
        .pc = stretch->first_pc,
        .sm = tracer->sm,
        .warp = tracer->warp,
        .count = 1,
        .kind = WM_ACCESS_LOAD,
        .beside = WM_BESIDE_INSTRUCTION,
    };
    for (uint64_t line = begin & line_mask; line <= last; line += line_bytes) {
        if (line == *held)
            continue;
        *held = line;
        fetched.line_address = line;
        tracer->fetches->requests++;
        tracer->fetches->sectors += line_bytes / WM_SECTOR_BYTES;
        if (tracer->feed == NULL) {
            wm_walk_serve_beside(tracer, &head, &fetched);
            continue;
        }
        *wm_feed_room(tracer->feed) = fetched;
        wm_feed_add(tracer->feed, head);
    }
}
