/* What stands in for NVRTC where there is none: it has compiled one program beforehand. */
#include <stddef.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 to, .param .u32 by) {\n"
                          ".reg .b64 %o, %a;\n.reg .b32 %r, %b;\n"
                          "ld.param.u64 %o, [to];\nld.param.u32 %b, [by];\nmov.u32 %r, %tid.x;\n"
                          "mul.wide.u32 %a, %r, 4;\nadd.u64 %a, %a, %o;\nmul.lo.u32 %r, %r, %b;\n"
                          "st.global.u32 [%a], %r;\nret;\n}\n";

int nvrtcCreateProgram(void **program)
{
    *program = (void *)ptx;
    return 0;
}

int nvrtcCompileProgram(void *program)
{
    return program != ptx;
}

int nvrtcGetPTXSize(void *program, size_t *size)
{
    *size = sizeof ptx;
    return program != ptx;
}

int nvrtcGetPTX(void *program, char *text)
{
    memcpy(text, ptx, sizeof ptx);
    return program != ptx;
}

int nvrtcDestroyProgram(void **program)
{
    *program = NULL;
    return 0;
}
