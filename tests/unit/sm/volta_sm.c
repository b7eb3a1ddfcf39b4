#include "volta_sm.h"

struct wm_sm_spec volta_sm(void)
{
    return (struct wm_sm_spec){
        .count = 80,
        .warp_width = 32,
        .max_warps = 64,
        .max_threads = 2048,
        .max_blocks = 32,
        .max_threads_per_block = 1024,
        .registers = 65536,
        .max_registers_per_thread = 255,
        .register_allocation_unit = 256,
        .shared_bytes = 96 * 1024,
        .shared_bytes_per_block = 96 * 1024,
        .shared_allocation_unit = 256,
        .coalescer_line_bytes = 128,
    };
}
