// PTX of version 1, as compilers for compute capability 1.x wrote it: special registers of 16 bits,
// functions whose parameters are registers, .tex, textures with four coordinates, and what
// instructions leave unsaid (subnormals flushed, precision by default, mad.f32).
#include "driver_api.h"

#ifndef TOOLKIT
typedef struct CUtexref_st *CUtexref;
CUresult cuModuleGetTexRef(CUtexref *, CUmodule, const char *);
CUresult cuTexRefSetAddress_v2(size_t *, CUtexref, CUdeviceptr, size_t);
CUresult cuTexRefSetFormat(CUtexref, int, int), cuTexRefSetFlags(CUtexref, unsigned);
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define CU_AD_FORMAT_FLOAT 0x20
#endif

enum { THREADS = 64, RESULTS = 8 };

// The version stands before it.
static const char body[] =
    "\n\t.target sm_10, map_f64_to_f32\n"
    "\t// compiled with a compiler of 2011\n"
    "\t.file\t1\t\"kernel.cu\"\n"
    "\t.tex .u64 image;\n"
    "\t.const .align 4 .b8 table[16] = {0,0,128,63,0,0,0,64,0,0,64,64,0,0,128,64};\n"
    "\t.shared .align 4 .b8 values[64];\n"
    "\t.func (.reg .u32 %rv1) twice (.reg .u32 %ra1)\n\t{\n\t.reg .u32 %r<3>;\n"
    "\tmov.s32 %r1, %ra1;\n\tadd.u32 %r2, %r1, %r1;\n\tmov.s32 %rv1, %r2;\n\tret;\n\t}\n"
    "\t.entry legacy (\n\t\t.param .u64 __cudaparm_to,\n\t\t.param .s32 __cudaparm_n)\n\t{\n"
    "\t.reg .u16 %rh<4>;\n\t.reg .u32 %r<20>;\n\t.reg .u64 %rd<12>;\n\t.reg .f32 %f<24>;\n"
    "\t.reg .f64 %fd<4>;\n\t.reg .pred %p<3>;\n"
    "\t.loc\t1\t17\t0\n$LDWbegin_legacy:\n"
    "\tmov.u16 \t%rh1, %ctaid.x;\n\tmov.u16 \t%rh2, %ntid.x;\n\tmul.wide.u16 \t%r1, %rh1, %rh2;\n"
    "\tcvt.u32.u16 \t%r2, %tid.x;\n\tadd.u32 \t%r3, %r2, %r1;\n"
    "\tld.param.s32 \t%r4, [__cudaparm_n];\n\tsetp.le.s32 \t%p1, %r4, %r3;\n"
    "\t@%p1 bra \t$Lt_0_1026;\n"
    // Through shared memory, the neighbour's.
    "\tcvt.rn.f32.u32 \t%f1, %r3;\n\tmov.u64 \t%rd1, values;\n\tcvt.u64.u32 \t%rd2, %r2;\n"
    "\tmul.lo.u64 \t%rd3, %rd2, 4;\n\tadd.u64 \t%rd4, %rd1, %rd3;\n\tst.shared.f32 \t[%rd4+0], "
    "%f1;\n"
    "\tbar.sync \t0;\n\txor.b32 \t%r5, %r2, 1;\n\tcvt.u64.u32 \t%rd5, %r5;\n"
    "\tmul.lo.u64 \t%rd5, %rd5, 4;\n\tadd.u64 \t%rd5, %rd5, %rd1;\n\tld.shared.f32 \t%f2, "
    "[%rd5+0];\n"
    "\tld.const.f32 \t%f3, [table+4];\n"
    "\tmad.f32 \t%f4, %f2, %f3, %f1;\n"
    "\tset.gt.u32.f32 \t%r6, %f4, %f1;\n\tneg.s32 \t%r7, %r6;\n"
    // Below the normal numbers: 2^-126 / 2 and its double are nothing.
    "\tmov.f32 \t%f5, 0f00800000;\n\tmul.f32 \t%f6, %f5, 0f3f000000;\n"
    "\tadd.f32 \t%f7, %f6, %f6;\n"
    "\tcall (%r8), twice, (%r3);\n\tcvt.rn.f32.u32 \t%f8, %r8;\n"
    "\tmov.s32 \t%r9, 0;\n\tmov.s32 \t%r10, 0;\n\tmov.s32 \t%r11, 0;\n"
    "\ttex.1d.v4.f32.s32 {%f10,%f11,%f12,%f13},[image,{%r3,%r9,%r10,%r11}];\n"
    "PRECISE"
    "\tld.param.u64 \t%rd6, [__cudaparm_to];\n\tmul.lo.s32 \t%r12, %r3, 32;\n"
    "\tcvt.s64.s32 \t%rd7, %r12;\n\tadd.u64 \t%rd8, %rd6, %rd7;\n"
    "\tst.global.f32 \t[%rd8+0], %f4;\n\tst.global.u32 \t[%rd8+4], %r7;\n"
    "\tst.global.f32 \t[%rd8+8], %f7;\n\tst.global.f32 \t[%rd8+12], %f8;\n"
    "\tst.global.v2.f32 \t[%rd8+16], {%f10,%f14};\n\tst.global.f32 \t[%rd8+24], %f15;\n"
    "$Lt_0_1026:\n\t.loc\t1\t22\t0\n\texit;\n$LDWend_legacy:\n\t}\n";

static const char *const versions[] = {"\t.version 1.3", "\t.version 1.4"};
// Version 1.4 wants the precision named; before, it was approximate for 32 bits and exact for 64.
static const char *const precise[] = {
    "\tdiv.f32 \t%f14, %f1, %f3;\n\tsqrt.f32 \t%f9, %f1;\n\tcvt.f64.f32 \t%fd1, %f9;\n"
    "\tmul.f64 \t%fd2, %fd1, %fd1;\n\tsqrt.f64 \t%fd3, %fd2;\n\tcvt.rn.f32.f64 \t%f15, %fd3;\n",
    "\tdiv.full.f32 \t%f14, %f1, %f3;\n\tsqrt.approx.f32 \t%f9, %f1;\n\tcvt.f64.f32 \t%fd1, %f9;\n"
    "\tmul.rn.f64 \t%fd2, %fd1, %fd1;\n\tsqrt.rn.f64 \t%fd3, %fd2;\n"
    "\tcvt.rn.f32.f64 \t%f15, %fd3;\n",
};

static void text_of(unsigned version, char *text, size_t size)
{
    const char *place = strstr(body, "PRECISE");
    snprintf(text, size, "%s%.*s%s%s", versions[version], (int)(place - body), body,
             precise[version], place + strlen("PRECISE"));
}

static void check_results(const float *results)
{
    for (unsigned i = 0; i < THREADS; i++, results += RESULTS) {
        unsigned other = i ^ 1, greater;
        float root = results[6] * results[6] - (float)i;
        memcpy(&greater, &results[1], sizeof greater);
        CHECK(results[0] == (float)(2 * other + i));
        CHECK(greater == (other > 0));
        CHECK(results[2] == 0);
        CHECK(results[3] == (float)(2 * i));
        CHECK(results[4] == (float)(1000 + i));
        CHECK(results[5] == (float)i / 2);
        CHECK(root < 1e-4f && root > -1e-4f);
    }
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr to, image;
    float results[THREADS * RESULTS], texels[THREADS];
    GOOD(cuInit(0));
    GOOD(cuDeviceGet(&device, 0));
    GOOD(cuDevicePrimaryCtxRetain(&context, device));
    GOOD(cuCtxSetCurrent(context));
    GOOD(cuMemAlloc(&to, sizeof results));
    GOOD(cuMemAlloc(&image, sizeof texels));
    for (unsigned i = 0; i < THREADS; i++)
        texels[i] = (float)(1000 + i);
    GOOD(cuMemcpyHtoD(image, texels, sizeof texels));
    for (unsigned version = 0; version < 2; version++) {
        static char text[8192];
        CUmodule module;
        CUfunction function;
        CUtexref reference;
        size_t offset;
        int count = THREADS;
        void *parameters[] = {&to, &count};
        text_of(version, text, sizeof text);
        GOOD(cuModuleLoadData(&module, text));
        GOOD(cuModuleGetFunction(&function, module, "legacy"));
        GOOD(cuModuleGetTexRef(&reference, module, "image"));
        GOOD(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
        GOOD(cuTexRefSetFlags(reference, 1));
        GOOD(cuTexRefSetAddress(&offset, reference, image, sizeof texels));
        GOOD(cuMemsetD8(to, 0xff, sizeof results));
        GOOD(cuLaunchKernel(function, 5, 1, 1, 16, 1, 1, 0, NULL, parameters, NULL));
        GOOD(cuMemcpyDtoH(results, to, sizeof results));
        check_results(results);
        GOOD(cuModuleUnload(module));
    }
    return verdict();
}
