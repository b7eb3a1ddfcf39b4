// All of CUDA C that warpmem's compiler route offers: the runtime API, the launch syntax, the
// built-in variables and the device functions. `warpmem cc` includes it before the first line of
// every .cu file, as NVIDIA's compiler does with its own.
#ifndef WARPMEM_CUDA_RUNTIME_H
#define WARPMEM_CUDA_RUNTIME_H

#include "host_defines.h"

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

#include "channel_descriptor.h"
#include "reference_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "device_scoped_atomic_functions.h"
#include "math_functions.h"
#include "reference_fetch_functions.h"
#include "surface_functions.h"
#include "texture_fetch_functions.h"

// What clang calls for `kernel<<<grid, block, shared, stream>>>(…)`: the configuration is pushed
// here and popped by the kernel's stub, which then calls cudaLaunchKernel().
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
// The stub has one name of cudaLaunchKernel(): the thread's stream stands in the configuration.
extern "C" unsigned int warpmem_push_configuration_(
    dim3 grid, dim3 block, size_t shared_bytes,
    struct CUstream_st *stream) __asm__("__cudaPushCallConfiguration");
static inline unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                       size_t shared_bytes = 0,
                                                       struct CUstream_st *stream = 0)
{
    return warpmem_push_configuration_(grid, block, shared_bytes,
                                       stream ? stream : cudaStreamPerThread);
}
#else
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    struct CUstream_st *stream = 0);
#endif
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                                  void *stream);

#endif

#include "cuda_runtime_templates.h"

#endif
