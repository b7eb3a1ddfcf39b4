// Launches with attributes: cooperative ones, clusters, priorities; and attributes of streams (CUDA
// Runtime API reference, "Execution Control", "Stream Management"). Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_LAUNCH_FUNCTIONS_H
#define WARPMEM_CUDA_LAUNCH_FUNCTIONS_H

#include "graph_types.h"

struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
};
typedef struct cudaLaunchAttribute_st cudaLaunchAttribute;
struct cudaLaunchConfig_st {
    struct dim3 gridDim;
    struct dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};
typedef struct cudaLaunchConfig_st cudaLaunchConfig_t;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function,
                                void **arguments);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache(void);
#ifdef __cplusplus
}

// What is given becomes the kernel's parameters' types first.
template <class... Parameters, class... Given>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *configuration,
                                             void (*kernel)(Parameters...), Given... given)
{
    return [&](Parameters... converted) {
        void *arguments[] = {(void *)&converted..., nullptr};
        return ::cudaLaunchKernelExC(configuration, (const void *)kernel, arguments);
    }(given...);
}
#endif

#endif
