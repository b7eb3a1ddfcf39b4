// The set of objects that programs hold handles of, against a plain list.
#include "cuda/handle_set.h"

#include <criterion/criterion.h>

enum { OBJECTS = 500, STEPS = 20000 };

Test(handle_set, agrees_with_a_list)
{
    static long long objects[OBJECTS][2];
    enum wm_cuda_handle_kind kinds[OBJECTS] = {WM_CUDA_HANDLE_NONE};
    struct wm_cuda_handle_set set = {0};
    uint32_t random = 1;
    cr_expect(!wm_cuda_handle_known(&set, objects[0], WM_CUDA_HANDLE_GRAPH));
    wm_cuda_handle_remove(&set, objects[0]);
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t i = (random >> 8) % OBJECTS;
        if (kinds[i] == WM_CUDA_HANDLE_NONE) {
            kinds[i] = random >> 31 ? WM_CUDA_HANDLE_NODE : WM_CUDA_HANDLE_EXEC;
            cr_assert(wm_cuda_handle_add(&set, objects[i], kinds[i]));
        } else {
            kinds[i] = WM_CUDA_HANDLE_NONE;
            wm_cuda_handle_remove(&set, objects[i]);
        }
        if (step % 100 != 0)
            continue;
        for (uint32_t j = 0; j < OBJECTS; j++) {
            cr_assert_eq(wm_cuda_handle_known(&set, objects[j], WM_CUDA_HANDLE_NODE),
                         kinds[j] == WM_CUDA_HANDLE_NODE);
            cr_assert_eq(wm_cuda_handle_known(&set, objects[j], WM_CUDA_HANDLE_EXEC),
                         kinds[j] == WM_CUDA_HANDLE_EXEC);
        }
    }
    cr_expect(!wm_cuda_handle_known(&set, NULL, WM_CUDA_HANDLE_NONE));
    for (uint32_t i = 0; i < OBJECTS; i++)
        wm_cuda_handle_remove(&set, objects[i]);
    cr_expect_null(set.root, "removed entries are not kept");
    wm_cuda_handle_set_free(&set);
}
