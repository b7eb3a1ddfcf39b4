// Every allocation of a parse, a print and a graph is made to fail once: each failure is reported
// as such and leaks nothing (the address sanitizer watches).
#include "ptx_parse_check.h"

#include "ptx/control_flow.h"

// Allocations that may still succeed; -1 for all. The linker leads the allocator's callers here.
static long allowed = -1;

static bool refused(void)
{
    if (allowed == 0)
        return true;
    if (allowed > 0)
        allowed--;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refused() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __real_aligned_alloc(alignment, size);
}

// A text with something of each kind of list, long enough that every list grows.
static void write_source(struct wm_text *text)
{
    wm_text_add(text, PTX_HEADER ".file 1 \"a.cu\"\n.pragma \"once\";\n"
                                 ".global .b8 data[4000] = {1");
    for (int i = 1; i < 3000; i++)
        wm_text_format(text, ", %d", i % 256);
    wm_text_add(text, "};\n.global .f64 half = 0.5;\n.func (.param .b32 r) g(.param .b64 a);\n");
    wm_text_add(text, ".entry f(.param .u64 a) .maxntid 32 {\n.reg .pred %p<3>;\n"
                      ".reg .b32 %r<3000>;\nT: .branchtargets L0, L1;\nbrx.idx %r1, T;\n");
    for (int i = 0; i < 300; i++)
        wm_text_format(text,
                       "L%d: @%%p1 bra L%d;\n{ .reg .b64 x; .param .b32 o; mov.b64 x, {%%r%d, _};"
                       " call (o), g, (x); setp.ne.u32 %%p1|%%p2, %%r1, %d; }\n.loc 1 %d 1\n",
                       i, 299 - i, i, i, i);
    wm_text_add(text, "unknown.op 5;\n}\n.section .debug_x { .b8 1 }\n");
}

Test(memory, parse_reports_each_refusal)
{
    struct wm_text source;
    wm_text_init(&source);
    write_source(&source);
    enum wm_status status = WM_NO_MEMORY;
    long most = 0;
    for (; status != WM_OK; most++) {
        struct wm_ptx_module *module;
        struct wm_error error;
        allowed = most;
        status = wm_ptx_parse(source.data, source.length, "t.ptx", &module, &error);
        allowed = -1;
        cr_assert(status == WM_OK || status == WM_NO_MEMORY, "allocation %ld: %s", most,
                  error.message);
        cr_assert_eq(status == WM_OK, module != NULL);
        wm_ptx_module_free(module);
    }
    cr_assert_gt(most, 30);
    wm_text_release(&source);
}

Test(memory, print_and_graph_report_each_refusal)
{
    struct wm_text source;
    wm_text_init(&source);
    write_source(&source);
    struct wm_ptx_module *module = parse_or_fail(source.data);
    bool printed = false;
    for (long count = 0; !printed; count++) {
        struct wm_text text;
        wm_text_init(&text);
        allowed = count;
        wm_ptx_print(module, &text);
        allowed = -1;
        printed = !text.failed;
        wm_text_release(&text);
    }
    enum wm_status status = WM_NO_MEMORY;
    for (long count = 0; status != WM_OK; count++) {
        struct wm_ptx_control_flow *flow;
        allowed = count;
        status = wm_ptx_control_flow_build(only_function(module), &flow, NULL);
        allowed = -1;
        cr_assert(status == WM_OK || status == WM_NO_MEMORY);
        cr_assert_eq(status == WM_OK, flow != NULL);
        wm_ptx_control_flow_free(flow);
    }
    wm_ptx_module_free(module);
    wm_text_release(&source);
}
