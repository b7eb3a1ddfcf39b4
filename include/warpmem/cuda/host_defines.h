// The qualifiers of CUDA C (CUDA C++ Programming Guide, "Function Execution Space Specifiers" and
// "Variable Memory Space Specifiers") as attributes of clang. A plain C or C++ compiler, which sees
// only host code, gets empty ones, so that a .c file may include <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_HOST_DEFINES_H
#define WARPMEM_CUDA_HOST_DEFINES_H

#if defined(__CUDA__) && defined(__clang__)

// Programs test this name to know whether a CUDA compiler reads them.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))

// How our own device functions are declared. nodebug lets the line tables name the caller's line: a
// report about __ldg() or a shuffle should point into the program.
#define WARPMEM_DEVICE_ static __inline__ __device__ __attribute__((always_inline, nodebug, unused))

#else

#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __launch_bounds__(...)

#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
// The word also stands inside an attribute of libstdc++; bits/shared_ptr_base.h next to this file
// hides the macro there.
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#ifdef __cplusplus
#define __restrict__ __restrict
#endif
#define CUDARTAPI
#define CUDART_CB

#endif
