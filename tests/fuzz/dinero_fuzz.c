#include "core_trace_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_core_trace(&wm_core_dinero, data, size);
    return 0;
}
