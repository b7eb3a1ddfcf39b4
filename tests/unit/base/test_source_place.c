#include "base/names/source_location.h"

#include <criterion/criterion.h>

Test(source_place, headers_of_toolkits_and_compilers)
{
    static const char *const files[] = {
        "/usr/local/cuda/bin/../targets/x86_64-linux/include/device_atomic_functions.hpp",
        "/usr/local/cuda-13.0/include/cccl/cuda/std/__functional/operations.h",
        "/opt/cuda/include/cooperative_groups.h",
        "/opt/nvidia/hpc_sdk/cuda/12.4/targets/sbsa-linux/include/cub/cub.cuh",
        "/home/me/.venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include/"
        "sm_32_intrinsics.hpp",
        "/home/me/.venv/lib/python3.11/site-packages/nvidia/cu13/include/cuda_fp16.hpp",
        "/usr/include/sm_32_intrinsics.hpp",
        "/usr/lib/llvm-14/lib/clang/14.0.6/include/__clang_cuda_builtin_vars.h",
        "/usr/local/include/warpmem/cuda/device_load_functions.h",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        cr_expect(wm_is_toolkit_file(files[i]), "%s", files[i]);
}

Test(source_place, the_programs_own)
{
    static const char *const files[] = {
        "app.cu",
        "",
        "include/tile.cuh",
        "/include/tile.cuh",
        "/srv/cuda-samples/Common/include/helper.h",
        "/srv/cuda-samples/include/helper.h",
        "/srv/nvidia/app/src/app.cu",
        "/srv/cutlass/include/cutlass/gemm.h",
        "/srv/cudafy/include/a.h",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        cr_expect_not(wm_is_toolkit_file(files[i]), "%s", files[i]);
}
