// What batches of copies and of operations on words are made of, where NVIDIA's header is not
// there.
#ifndef BATCH_TYPES_H
#define BATCH_TYPES_H

#include "driver_api.h"

#ifndef TOOLKIT
typedef struct {
    int srcAccessOrder;
    CUmemLocation srcLocHint, dstLocHint;
    unsigned flags;
} CUmemcpyAttributes;
typedef struct {
    int type;
    union {
        struct {
            CUdeviceptr ptr;
            size_t rowLength, layerHeight;
            CUmemLocation locHint;
        } ptr;
    } op;
} CUmemcpy3DOperand;
typedef struct {
    size_t width, height, depth;
} CUextent3D;
typedef struct {
    CUmemcpy3DOperand src, dst;
    CUextent3D extent;
    int srcAccessOrder;
    unsigned flags;
} CUDA_MEMCPY3D_BATCH_OP;
typedef unsigned cuuint32_t;
typedef union {
    int operation;
    struct {
        int operation;
        CUdeviceptr address;
        union {
            cuuint32_t value;
            cuuint64_t value64;
        };
        unsigned flags;
        CUdeviceptr alias;
    } waitValue, writeValue;
    struct {
        int operation;
        unsigned flags;
    } memoryBarrier;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams;
#endif

#endif
