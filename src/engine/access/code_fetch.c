// Instruction fetches. PTX instructions stand for the machine's own: each takes as many bytes of a
// kernel's code (gpu.instruction.bytes). A CPU core's lie where its trace says.
#include "engine/session/session_state.h"
#include "engine/walk/request_batch.h"

// Where code lies: above every device address and the page table (mem/translation/tlb.h).
#define CODE_BASE (UINT64_C(3) << 61)
// At least a line of any cache, so that no two kernels share one.
enum { CODE_ALIGNMENT = 1024 };

uint64_t wm_session_place_code(struct wm_session *session, uint32_t instruction_count)
{
    uint64_t address = CODE_BASE + session->code_bytes;
    uint64_t bytes = (uint64_t)instruction_count * session->machine.sm.instruction_bytes;
    session->code_bytes += (bytes + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
    return address;
}

// Fetches the lines that [begin, begin + bytes) lies in, but for the one that the warp is in.
static void fetch_lines(struct wm_front_end *front_end, uint32_t pc, uint64_t begin, uint64_t bytes)
{
    uint32_t line_bytes = front_end->side_cache_line_bytes[WM_SIDE_CACHE_INSTRUCTION];
    uint64_t line_mask = ~(uint64_t)(line_bytes - 1);
    uint64_t line = begin & line_mask, last = (begin + bytes - 1) & line_mask;
    uint64_t *held = &front_end->code_lines[front_end->warp];
    struct wm_line_request fetched = {.sectors = UINT32_MAX >> (32 - line_bytes / WM_SECTOR_BYTES)};
    const struct wm_request_head head = {
        .item = WM_BATCH_SIDE_CACHE,
        .pc = pc,
        .sm = front_end->sm,
        .warp = front_end->warp,
        .count = 1,
        .kind = WM_ACCESS_LOAD,
        .side_cache = WM_SIDE_CACHE_INSTRUCTION,
    };
    for (bool more = true; more; line += line_bytes) {
        more = line != last;
        if (line == *held)
            continue;
        *held = line;
        fetched.line_address = line;
        front_end->fetches->requests++;
        front_end->fetches->sectors += line_bytes / WM_SECTOR_BYTES;
        if (front_end->batcher == NULL) {
            wm_front_end_serve_side_cache(front_end, &head, &fetched);
            continue;
        }
        *wm_request_batcher_room(front_end->batcher) = fetched;
        wm_request_batcher_add(front_end->batcher, head);
    }
}

static void count_machine_code(struct wm_front_end *front_end,
                               const struct wm_warp_stretch *stretch)
{
    struct wm_machine_code_counters *counters = front_end->machine_code;
    for (uint32_t pc = stretch->first_pc; pc < stretch->first_pc + stretch->count; pc++) {
        counters->machine_instructions += front_end->machine_slots[pc];
        counters->folded_instructions += front_end->machine_slots[pc] == 0;
    }
}

static void fetch(struct wm_front_end *front_end, const struct wm_warp_stretch *stretch)
{
    if (front_end->code_places == NULL) {
        uint64_t bytes = front_end->instruction_bytes;
        fetch_lines(front_end, stretch->first_pc,
                    front_end->code_address + stretch->first_pc * bytes, stretch->count * bytes);
        return;
    }
    for (uint32_t pc = stretch->first_pc; pc < stretch->first_pc + stretch->count; pc++) {
        const struct wm_code_place *place = &front_end->code_places[pc];
        if (place->bytes > 0)
            fetch_lines(front_end, pc, place->address, place->bytes);
    }
}

void wm_front_end_execute(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_front_end *front_end = context;
    if (front_end->machine_slots != NULL)
        count_machine_code(front_end, stretch);
    if (front_end->code_lines != NULL)
        fetch(front_end, stretch);
}
