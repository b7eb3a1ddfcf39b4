// Barriers, fences, clocks and traps (CUDA C++ Programming Guide, "Synchronization Functions",
// "Memory Fence Functions", "Time Function").
#ifndef WARPMEM_CUDA_DEVICE_BARRIER_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_BARRIER_FUNCTIONS_H

#include "host_defines.h"

#include <time.h>

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// clang 14 holds its barriers for something that reads memory and never changes it, and moved reads
// of a function's shared variables from behind a barrier to before it. An empty statement that may
// change memory keeps them where they are.
#define WARPMEM_MEMORY_MAY_CHANGE_() asm volatile("" ::: "memory")

WARPMEM_DEVICE_ void __warpmem_syncthreads(void)
{
    WARPMEM_MEMORY_MAY_CHANGE_();
    __syncthreads(); // clang's own
}
#define __syncthreads __warpmem_syncthreads
WARPMEM_DEVICE_ int __syncthreads_count(int predicate)
{
    WARPMEM_MEMORY_MAY_CHANGE_();
    return __nvvm_bar0_popc(predicate);
}
WARPMEM_DEVICE_ int __syncthreads_and(int predicate)
{
    WARPMEM_MEMORY_MAY_CHANGE_();
    return __nvvm_bar0_and(predicate);
}
WARPMEM_DEVICE_ int __syncthreads_or(int predicate)
{
    WARPMEM_MEMORY_MAY_CHANGE_();
    return __nvvm_bar0_or(predicate);
}
WARPMEM_DEVICE_ void __syncwarp(unsigned int mask = 0xffffffffu)
{
    WARPMEM_MEMORY_MAY_CHANGE_();
    __nvvm_bar_warp_sync(mask);
}
WARPMEM_DEVICE_ void __threadfence_block(void)
{
    __nvvm_membar_cta();
}
WARPMEM_DEVICE_ void __threadfence(void)
{
    __nvvm_membar_gl();
}
WARPMEM_DEVICE_ void __threadfence_system(void)
{
    __nvvm_membar_sys();
}
WARPMEM_DEVICE_ clock_t clock(void)
{
    return __nvvm_read_ptx_sreg_clock();
}
WARPMEM_DEVICE_ long long clock64(void)
{
    return __nvvm_read_ptx_sreg_clock64();
}
WARPMEM_DEVICE_ void __nanosleep(unsigned int nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
WARPMEM_DEVICE_ void __trap(void)
{
    asm volatile("trap;");
}

#endif

#endif
