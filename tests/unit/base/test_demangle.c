#include "base/names/demangle.h"

#include <criterion/criterion.h>

static void expect(const char *name, const char *expected)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_demangle(name, &text);
    cr_assert_str_eq(text.data, expected);
    wm_text_release(&text);
}

Test(demangle, readable_names)
{
    expect("_Z6vecaddPKfS0_Pfj", "vecadd(float const*, float const*, float*, unsigned int)");
    expect("_Z6reduceILj256EfEvPKT0_PS0_i", "void reduce<256u, float>(float const*, float*, int)");
    expect("_ZN5tiles4sortINS_3RowIdEEEEvPT_m",
           "void tiles::sort<tiles::Row<double> >(tiles::Row<double>*, unsigned long)");
}

static void expect_name(const char *signature, const char *expected)
{
    size_t length;
    const char *name = wm_demangled_name(signature, &length);
    cr_expect_eq(length, strlen(expected), "%s", signature);
    cr_expect(strncmp(name, expected, length) == 0, "%s: %.*s", signature, (int)length, name);
}

Test(demangle, names_within_signatures)
{
    expect_name("vecadd", "vecadd");
    expect_name("vecadd(float const*, int)", "vecadd");
    expect_name("void ns::reduce<256u, float>(float const*, float*)", "ns::reduce<256u, float>");
    expect_name("void reduce<(int)256>(float*)", "reduce<(int)256>");
    expect_name("(anonymous namespace)::scan(int*)", "(anonymous namespace)::scan");
    expect_name("void ns::(anonymous namespace)::scan<int>(int*)",
                "ns::(anonymous namespace)::scan<int>");
    expect_name("", "");
}

Test(demangle, names_that_are_not_mangled_stay)
{
    expect("vecadd", "vecadd");
    expect("i", "i"); // a mangled type, but not a mangled name
    expect("_Z", "_Z");
    expect("_Zwhatever is this", "_Zwhatever is this");
    expect("_ZN5tiles4sort", "_ZN5tiles4sort"); // ends too soon
}
