#include "gpu_litmus.h"

#include <inttypes.h>
#include <string.h>

const char *const litmus_form_names[FORMS] = {
    [FORM_WEAK] = "weak",
    [FORM_WEAK_FENCED] = "weak, fence.sc",
    [FORM_RELAXED] = "relaxed",
    [FORM_RELAXED_FENCED] = "relaxed, fence.sc",
    [FORM_ORDERED] = "release, acquire",
};

// A line of the kernel; instructions are counted.
static void add(struct gpu_litmus *kernel, uint32_t *pc, const char *line)
{
    wm_text_format(&kernel->text, "%s\n", line);
    ++*pc;
}

// Before the scope; "": weak.
static const char *semantics_of(enum litmus_form form, const struct litmus_step *step,
                                uint32_t number)
{
    switch (form) {
    case FORM_RELAXED:
    case FORM_RELAXED_FENCED: return ".relaxed.";
    case FORM_ORDERED:
        return number == 0 && !step->store  ? ".acquire."
               : number == 1 && step->store ? ".release."
                                            : "";
    case FORM_WEAK:
    case FORM_WEAK_FENCED:
    case FORMS: break;
    }
    return "";
}

static void write_step(struct gpu_litmus *kernel, uint32_t *pc, enum litmus_form form,
                       const struct litmus_step *step, uint32_t number)
{
    const char *semantics = semantics_of(form, step, number);
    const char *scope = *semantics != '\0' ? kernel->scope : "";
    if (step->store)
        wm_text_format(&kernel->text, "st%s%s.global.u32 [%%rd1+%d], %d;\n", semantics, scope,
                       step->location * LITMUS_APART, step->value);
    else
        wm_text_format(&kernel->text, "ld%s%s.global.u32 %%r%d, [%%rd1+%d];\n", semantics, scope,
                       10 + step->value, step->location * LITMUS_APART);
    ++*pc;
}

// What it will load is in its L1 before it goes on.
static void write_warming(struct gpu_litmus *kernel, uint32_t *pc, const struct litmus_step *step)
{
    wm_text_format(&kernel->text, "ld.global.u32 %%r5, [%%rd1+%d];\n",
                   step->location * LITMUS_APART);
    ++*pc;
    add(kernel, pc, "and.b32 %r5, %r5, 0;");
    add(kernel, pc, "cvt.u64.u32 %rd3, %r5;");
    add(kernel, pc, "add.u64 %rd2, %rd2, %rd3;");
}

static void write_thread(struct gpu_litmus *kernel, uint32_t *pc, const struct litmus_test *test,
                         enum litmus_form form, uint32_t thread)
{
    bool fenced = form == FORM_WEAK_FENCED || form == FORM_RELAXED_FENCED;
    wm_text_format(&kernel->text, "T%" PRIu32 ":\nld.param.u64 %%rd2, [d%" PRIu32 "];\n", thread,
                   thread);
    ++*pc;
    const struct litmus_step *last = NULL;
    for (uint32_t i = 0; i < test->steps_of[thread]; i++)
        if (!test->steps[thread][i].store)
            last = &test->steps[thread][i];
    if (last != NULL)
        write_warming(kernel, pc, last);
    wm_text_format(&kernel->text, "L%" PRIu32 ":\n", thread);
    add(kernel, pc, "setp.eq.u64 %p1, %rd2, 0;");
    wm_text_format(&kernel->text, "@%%p1 bra E%" PRIu32 ";\n", thread);
    ++*pc;
    add(kernel, pc, "sub.u64 %rd2, %rd2, 1;");
    wm_text_format(&kernel->text, "bra L%" PRIu32 ";\nE%" PRIu32 ":\n", thread, thread);
    ++*pc;
    for (uint32_t i = 0; i < test->steps_of[thread]; i++) {
        if (fenced && i != 0) {
            wm_text_format(&kernel->text, "fence.sc.%s;\n", kernel->scope);
            ++*pc;
        }
        kernel->pcs[thread][i] = *pc;
        write_step(kernel, pc, form, &test->steps[thread][i], i);
    }
    add(kernel, pc, "ret;");
}

void gpu_litmus_write(struct gpu_litmus *kernel, const struct litmus_test *test,
                      enum litmus_form form, const char *scope)
{
    uint32_t pc = 0;
    kernel->scope = scope;
    kernel->first_pc = 0;
    wm_text_init(&kernel->text);
    wm_text_format(&kernel->text,
                   ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 "
                   "p, .param .u64 d0, .param .u64 d1, .param .u64 d2, .param .u64 d3)\n{\n"
                   ".reg .b32 %%r<20>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\n");
    add(kernel, &pc, "ld.param.u64 %rd1, [p];");
    add(kernel, &pc, "mov.u32 %r1, %ctaid.x;");
    for (uint32_t thread = 1; thread < test->threads; thread++) {
        wm_text_format(&kernel->text,
                       "setp.eq.u32 %%p1, %%r1, %" PRIu32 ";\n@%%p1 bra T%" PRIu32 ";\n", thread,
                       thread);
        pc += 2;
    }
    for (uint32_t thread = 0; thread < test->threads; thread++)
        write_thread(kernel, &pc, test, form, thread);
    wm_text_format(&kernel->text, "}\n");
}

bool litmus_form_orders(const struct litmus_test *test, enum litmus_form form)
{
    if (form == FORM_ORDERED)
        return strcmp(test->name, "MP") == 0 || strcmp(test->name, "LB") == 0 ||
               strcmp(test->name, "S") == 0;
    return form == FORM_WEAK_FENCED || form == FORM_RELAXED_FENCED;
}
