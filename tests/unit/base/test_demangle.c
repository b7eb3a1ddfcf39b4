#include "base/demangle.h"

#include <criterion/criterion.h>

static void expect(const struct wm_demangler *demangler, const char *name, const char *expected)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_demangle(demangler, name, &text);
    cr_assert_str_eq(text.data, expected);
    wm_text_release(&text);
}

Test(demangle, readable_names)
{
    struct wm_demangler demangler;
    wm_demangler_init(&demangler);
    if (demangler.function == NULL)
        cr_skip_test("this machine has no libstdc++.so.6");
    expect(&demangler, "_Z6vecaddPKfS0_Pfj",
           "vecadd(float const*, float const*, float*, unsigned int)");
    expect(&demangler, "_Z6reduceILj256EfEvPKT0_PS0_i",
           "void reduce<256u, float>(float const*, float*, int)");
    wm_demangler_release(&demangler);
}

Test(demangle, names_that_are_not_mangled_stay)
{
    struct wm_demangler demangler;
    wm_demangler_init(&demangler);
    expect(&demangler, "vecadd", "vecadd");
    expect(&demangler, "i", "i"); // a mangled type, but not a mangled name
    expect(&demangler, "_Z", "_Z");
    expect(&demangler, "_Zwhatever is this", "_Zwhatever is this");
    wm_demangler_release(&demangler);
}

Test(demangle, without_a_demangler_names_stay)
{
    const struct wm_demangler none = {0};
    expect(&none, "_Z6vecaddPKfS0_Pfj", "_Z6vecaddPKfS0_Pfj");
}
