// Instruction fetches. PTX instructions stand for the machine's own: each takes as many bytes of a
// kernel's code (gpu.instruction.bytes). A CPU core's lie where its trace says.
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

// Fetches the lines that [begin, begin + bytes) lies in, but for the one that the warp is in.
static void fetch_lines(struct wm_walk_tracer *tracer, uint32_t pc, uint64_t begin, uint64_t bytes)
{
    uint32_t line_bytes = tracer->beside_line_bytes[WM_BESIDE_INSTRUCTION];
    uint64_t line_mask = ~(uint64_t)(line_bytes - 1);
    uint64_t line = begin & line_mask, last = (begin + bytes - 1) & line_mask;
    uint64_t *held = &tracer->code_lines[tracer->warp];
    struct wm_coalesced fetched = {.sectors = UINT32_MAX >> (32 - line_bytes / WM_SECTOR_BYTES)};
    const struct wm_request_head head = {
        .item = WM_FEED_BESIDE,
        .pc = pc,
        .sm = tracer->sm,
        .warp = tracer->warp,
        .count = 1,
        .kind = WM_ACCESS_LOAD,
        .beside = WM_BESIDE_INSTRUCTION,
    };
    for (bool more = true; more; line += line_bytes) {
        more = line != last;
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

void wm_walk_fetch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_walk_tracer *tracer = context;
    if (tracer->code_places == NULL) {
        uint64_t bytes = tracer->instruction_bytes;
        fetch_lines(tracer, stretch->first_pc, tracer->code_address + stretch->first_pc * bytes,
                    stretch->count * bytes);
        return;
    }
    for (uint32_t pc = stretch->first_pc; pc < stretch->first_pc + stretch->count; pc++) {
        const struct wm_code_place *place = &tracer->code_places[pc];
        if (place->bytes > 0)
            fetch_lines(tracer, pc, place->address, place->bytes);
    }
}
