// The types of the runtime API and the vectors, under the name that older programs include.
#ifndef WARPMEM_CUDA_BUILTIN_TYPES_H
#define WARPMEM_CUDA_BUILTIN_TYPES_H

#include "driver_types.h"
#include "vector_types.h"

#endif
