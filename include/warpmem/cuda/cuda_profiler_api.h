// cudaProfilerStart() and cudaProfilerStop(): declared with the rest of the runtime API.
#ifndef WARPMEM_CUDA_PROFILER_API_H
#define WARPMEM_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
