#include "base/names/kernel_names.h"

#include "base/names/demangle.h"
#include "base/numbers/random.h"
#include "base/text/text.h"
#include "base/text/text_width.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 64 };

struct named {
    struct wm_arena arena;
    struct wm_kernel_name names[MOST];
};

static void find(struct named *it, const char *const *signatures, uint32_t count)
{
    wm_arena_init(&it->arena);
    cr_assert(wm_kernel_names_find(signatures, count, &it->arena, it->names));
}

static void expect(const char *const *signatures, const char *const *wholes,
                   const char *const *parts)
{
    struct named it;
    uint32_t count = 0;
    while (signatures[count] != NULL)
        count++;
    find(&it, signatures, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_str_eq(it.names[i].whole, wholes[i], "%s", it.names[i].whole);
        cr_expect_str_eq(it.names[i].part, parts[i], "%s", it.names[i].part);
    }
    wm_arena_release(&it.arena);
}

#define EXPECT(...) expect(__VA_ARGS__)
#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(kernel_names, one_alone_is_its_own_name)
{
    EXPECT(TEXTS("void cub::CUB_300001::Reduce<cub::CUB_300001::Policy<int, 4>, float*>(float*)"),
           TEXTS("cub::CUB_300001::Reduce<cub::CUB_300001::Policy<int, 4>, float*>"),
           TEXTS("…::Reduce<…>"));
    EXPECT(TEXTS("saxpy(float*, int)"), TEXTS("saxpy"), TEXTS("saxpy"));
    EXPECT(TEXTS("vecadd"), TEXTS("vecadd"), TEXTS("vecadd"));
    EXPECT(TEXTS("void f<4>(int)"), TEXTS("f<4>"), TEXTS("f<4>"));
    EXPECT(TEXTS("void n::f<4>(int)"), TEXTS("n::f<4>"), TEXTS("n::f<4>"));
}

Test(kernel_names, what_all_share_is_left_out)
{
    EXPECT(TEXTS("void cub::CUB_3::Reduce<cub::CUB_3::Policy<int>, int*, unsigned int>(int*)",
                 "void cub::CUB_3::Reduce<cub::CUB_3::Policy<float>, float*, unsigned int>(float*)",
                 "void cub::CUB_3::Scan<cub::CUB_3::Policy<int>, int*>(int*)"),
           TEXTS("cub::CUB_3::Reduce<cub::CUB_3::Policy<int>, int*, unsigned int>",
                 "cub::CUB_3::Reduce<cub::CUB_3::Policy<float>, float*, unsigned int>",
                 "cub::CUB_3::Scan<cub::CUB_3::Policy<int>, int*>"),
           TEXTS("…::Reduce<…, int*, …>", "…::Reduce<…, float*, …>", "…::Scan<…>"));
}

// Each has what tells it from the others, whatever these need.
Test(kernel_names, one_needs_less_than_others)
{
    EXPECT(TEXTS("void lib::reduce<lib::policy<256>, float>()",
                 "void lib::reduce<lib::policy<512>, float>()",
                 "void lib::reduce<lib::policy<256>, int>()"),
           TEXTS("lib::reduce<lib::policy<256>, float>", "lib::reduce<lib::policy<512>, float>",
                 "lib::reduce<lib::policy<256>, int>"),
           TEXTS("…::reduce<…::policy<256>, float>", "…::reduce<…::policy<512>, …>",
                 "…::reduce<…, int>"));
}

Test(kernel_names, only_a_part_of_an_argument_differs)
{
    EXPECT(TEXTS("void lib::agent<lib::policy<256, lib::first>, lib::length<long>>()",
                 "void lib::agent<lib::policy<512, lib::first>, lib::length<long>>()"),
           TEXTS("lib::agent<lib::policy<256, lib::first>, lib::length<long>>",
                 "lib::agent<lib::policy<512, lib::first>, lib::length<long>>"),
           TEXTS("…::agent<…::policy<256, …>, …>", "…::agent<…::policy<512, …>, …>"));
}

Test(kernel_names, namespaces_that_differ_stay)
{
    EXPECT(TEXTS("library::first::step(int)", "library::second::step(int)",
                 "library::(anonymous namespace)::move(int)"),
           TEXTS("library::first::step", "library::second::step",
                 "library::(anonymous namespace)::move"),
           TEXTS("…::first::step", "…::second::step", "…::move"));
}

Test(kernel_names, overloads_have_parameters)
{
    EXPECT(TEXTS("space::scale(float*, long)", "space::scale(double*, long)", "space::other(int)"),
           TEXTS("space::scale(float*, long)", "space::scale(double*, long)", "space::other"),
           TEXTS("…::scale(float*, …)", "…::scale(double*, …)", "…::other"));
}

Test(kernel_names, different_numbers_of_arguments)
{
    EXPECT(TEXTS("void apply<first, second>()", "void apply<first, second, third>()"),
           TEXTS("apply<first, second>", "apply<first, second, third>"),
           TEXTS("apply<…>", "apply<…, third>"));
}

Test(kernel_names, what_is_no_name_stays_whole)
{
    EXPECT(TEXTS("operator<<(a", "f<g<h", "x::>y", ""), TEXTS("operator<<(a", "f<g<h", "x::>y", ""),
           TEXTS("operator<<(a", "f<g<h", "x::>y", ""));
}

Test(kernel_names, the_same_symbol_of_two_modules)
{
    EXPECT(TEXTS("ns::f(int)", "ns::f(int)", "ns::g(int)"), TEXTS("ns::f", "ns::f", "ns::g"),
           TEXTS("…::f", "…::f", "…::g"));
}

Test(kernel_names, real_ones_of_thrust)
{
    static const char *const mangled[] = {
        "_ZN3cub16CUB_300001_SM_5218DeviceReduceKernelINS0_18DeviceReducePolicyIifiN4cuda3std3"
        "__44plusIiEEE9Policy600EPiEEvT0_",
        "_ZN3cub16CUB_300001_SM_5218DeviceReduceKernelINS0_18DeviceReducePolicyIfifN4cuda3std3"
        "__44plusIfEEE9Policy600EPfEEvT0_"};
    const char *signatures[2];
    struct named it;
    struct wm_text text[2];
    for (int i = 0; i < 2; i++) {
        wm_text_init(&text[i]);
        wm_demangle(mangled[i], &text[i]);
        signatures[i] = text[i].data;
    }
    find(&it, signatures, 2);
    cr_expect_str_eq(it.names[0].part, "…::DeviceReduceKernel<…, int*>");
    cr_expect_str_eq(it.names[1].part, "…::DeviceReduceKernel<…, float*>");
    wm_arena_release(&it.arena);
    wm_text_release(&text[0]);
    wm_text_release(&text[1]);
}

// ---- Any names ---------------------------------------------------------------------------------

static void add_argument(struct wm_text *text, struct wm_random *random, int depth);

static void add_path(struct wm_text *text, struct wm_random *random, int depth)
{
    static const char *const words[] = {
        "a", "cub", "reduce", "Policy", "größe", "…", "(anonymous namespace)", "{lambda(int)#1}"};
    uint64_t components = 1 + wm_random_below(random, 3);
    for (uint64_t i = 0; i < components; i++) {
        wm_text_format(text, "%s%s", i > 0 ? "::" : "", words[wm_random_below(random, 8)]);
        if (depth > 0 && wm_random_below(random, 2)) {
            wm_text_add(text, "<");
            uint64_t arguments = wm_random_below(random, 4);
            for (uint64_t j = 0; j < arguments; j++) {
                wm_text_add(text, j > 0 ? ", " : "");
                add_argument(text, random, depth - 1);
            }
            wm_text_add(text, wm_random_below(random, 4) ? ">" : " >");
        }
    }
}

static void add_argument(struct wm_text *text, struct wm_random *random, int depth)
{
    static const char *const simple[] = {
        "int", "float*", "4", "(int)256", "void (*)(int, float)", "&f", "char const*", "T"};
    if (wm_random_below(random, 2))
        wm_text_add(text, simple[wm_random_below(random, 8)]);
    else
        add_path(text, random, depth);
}

static void add_noise(struct wm_text *text, struct wm_random *random)
{
    static const char likely[] = "<>(){}[],:: …\xc3\xa4\xffT";
    for (uint64_t left = 1 + wm_random_below(random, 24); left > 0; left--)
        wm_text_append(text, &likely[wm_random_below(random, sizeof likely - 1)], 1);
}

static void add_signature(struct wm_text *text, struct wm_random *random)
{
    if (wm_random_below(random, 8) == 0) {
        add_noise(text, random);
        return;
    }
    wm_text_add(text, wm_random_below(random, 2) ? "void " : "");
    add_path(text, random, 3);
    wm_text_add(text, "(");
    if (wm_random_below(random, 2))
        add_argument(text, random, 1);
    wm_text_add(text, ")");
}

static void assert_distinct(const char *const *signatures, const struct wm_kernel_name *names,
                            uint32_t a, uint32_t b)
{
    bool same = strcmp(signatures[a], signatures[b]) == 0;
    cr_assert_eq(same, strcmp(names[a].whole, names[b].whole) == 0, "%s\n%s\n%s", signatures[a],
                 signatures[b], names[a].whole);
    cr_assert_eq(same, strcmp(names[a].part, names[b].part) == 0, "%s\n%s\n%s", signatures[a],
                 signatures[b], names[a].part);
}

static unsigned width(const char *text)
{
    return wm_text_width(text, strlen(text));
}

// Whether each character of the name that is there has all its bytes, as they were.
static bool is_whole_utf8(const char *text)
{
    for (const unsigned char *it = (const unsigned char *)text; *it; it++) {
        int more = *it >= 0xF0 ? 3 : *it >= 0xE0 ? 2 : *it >= 0xC0 ? 1 : 0;
        if (*it >= 0x80 && more == 0)
            return false;
        for (; more > 0; more--)
            if ((*++it & 0xC0) != 0x80)
                return false;
    }
    return true;
}

Test(kernel_names, random_ones_are_distinct_in_any_order)
{
    struct wm_random random;
    wm_random_init(&random, 1, "kernel names");
    for (int turn = 0; turn < 2000; turn++) {
        struct wm_text texts[MOST];
        const char *signatures[MOST], *turned[MOST];
        struct named it, other;
        uint32_t count = 1 + (uint32_t)wm_random_below(&random, turn % 10 == 0 ? MOST - 1 : 8);
        for (uint32_t i = 0; i < count; i++) {
            wm_text_init(&texts[i]);
            add_signature(&texts[i], &random);
            signatures[i] = texts[i].data;
        }
        for (uint32_t i = 0; i < count; i++)
            turned[i] = signatures[count - 1 - i];
        find(&it, signatures, count);
        find(&other, turned, count);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < i; j++)
                assert_distinct(signatures, it.names, i, j);
            cr_assert_str_eq(it.names[i].part, other.names[count - 1 - i].part);
            cr_assert_str_eq(it.names[i].whole, other.names[count - 1 - i].whole);
            if (is_whole_utf8(signatures[i]))
                cr_assert(is_whole_utf8(it.names[i].part), "%s", it.names[i].part);
        }
        for (uint32_t i = 0; i < count; i++)
            wm_text_release(&texts[i]);
        wm_arena_release(&it.arena);
        wm_arena_release(&other.arena);
    }
}

Test(kernel_names, a_width_takes_the_part_where_the_whole_is_too_wide)
{
    const char *const signatures[] = {"void ns::long_name<first, 4>(int)",
                                      "void ns::long_name<second, 4>(int)"};
    struct named it;
    find(&it, signatures, 2);
    unsigned whole = width(it.names[0].whole), signature = width(signatures[0]);
    cr_assert_str_eq(wm_kernel_name_within(&it.names[0], whole), "ns::long_name<first, 4>");
    cr_assert_str_eq(wm_kernel_name_within(&it.names[0], whole - 1), it.names[0].part);
    cr_assert_lt(width(it.names[0].part), whole);
    cr_assert_str_eq(wm_kernel_heading_within(&it.names[0], signature), signatures[0]);
    cr_assert_str_eq(wm_kernel_heading_within(&it.names[0], signature - 1), it.names[0].whole);
    cr_assert(wm_kernel_name_on_gpu(&it.names[0], 1, &it.arena));
    signature += width(" on gpu1");
    cr_assert_str_eq(wm_kernel_heading_within(&it.names[0], signature),
                     "void ns::long_name<first, 4>(int) on gpu1");
    cr_assert_str_eq(wm_kernel_heading_within(&it.names[0], signature - 1),
                     "ns::long_name<first, 4> on gpu1");
    cr_assert_str_eq(wm_kernel_name_within(&it.names[0], whole), it.names[0].part);
    wm_arena_release(&it.arena);
}
