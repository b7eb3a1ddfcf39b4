// What WARPMEM_ISA allows, and what it refuses.
#include "base/host/processor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const enum wm_processor_isa all[] = {WM_PROCESSOR_C, WM_PROCESSOR_AVX2, WM_PROCESSOR_AVX512,
                                            WM_PROCESSOR_VBMI};

Test(processor, what_runs_one_build_runs_those_before_it)
{
    cr_expect(wm_processor_runs(WM_PROCESSOR_C));
    for (size_t i = 1; i < WM_PROCESSOR_ISAS; i++)
        cr_expect(!wm_processor_runs(all[i]) || wm_processor_runs(all[i - 1]), "build %zu", i);
}

Test(processor, the_best_is_the_last_that_runs_when_nothing_is_said)
{
    unsetenv("WARPMEM_ISA");
    enum wm_processor_isa best = wm_processor_best();
    cr_expect(wm_processor_runs(best));
    cr_expect(best == WM_PROCESSOR_VBMI || !wm_processor_runs(best + 1));
    setenv("WARPMEM_ISA", "", 1);
    cr_expect_eq(wm_processor_best(), best);
    cr_expect_eq(wm_processor_check(NULL), WM_OK);
}

Test(processor, the_environment_lowers_it_and_never_raises_it)
{
    unsetenv("WARPMEM_ISA");
    enum wm_processor_isa best = wm_processor_best();
    setenv("WARPMEM_ISA", "c", 1);
    cr_expect_eq(wm_processor_best(), WM_PROCESSOR_C);
    setenv("WARPMEM_ISA", "avx2", 1);
    cr_expect_eq(wm_processor_best(), best < WM_PROCESSOR_AVX2 ? best : WM_PROCESSOR_AVX2);
    setenv("WARPMEM_ISA", "avx512", 1);
    cr_expect_eq(wm_processor_best(), best);
}

Test(processor, names_are_those_of_the_environment)
{
    for (size_t i = 0; i < WM_PROCESSOR_ISAS; i++) {
        setenv("WARPMEM_ISA", wm_processor_isa_name(all[i]), 1);
        cr_expect_eq(wm_processor_check(NULL), WM_OK);
    }
    cr_expect_str_eq(wm_processor_isa_name(WM_PROCESSOR_VBMI), "avx512");
}

Test(processor, other_values_are_refused_with_the_cure)
{
    static const char *const values[] = {"foo", "AVX2", "avx", "c ", "avx512vbmi"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct wm_error error;
        setenv("WARPMEM_ISA", values[i], 1);
        cr_assert_eq(wm_processor_check(&error), WM_INVALID, "%s", values[i]);
        cr_expect_str_eq(error.place, "WARPMEM_ISA");
        cr_expect_not_null(strstr(error.message, values[i]));
        cr_expect_not_null(strstr(error.hint, "c, avx2 or avx512"));
    }
}
