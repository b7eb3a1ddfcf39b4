// Struct copies in LLVM's text form: a function in, what its copy became out.
#include "cli/cc/struct_copies.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char types[] = "%struct.float4 = type { float, float, float, float }\n"
                            "%struct.Mixed = type { float, i32, double }\n"
                            "%struct.Padded = type { i8, i32 }\n"
                            "%struct.Loose = type { [3 x float] }\n"
                            "%struct.Arms = type { i8*, %struct.Arms* }\n"
                            "%\"struct.ns::Packed<int>\" = type <{ i8, i32 }>\n"
                            "%union.U = type { double, [8 x i8] }\n"
                            "%struct.Opaque = type opaque\n";

static char *rewritten(const char *module)
{
    struct wm_text output;
    struct wm_error error;
    wm_text_init(&output);
    cr_assert_eq(wm_cc_lower_struct_copies(module, strlen(module), &output, &error), WM_OK);
    wm_text_add(&output, "");
    return wm_text_take(&output);
}

// Copies `size` bytes of `type` between memory of alignment `alignment`; `behind` ends the call.
static char *copied(const char *type, unsigned alignment, unsigned size, const char *behind)
{
    static char module[4096];
    snprintf(module, sizeof module,
             "%sdefine void @f(%s* %%0, %s* %%1) {\n"
             "  %%3 = bitcast %s* %%0 to i8*\n"
             "  %%4 = bitcast %s* %%1 to i8*\n"
             "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align %u %%3, i8* align %u %%4, i64 %u, "
             "i1 false)%s\n"
             "  ret void\n}\n",
             types, type, type, type, type, alignment, alignment, size, behind);
    return module;
}

// The types that are loaded, with their alignments, one after the other; "memcpy" when it stayed.
static void expect_loads(const char *module, const char *expected)
{
    char *output = rewritten(module), found[4096] = "", *at = output;
    if (strstr(output, "call void @llvm.memcpy"))
        snprintf(found, sizeof found, "memcpy");
    while ((at = strstr(at, "= load ")) != NULL) {
        char *comma = strchr(at, ','), *align = strstr(at, ", align "), *end;
        at += strlen("= load ");
        if (at[0] == '<')
            comma = strchr(at, '>') + 1;
        end = align + 2 + strcspn(align + 2, ",\n");
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s %.*s",
                 found[0] ? " | " : "", (int)(comma - at), at, (int)(end - align - 8), align + 8);
    }
    cr_expect_str_eq(found, expected, "%s\ngave %s\nnot %s", output, found, expected);
    free(output);
}

#define ASSIGNED ", !dbg !7, !tbaa.struct !9"

Test(cc_copies, one_vector_for_members_of_one_size)
{
    char *output = rewritten(copied("%struct.float4", 16, 16, ASSIGNED));
    const char *call = strstr(output, "  %copy.");
    cr_assert(call);
    cr_expect_str_eq(
        call, "  %copy.0.0.from.at = getelementptr inbounds i8, i8* %4, i64 0, !dbg !7\n"
              "  %copy.0.0.from = bitcast i8* %copy.0.0.from.at to <4 x float>*, !dbg !7\n"
              "  %copy.0.0 = load <4 x float>, <4 x float>* %copy.0.0.from, align 16, !dbg !7\n"
              "  %copy.0.0.to.at = getelementptr inbounds i8, i8* %3, i64 0, !dbg !7\n"
              "  %copy.0.0.to = bitcast i8* %copy.0.0.to.at to <4 x float>*, !dbg !7\n"
              "  store <4 x float> %copy.0.0, <4 x float>* %copy.0.0.to, align 16, !dbg !7\n"
              "  ret void\n}\n");
    free(output);
}

Test(cc_copies, as_the_alignment_allows)
{
    expect_loads(copied("%struct.Loose", 4, 12, ASSIGNED), "float 4 | float 4 | float 4");
    expect_loads(copied("%struct.Loose", 8, 12, ASSIGNED), "<2 x float> 8 | float 8");
    expect_loads(copied("%struct.Mixed", 16, 16, ASSIGNED), "i64 16 | i64 8");
    expect_loads(copied("%struct.Arms", 16, 16, ASSIGNED), "i8* 16 | %struct.Arms* 8");
    expect_loads(copied("%\"struct.ns::Packed<int>\"", 1, 5, ASSIGNED), "i8 1 | i32 1");
    expect_loads(copied("[2 x %struct.float4]", 16, 32, ASSIGNED),
                 "<4 x float> 16 | <4 x float> 16");
}

Test(cc_copies, only_an_assignment_may_leave_out_padding)
{
    expect_loads(copied("%struct.Padded", 4, 8, ASSIGNED), "i8 4 | i32 4");
    expect_loads(copied("%struct.Padded", 4, 8, ", !dbg !7"), "memcpy");
    expect_loads(copied("%struct.Loose", 4, 12, ", !dbg !7"), "float 4 | float 4 | float 4");
}

Test(cc_copies, what_is_not_understood_stays)
{
    char module[4096], *volatile_one;
    expect_loads(copied("%struct.float4", 16, 12, ASSIGNED), "memcpy");
    expect_loads(copied("%struct.Opaque", 16, 16, ASSIGNED), "memcpy");
    expect_loads(copied("%struct.Unknown", 16, 16, ASSIGNED), "memcpy");
    expect_loads(copied("%union.U", 4, 16, ASSIGNED), "memcpy");
    expect_loads(copied("%union.U", 8, 16, ASSIGNED), "i64 8 | i64 8");
    expect_loads(copied("[1000 x i32]", 16, 4000, ASSIGNED), "memcpy");
    snprintf(module, sizeof module, "%s", copied("%struct.float4", 16, 16, ASSIGNED));
    volatile_one = strstr(module, "i1 false");
    memcpy(volatile_one, "i1 true ", 8);
    expect_loads(module, "memcpy");
    expect_loads("define void @f(ptr %0, ptr %1) {\n"
                 "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr align 16 %1, i64 16, i1 "
                 "false)\n}\n",
                 "memcpy");
}

// More accesses than scalars: each of 16 bytes is two.
Test(cc_copies, the_largest_type)
{
    char *output = rewritten(copied("[256 x i128]", 16, 4096, ASSIGNED));
    uint32_t loads = 0;
    for (const char *at = output; (at = strstr(at, "= load i64,")) != NULL; at++)
        loads++;
    cr_expect_eq(loads, 512);
    cr_expect_not(strstr(output, "call void @llvm.memcpy"));
    free(output);
}

Test(cc_copies, texts_of_the_program_stay)
{
    char *output = rewritten(
        "@.str = private unnamed_addr constant [18 x i8] c\"lanes, align 4 up\\00\", align 1\n");
    cr_expect(strstr(output, "c\"lanes, align 4 up\\00\", align 1 \n"), "%s", output);
    free(output);
}

// `*(float4 *)&tile[i] = v` on shared floats: the type's alignment counts, and the variable gets
// it.
Test(cc_copies, casts_of_aligned_vectors)
{
    static char module[4096];
    snprintf(
        module, sizeof module, "%s%s", types,
        "@tile = internal addrspace(3) global [64 x float] undef, align 4\n"
        "@other = internal addrspace(3) global [64 x float] undef, align 4\n"
        "@dynamic = external addrspace(3) global [0 x float], align 4\n"
        "define void @f(%struct.float4* byval(%struct.float4) align 16 %0, i64 %1) {\n"
        "  %3 = alloca [8 x float], align 4\n"
        "  %4 = getelementptr inbounds [64 x float], [64 x float]* addrspacecast ([64 x float] "
        "addrspace(3)* @tile to [64 x float]*), i64 0, i64 %1\n"
        "  %5 = bitcast float* %4 to %struct.float4*\n"
        "  %6 = bitcast %struct.float4* %5 to i8*\n"
        "  %7 = getelementptr inbounds [8 x float], [8 x float]* %3, i64 0, i64 0\n"
        "  %8 = bitcast float* %7 to %struct.float4*\n"
        "  %9 = bitcast %struct.float4* %8 to i8*\n"
        "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %6, i8* align 4 %9, i64 16, i1 "
        "false), !tbaa.struct !9\n"
        "  ret void\n}\n");
    char *output = rewritten(module);
    cr_expect(
        strstr(output, "@tile = internal addrspace(3) global [64 x float] undef, align 16\n"));
    cr_expect(
        strstr(output, "@other = internal addrspace(3) global [64 x float] undef, align 4 \n"));
    cr_expect(strstr(output, "@dynamic = external addrspace(3) global [0 x float], align 16\n"));
    cr_expect(strstr(output, "%3 = alloca [8 x float], align 16\n"));
    free(output);
    expect_loads(module, "<4 x float> 16");
}

// A variable of which one member is used: that member's access is enough, and the others' go.
Test(cc_copies, one_member_of_a_variable)
{
    static const char begin[] = "define float @f(%struct.float4* %0) {\n"
                                "  %2 = alloca %struct.float4, align 16\n"
                                "  %3 = bitcast %struct.float4* %2 to i8*\n"
                                "  call void @llvm.lifetime.start.p0i8(i64 16, i8* %3)\n"
                                "  %4 = bitcast %struct.float4* %2 to i8*\n"
                                "  %5 = bitcast %struct.float4* %0 to i8*\n"
                                "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %4, i8* align "
                                "16 %5, i64 16, i1 false), !tbaa.struct !9\n"
                                "  %6 = getelementptr inbounds %struct.float4, %struct.float4* %2, "
                                "i32 0, i32 2\n";
    char module[4096];
    snprintf(module, sizeof module, "%s%s  ret float undef\n}\n", types, begin);
    expect_loads(module, "float 16 | float 4 | float 8 | float 4");
    snprintf(
        module, sizeof module,
        "%s%s  %%7 = getelementptr inbounds %%struct.float4, %%struct.float4* %%2, i32 0, i32 1\n"
        "  ret float undef\n}\n",
        types, begin);
    expect_loads(module, "<4 x float> 16");
    snprintf(module, sizeof module,
             "%s%s  call void @g(%%struct.float4* %%2)\n  ret float undef\n}\n", types, begin);
    expect_loads(module, "<4 x float> 16");
}

// Whatever the text is, it is read to its end and no further.
Test(cc_copies, any_beginning_of_a_module)
{
    const char *module = copied("%struct.Mixed", 16, 16, ASSIGNED);
    for (size_t length = 0; length <= strlen(module); length++) {
        struct wm_text output;
        struct wm_error error;
        char *part = malloc(length + 1);
        cr_assert(part);
        memcpy(part, module, length);
        wm_text_init(&output);
        cr_assert_eq(wm_cc_lower_struct_copies(part, length, &output, &error), WM_OK);
        wm_text_release(&output);
        free(part);
    }
}
