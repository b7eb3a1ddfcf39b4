/* PTX of before version 1.4, which declares an entry's parameters in its body, and passes those of
 * functions in registers; and votes, atomics and local memory of version 1.4. */
#include "driver_api.h"

static const char in_the_body[] =
    "\t.version 1.2\n"
    "\t.target compute_11\n"
    "\t.func (.reg .f32 $fres) half (.reg .f32 $a)\n"
    "\t{\n"
    "\tmul.f32 $fres, $a, 0f3f000000;\n"
    "\tret;\n"
    "\t}\n"
    "\t.const .align 4 .b8 weights[16] = {0,0,128,63, 0,0,0,64, 0,0,64,64, 0,0,128,64};\n"
    "\t.entry weigh\n"
    "\t{\n"
    "\t.reg .u16 $rh<4>;\n"
    "\t.reg .u32 $r1,$r2,$r3,$r4;\n"
    "\t.reg .u64 $rd<6>;\n"
    "\t.reg .f32 $f<6>;\n"
    "\t.reg .pred $p<3>;\n"
    "\t.param .u64 __cudaparm_weigh_out;\n"
    "\t.param .f32 __cudaparm_weigh_by;\n"
    "\t.shared .align 4 .b8 kept[256];\n"
    "$LBB1_weigh:\n"
    "\tmov.u16 $rh1, %tid.x;\n"
    "\tcvt.u32.u16 $r1, $rh1;\n"
    "\tand.b32 $r2, $r1, 3;\n"
    "\tmul24.lo.u32 $r3, $r2, 4;\n"
    "\tcvt.u64.u32 $rd1, $r3;\n"
    "\tmov.u64 $rd2, weights;\n"
    "\tadd.u64 $rd2, $rd2, $rd1;\n"
    "\tld.const.f32 $f1, [$rd2+0];\n"
    "\tld.param.f32 $f2, [__cudaparm_weigh_by];\n"
    "\tmad.f32 $f3, $f1, $f2, $f1;\n"
    "\tcall.uni ($f4), half, ($f3);\n"
    "\tmov.u64 $rd3, kept;\n"
    "\tmul.wide.u16 $r4, $rh1, 4;\n"
    "\tcvt.u64.u32 $rd4, $r4;\n"
    "\tadd.u64 $rd3, $rd3, $rd4;\n"
    "\tst.shared.f32 [$rd3+0], $f4;\n"
    "\tbar.sync 0;\n"
    "\tmov.u32 $r2, 0;\n"
    "\tsetp.ne.u32 $p1, $r1, $r2;\n"
    "\t@!$p1 bra $L_first;\n"
    "\tbra.uni $L_store;\n"
    "$L_first:\n"
    "\tld.shared.f32 $f4, [kept+12];\n"
    "$L_store:\n"
    "\tld.param.u64 $rd5, [__cudaparm_weigh_out];\n"
    "\tadd.u64 $rd5, $rd5, $rd4;\n"
    "\tst.global.f32 [$rd5+0], $f4;\n"
    "\texit;\n"
    "\t}\n";

static const char together[] = "\t.version 1.4\n"
                               "\t.target sm_12, map_f64_to_f32\n"
                               "\t.global .u32 counter;\n"
                               "\t.global .align 4 .b8 numbers[12] = {1,0,0,0,2,0,0,0,3,0,0,0};\n"
                               "\t.entry count (\n"
                               "\t\t.param .u64 __cudaparm_count_out)\n"
                               "\t.maxntid 64,1,1\n"
                               "\t{\n"
                               "\t.reg .u16 %rh<3>;\n"
                               "\t.reg .u32 %r<12>;\n"
                               "\t.reg .u64 %rd<6>;\n"
                               "\t.reg .pred %p<6>;\n"
                               "\t.local .align 8 .b8 __cuda___cuda_local[16];\n"
                               "$LDWbegin_count:\n"
                               "\tcvt.s32.u16 %r1, %tid.x;\n"
                               "\tmov.u32 %r2, 32;\n"
                               "\tsetp.lt.s32 %p1, %r1, %r2;\n"
                               "\tvote.all.pred %p2, %p1;\n"
                               "\tselp.s32 %r3, 1, 0, %p2;\n"
                               "\tmov.u64 %rd1, counter;\n"
                               "\tatom.global.add.u32 %r4, [%rd1], 1;\n"
                               "\tred.global.add.u32 [%rd1], %r3;\n"
                               "\tst.local.s32 [__cuda___cuda_local+4], %r3;\n"
                               "\tmembar.gl;\n"
                               "\tbar.sync \t0;\n"
                               "\tld.local.s32 %r5, [__cuda___cuda_local+4];\n"
                               "\tmov.u64 %rd2, numbers;\n"
                               "\tld.global.s32 %r6, [%rd2+8];\n"
                               "\tmul.lo.s32 %r7, %r5, %r6;\n"
                               "\tmul.wide.s32 %rd3, %r1, 4;\n"
                               "\tld.param.u64 %rd4, [__cudaparm_count_out];\n"
                               "\tadd.u64 %rd5, %rd4, %rd3;\n"
                               "\tst.global.s32 [%rd5+0], %r7;\n"
                               "\texit;\n"
                               "$LDWend_count:\n"
                               "\t} // count\n";

static CUfunction load(const char *text, const char *name, CUmodule *module)
{
    CUfunction function = NULL;
    GOOD(cuModuleLoadData(module, text));
    GOOD(cuModuleGetFunction(&function, *module, name));
    return function;
}

static CUdeviceptr zeros(size_t bytes)
{
    CUdeviceptr made = 0;
    GOOD(cuMemAlloc(&made, bytes));
    GOOD(cuMemsetD8(made, 0, bytes));
    return made;
}

static void weighs(void)
{
    CUmodule module;
    CUfunction weigh = load(in_the_body, "weigh", &module);
    CUdeviceptr out = zeros(64 * sizeof(float));
    float by = 2, got[64];
    void *arguments[] = {&out, &by};
    GOOD(cuLaunchKernel(weigh, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    GOOD(cuMemcpyDtoH(got, out, sizeof got));
    CHECK(got[0] == 6); /* the fourth thread's */
    for (int i = 1; i < 64; i++)
        CHECK(got[i] == (float)(i % 4 + 1) * 1.5f);
    GOOD(cuModuleUnload(module));
}

static void counts(void)
{
    CUmodule module;
    CUfunction count = load(together, "count", &module);
    CUdeviceptr out = zeros(64 * sizeof(int)), counter;
    size_t bytes;
    int got[64], counted;
    void *arguments[] = {&out};
    GOOD(cuLaunchKernel(count, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    GOOD(cuMemcpyDtoH(got, out, sizeof got));
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == (i < 32 ? 3 : 0));
    GOOD(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
    GOOD(cuMemcpyDtoH(&counted, counter, sizeof counted));
    CHECK(bytes == 4 && counted == 64 + 32);
    GOOD(cuModuleUnload(module));
}

int main(void)
{
    CUcontext context;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    weighs();
    counts();
    GOOD(cuCtxDestroy(context));
    return verdict();
}
