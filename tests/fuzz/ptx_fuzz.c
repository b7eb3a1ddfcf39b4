// Arbitrary bytes as PTX: parsing must end in a module or an error with a place; a module prints,
// parses again to an equal one, and every function of it has a control-flow graph.
#include "ptx/control_flow.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct wm_ptx_function *function)
{
    struct wm_ptx_control_flow *flow;
    if (wm_ptx_control_flow_build(function, &flow, NULL) != WM_OK)
        return;
    for (uint32_t i = 0; i < flow->block_count; i++) {
        assert(flow->blocks[i].first < flow->blocks[i].end);
        uint32_t post_dominator = flow->blocks[i].post_dominator;
        assert(post_dominator == WM_PTX_NO_BLOCK || post_dominator < flow->block_count);
    }
    wm_ptx_control_flow_free(flow);
}

static void check_round_trip(const struct wm_ptx_module *module)
{
    struct wm_text text, difference;
    struct wm_ptx_module *again;
    struct wm_error error;
    wm_text_init(&text);
    wm_text_init(&difference);
    wm_ptx_print(module, &text);
    assert(!text.failed);
    if (wm_ptx_parse(text.data, text.length, "print", &again, &error) != WM_OK) {
        char shown[2048];
        fprintf(stderr, "%s", wm_error_format(&error, shown, sizeof shown));
        abort();
    }
    if (!wm_ptx_module_equal(module, again, &difference)) {
        fprintf(stderr, "%s\n", difference.data);
        abort();
    }
    wm_ptx_module_free(again);
    wm_text_release(&text);
    wm_text_release(&difference);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    if (wm_ptx_parse((const char *)data, size, "fuzz.ptx", &module, &error) != WM_OK) {
        assert(!module && error.message[0] && error.place[0]);
        return 0;
    }
    for (uint32_t i = 0; i < module->item_count; i++)
        if (module->items[i].kind == WM_PTX_ITEM_FUNCTION)
            check_graph(module->items[i].function);
    check_round_trip(module);
    wm_ptx_module_free(module);
    return 0;
}
