// Which GPU's memory a device address lies in: each GPU of a machine has a range of addresses of
// its own, so that the address alone says it. The first GPU's is where the only one's is.
#ifndef WM_BASE_GPU_ADDRESSES_H
#define WM_BASE_GPU_ADDRESSES_H

#include <stdint.h>

#define WM_DEVICE_BASE UINT64_C(0x200000000000) // first device address

enum { WM_MOST_GPUS = 8, WM_GPU_ADDRESS_BITS = 40 }; // of a machine; of a GPU's range
#define WM_GPU_ADDRESSES (UINT64_C(1) << WM_GPU_ADDRESS_BITS)

// The bits of an address in which two addresses differ that lie in the same place of two GPUs'
// ranges.
#define WM_GPU_ADDRESS_MASK (UINT64_C(15) << WM_GPU_ADDRESS_BITS)

// Of a machine with `gpus` of them. `own` is the answer for what lies in no GPU's memory, or in
// that of each: the host's memory, local memory, code, page tables. Reserved addresses, which are
// above all GPUs' ranges (exec/memory/virtual_memory.h), are the first GPU's.
static inline uint32_t wm_gpu_of_address(uint64_t address, uint32_t gpus, uint32_t own)
{
    uint64_t range = (address - WM_DEVICE_BASE) >> WM_GPU_ADDRESS_BITS;
    return range < gpus ? (uint32_t)range : range < 16 ? 0 : own;
}

#endif
