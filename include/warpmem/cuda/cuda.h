// The CUDA driver API is not offered by this route: a program that calls cuLaunchKernel() and its
// kin does not compile. Many runtime programs include <cuda.h> all the same, for the version and
// the type names, and those are here.
#ifndef WARPMEM_CUDA_CUDA_H
#define WARPMEM_CUDA_CUDA_H

#define CUDA_VERSION 13000

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#endif
