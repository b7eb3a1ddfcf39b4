// threadIdx, blockIdx, blockDim, gridDim and warpSize (CUDA C++ Programming Guide, "Built-in
// Variables"), by clang's own header, which reads the PTX special registers.
#ifndef WARPMEM_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define WARPMEM_CUDA_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#include <__clang_cuda_builtin_vars.h>

// clang declares these conversions; the header with the vector types has to define them.
#define WARPMEM_CONVERSIONS_(variable)                        \
    inline __device__ __attribute__((always_inline, nodebug)) \
    __cuda_builtin_##variable##_t::operator dim3() const      \
    {                                                         \
        return dim3(x, y, z);                                 \
    }                                                         \
    inline __device__ __attribute__((always_inline, nodebug)) \
    __cuda_builtin_##variable##_t::operator uint3() const     \
    {                                                         \
        return uint3{x, y, z};                                \
    }

WARPMEM_CONVERSIONS_(threadIdx)
WARPMEM_CONVERSIONS_(blockIdx)
WARPMEM_CONVERSIONS_(blockDim)
WARPMEM_CONVERSIONS_(gridDim)

#undef WARPMEM_CONVERSIONS_

#endif

#endif
