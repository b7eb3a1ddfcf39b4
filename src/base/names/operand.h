// Operands as PTX and SASS write them: "%r1, [%rd2+8], {%f1, %f2}".
#ifndef WM_BASE_OPERAND_H
#define WM_BASE_OPERAND_H

#include <stddef.h>

// Bytes of the operand at `at`: up to a comma outside of brackets, or to the text's end.
static inline size_t wm_operand_length(const char *at)
{
    int depth = 0;
    size_t length = 0;
    for (; at[length] != '\0' && (at[length] != ',' || depth > 0); length++) {
        depth += at[length] == '{' || at[length] == '[' || at[length] == '(';
        depth -= at[length] == '}' || at[length] == ']' || at[length] == ')';
    }
    return length;
}

#endif
