// References of another program, as the requests that the walk engine makes of its instructions:
// one request an instruction, many instructions a run.
#include "mem/system/memory_state.h"

#include <assert.h>

enum { TOGETHER = 256 };

static inline uint64_t fill_line(const struct wm_memory *memory, uint64_t reference,
                                 struct wm_line_request *line)
{
    uint64_t address = reference & ~WM_REFERENCE_STORE,
             within = address & (memory->request_bytes - 1);
    *line = (struct wm_line_request){.line_address = address - within,
                                     .sectors = UINT32_C(1) << (within / WM_SECTOR_BYTES)};
    return address;
}

static inline enum wm_access_kind kind_of(uint64_t reference)
{
    return (reference & WM_REFERENCE_STORE) != 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
}

// A run does not say which bytes its requests touch.
static void access_bytes(struct wm_memory *memory, const struct wm_request *who,
                         const uint64_t *references, size_t count)
{
    uint32_t bytes[WM_MAX_LINE_SECTORS];
    struct wm_request request = *who;
    request.bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        struct wm_line_request line;
        uint64_t address = fill_line(memory, references[i], &line);
        request.kind = kind_of(references[i]);
        request.address = line.line_address;
        request.sectors = line.sectors;
        bytes[__builtin_ctz(line.sectors)] = UINT32_C(0xf) << (address % WM_SECTOR_BYTES);
        wm_memory_translate(memory, &request, &request.address, 1);
        wm_memory_access(memory, &request);
    }
}

void wm_memory_access_references(struct wm_memory *memory, const struct wm_request *who,
                                 const uint64_t *references, size_t count)
{
    assert(who->pc == 0 && who->instruction_counters == NULL);
    if (wm_memory_needs_byte_masks(memory) || memory->shadows != NULL) {
        access_bytes(memory, who, references, count);
        return;
    }
    struct wm_request_head heads[TOGETHER];
    struct wm_line_request lines[TOGETHER];
    for (size_t i = 0; i < count && i < TOGETHER; i++)
        heads[i] = (struct wm_request_head){.sm = who->sm,
                                            .warp = who->warp,
                                            .count = 1,
                                            .hint = (uint8_t)who->hint,
                                            .around_l1 = who->around_l1,
                                            .resident_warps = (uint16_t)who->resident_warps};
    for (size_t done = 0; done < count;) {
        uint32_t now = count - done < TOGETHER ? (uint32_t)(count - done) : TOGETHER;
        for (uint32_t i = 0; i < now; i++) {
            fill_line(memory, references[done + i], &lines[i]);
            heads[i].kind = (uint8_t)kind_of(references[done + i]);
        }
        const struct wm_request_run run = {.heads = heads,
                                           .count = now,
                                           .line_count = now,
                                           .lines = lines,
                                           .counters_by_pc = &memory->unattributed,
                                           .listed = &who->listed,
                                           .next_sm = who->sm};
        wm_memory_access_run(memory, &run);
        done += now;
    }
    wm_memory_drain_l2_queues(memory);
}
