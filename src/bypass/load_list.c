#include "bypass/load_list.h"

#include "machine/bypass_list.h"

#include <inttypes.h>
#include <string.h>

struct wm_load_hint wm_bypass_own_hint(const struct wm_bypass_load *load)
{
    bool bypasses = load->statement != NULL && wm_ptx_has(load->statement->instruction, WM_PTX_cg);
    return (struct wm_load_hint){bypasses ? WM_LOAD_CG : WM_LOAD_CA, WM_LOAD_L2_NORMAL};
}

static bool shares_name(const struct wm_bypass_program *program, uint32_t number)
{
    for (uint32_t k = 0; k < program->kernel_count; k++)
        if (k != number && strcmp(program->kernels[k].profiled->name,
                                  program->kernels[number].profiled->name) == 0)
            return true;
    return false;
}

static void list_word(const struct wm_bypass_kernel *kernel, uint32_t load, enum wm_load_word word,
                      struct wm_text *list)
{
    wm_text_format(list, ",%s:pc%" PRIu32 "=%s", kernel->profiled->name,
                   kernel->profiled->loads[load].pc, wm_load_word_name(word));
}

static void list_kernel(const struct wm_bypass_program *program, uint32_t number,
                        wm_load_hint_finder *hint_of, const void *context, struct wm_text *list)
{
    const struct wm_bypass_kernel *kernel = &program->kernels[number];
    if (shares_name(program, number))
        wm_text_format(list, ",%s:hash=%016" PRIx64, kernel->profiled->name, kernel->ptx_hash);
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
        struct wm_load_hint own = wm_bypass_own_hint(&kernel->loads[i]),
                            chosen = hint_of(context, number, i);
        if (chosen.l1 != own.l1)
            list_word(kernel, i, chosen.l1, list);
        if (chosen.l2 != own.l2)
            list_word(kernel, i, chosen.l2, list);
    }
}

enum wm_status wm_bypass_make_list(const struct wm_bypass_program *program,
                                   wm_load_hint_finder *hint_of, const void *context,
                                   struct wm_text *setting, struct wm_error *error)
{
    static const char key[] = "gpu.l1.bypass_list=";
    struct wm_text list;
    wm_text_init(&list);
    for (uint32_t k = 0; k < program->kernel_count; k++)
        list_kernel(program, k, hint_of, context, &list);
    wm_text_init(setting);
    wm_text_add(setting, key);
    wm_text_add(setting, list.length != 0 ? list.data + 1 : "none"); // without its comma
    bool failed = list.failed || setting->failed;
    wm_text_release(&list);
    if (failed)
        return wm_fail_no_memory(error, "a list of loads");
    size_t length = setting->length - strlen(key);
    if (length < WM_BYPASS_LIST_BYTES)
        return WM_OK;
    wm_fail(error, WM_LIMIT,
            "the decisions of loads take %zu characters to list, and a machine's list holds %d",
            length, WM_BYPASS_LIST_BYTES - 1);
    return wm_error_hint(error, "choose fewer kernels with --kernel");
}

const struct wm_kernel_result *wm_bypass_result_of(const struct wm_results *results,
                                                   const struct wm_bypass_kernel *kernel)
{
    for (uint32_t i = 0; i < results->kernel_count; i++)
        if (strcmp(results->kernels[i].name, kernel->profiled->name) == 0 &&
            strcmp(results->kernels[i].module, kernel->profiled->module) == 0)
            return &results->kernels[i];
    return NULL;
}
