#include "cli/process/resources.h"

#include "base/files/resource_folders.h"

static const struct wm_companion companions[] = {
    [WM_RESOURCE_MACHINES] = {"the folder of machine presets", "WARPMEM_MACHINES",
                              "share/warpmem/machines", NULL, "machines"},
    [WM_RESOURCE_CUDA_LIBRARIES] = {"the folder of warpmem's CUDA runtime",
                                    "WARPMEM_CUDA_LIBRARIES", "lib/warpmem", "src/cuda", NULL},
    [WM_RESOURCE_WORKLOADS] = {"the folder of workloads", "WARPMEM_WORKLOADS",
                               "share/warpmem/workloads", NULL, "workloads"},
    [WM_RESOURCE_CUDA_HEADERS] = {"the folder of warpmem's CUDA headers", "WARPMEM_CUDA_HEADERS",
                                  "lib/warpmem/include", NULL, "include/warpmem/cuda"},
    [WM_RESOURCE_HOST_LIBRARIES] = {"the folder of warpmem's library for traced programs",
                                    "WARPMEM_HOST_LIBRARIES", "lib/warpmem", "src/host_trace",
                                    NULL},
};

enum wm_status wm_resource_find(enum wm_resource resource, char *path, size_t size,
                                struct wm_error *error)
{
    return wm_resource_folder_find(&companions[resource], path, size, error);
}
