// Between these the loads and stores of a program of `warpmem cc --trace-host` are traced.
#ifndef HOST_TRACE_MARKS_H
#define HOST_TRACE_MARKS_H

#ifdef __cplusplus
extern "C" {
#endif
void warpmem_trace_begin(void) __attribute__((weak));
void warpmem_trace_end(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif

// Without --trace-host there is nobody to call.
static inline void begin(void)
{
    if (warpmem_trace_begin)
        warpmem_trace_begin();
}

static inline void end(void)
{
    if (warpmem_trace_end)
        warpmem_trace_end();
}

#endif
