// Barriers, fences, warp primitives, bit and conversion intrinsics of CUDA C, each by the PTX
// instruction that the CUDA C++ Programming Guide and the CUDA Math API name for it. Device code
// only.
#ifndef WARPMEM_CUDA_DEVICE_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_FUNCTIONS_H

#include "device_barrier_functions.h"
#include "device_bit_functions.h"
#include "device_load_functions.h"
#include "device_rounding_functions.h"
#include "device_runtime_functions.h"
#include "device_warp_functions.h"

#endif
