// Barriers, fences, clocks and traps (CUDA C++ Programming Guide, "Synchronization Functions",
// "Memory Fence Functions", "Time Function"). __syncthreads() is clang's own.
#ifndef WARPMEM_CUDA_DEVICE_BARRIER_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_BARRIER_FUNCTIONS_H

#include "host_defines.h"

#include <time.h>

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

WARPMEM_DEVICE_ int __syncthreads_count(int predicate)
{
    return __nvvm_bar0_popc(predicate);
}
WARPMEM_DEVICE_ int __syncthreads_and(int predicate)
{
    return __nvvm_bar0_and(predicate);
}
WARPMEM_DEVICE_ int __syncthreads_or(int predicate)
{
    return __nvvm_bar0_or(predicate);
}
WARPMEM_DEVICE_ void __syncwarp(unsigned int mask = 0xffffffffu)
{
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
