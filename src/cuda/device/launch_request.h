// Launch requests of API functions: checked against the machine and the kernel, with what kernels
// of this kind need prepared. With the process locked.
#ifndef WM_CUDA_LAUNCH_REQUEST_H
#define WM_CUDA_LAUNCH_REQUEST_H

#include "cuda/process.h"

// Everything of a launch on the current device but its parameters; the configuration's stream is
// not looked at. A refusal is explained on stderr, once for each kernel. CUDA's codes: those of a
// function's kernel, and those of wm_cuda_check_launch and wm_cuda_check_cooperative.
wm_cuda_status wm_cuda_prepare_launch(struct wm_cuda_process *process,
                                      struct wm_cuda_function *function,
                                      const struct wm_cuda_configuration *configuration,
                                      struct wm_launch *launch);
// The parameter block, laid out as the PTX entry's .param list says, of `arguments`, the i-th of
// which points at the i-th parameter. 1 for a missing one, 2 without memory. *block is then NULL;
// the caller frees it.
wm_cuda_status wm_cuda_pack_parameters(const struct wm_kernel *kernel, void *const *arguments,
                                       uint8_t **block);
// 1, or 801 and a word on stderr, for a function of one kernel on each of several devices, whose
// blocks may wait for each other.
wm_cuda_status wm_cuda_refuse_multi_device(const char *function, unsigned count);
// Takes an attribute of a launch into the configuration, or ignores a hint; false for one that is
// not supported.
bool wm_cuda_take_attribute(const struct wm_cuda_launch_attribute *attribute,
                            struct wm_cuda_configuration *configuration);

// Attributes of cudaLaunchAttributeID: hints, those accepted with their default value alone, and
// the one that makes a launch cooperative.
enum wm_cuda_launch_attribute_id {
    WM_CUDA_LAUNCH_IGNORE = 0,
    WM_CUDA_LAUNCH_ACCESS_POLICY_WINDOW = 1, // a caching hint
    WM_CUDA_LAUNCH_COOPERATIVE = 2,
    WM_CUDA_LAUNCH_SYNCHRONIZATION_POLICY = 3, // of streams: how the host waits
    WM_CUDA_LAUNCH_CLUSTER_DIMENSION = 4,
    WM_CUDA_LAUNCH_CLUSTER_SCHEDULING = 5,
    WM_CUDA_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6, // allows overlap with the launch before
    WM_CUDA_LAUNCH_PRIORITY = 8,
    WM_CUDA_LAUNCH_MEMORY_DOMAIN_MAP = 9,
    WM_CUDA_LAUNCH_MEMORY_DOMAIN = 10,
    WM_CUDA_LAUNCH_SHARED_CARVEOUT = 14,
    WM_CUDA_LAUNCH_ATTRIBUTES = 17, // one more than the last
};

#endif
