// Frames of called functions: see frames.h.
#include "exec/frames.h"

uintptr_t wm_frame_new(struct wm_grid *grid, uint32_t function)
{
    struct wm_frame_pool *pool = &grid->frames[function];
    uint32_t bytes = grid->decoded->functions[function].frame_bytes;
    if (pool->free) {
        void *frame = pool->free;
        memcpy(&pool->free, frame, sizeof(pool->free));
        memset(frame, 0, sizeof(pool->free));
        return (uintptr_t)frame;
    }
    void *frame = aligned_alloc(64, bytes);
    if (frame)
        memset(frame, 0, bytes);
    return (uintptr_t)frame;
}

void wm_frame_free(struct wm_grid *grid, uint32_t function, uintptr_t frame)
{
    struct wm_frame_pool *pool = &grid->frames[function];
    memcpy((void *)frame, &pool->free, sizeof(pool->free));
    pool->free = (void *)frame;
}

void wm_frames_release(struct wm_grid *grid)
{
    for (uint32_t f = 0; f < grid->decoded->function_count; f++) {
        while (grid->frames[f].free) {
            void *frame = grid->frames[f].free;
            memcpy(&grid->frames[f].free, frame, sizeof(frame));
            free(frame);
        }
    }
}

void wm_frame_copy_in(const struct wm_warp *warp, const struct wm_call_form *call,
                      uintptr_t caller_frame, uintptr_t callee_frame)
{
    const struct wm_decoded_function *functions = warp->grid->decoded->functions;
    const struct wm_decoded_function *caller = &functions[call->caller];
    const struct wm_decoded_function *callee = &functions[call->function];
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        char *to = wm_frame_params(callee, callee_frame, lane);
        const char *from = wm_frame_params(caller, caller_frame, lane);
        for (uint32_t i = 0; i < call->in_count; i++)
            memcpy(to + call->in[i].callee, from + call->in[i].caller, call->in[i].bytes);
    }
}

void wm_frame_copy_out(const struct wm_warp *warp, const struct wm_call_form *call,
                       uintptr_t caller_frame, uintptr_t callee_frame, uint64_t lanes)
{
    const struct wm_decoded_function *functions = warp->grid->decoded->functions;
    const struct wm_decoded_function *caller = &functions[call->caller];
    const struct wm_decoded_function *callee = &functions[call->function];
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        char *to = wm_frame_params(caller, caller_frame, lane);
        const char *from = wm_frame_params(callee, callee_frame, lane);
        for (uint32_t i = 0; i < call->out_count; i++)
            memcpy(to + call->out[i].caller, from + call->out[i].callee, call->out[i].bytes);
    }
}
