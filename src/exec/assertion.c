// Device-side assert: see assertion.h.
#include "exec/assertion.h"

#include "exec/findings.h"
#include "exec/frames.h"

// A string in device memory, cut to `size`; the kernel may have passed anything.
static const char *read_string(const struct wm_grid *grid, uint64_t address, char *text,
                               size_t size)
{
    const struct wm_allocation *at = wm_device_memory_find(grid->memory, address);
    size_t length = 0;
    while (at && length + 1 < size && address + length < at->address + at->size_bytes) {
        char c = ((const char *)(uintptr_t)address)[length];
        if (!c)
            break;
        text[length++] = c;
    }
    text[length] = 0;
    return text;
}

const struct wm_op *wm_run_assert(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_assert_form *form = op->assertion;
    const struct wm_grid *grid = warp->grid;
    unsigned lane = (unsigned)__builtin_ctzll(warp->mask);
    const char *params =
        wm_frame_params(&grid->decoded->functions[form->caller], warp->bases[WM_BASE_FRAME], lane);
    uint64_t message, file, function;
    uint32_t line;
    memcpy(&message, params + form->message, sizeof(message));
    memcpy(&file, params + form->file, sizeof(file));
    memcpy(&line, params + form->line, sizeof(line));
    memcpy(&function, params + form->function, sizeof(function));
    char texts[3][192], whole[640];
    snprintf(whole, sizeof(whole), "%s:%u: %s: assertion `%s` failed",
             read_string(grid, file, texts[0], sizeof(texts[0])), line,
             read_string(grid, function, texts[1], sizeof(texts[1])),
             read_string(grid, message, texts[2], sizeof(texts[2])));
    return wm_finding_assert(warp, op, lane, whole);
}
