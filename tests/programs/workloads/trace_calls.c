// What a runtime that traces accesses of the host would define: here they only say that they were
// called, for check_traced_part.py.
#include <stdio.h>

void warpmem_trace_begin(void);
void warpmem_trace_end(void);

void warpmem_trace_begin(void)
{
    fputs("begin\n", stderr);
}

void warpmem_trace_end(void)
{
    fputs("end\n", stderr);
}
