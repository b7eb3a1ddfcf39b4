// Opcodes as PTX and SASS write them: words between dots, "cvt.rn.f32.s32".
#ifndef WM_BASE_OPCODE_WORD_H
#define WM_BASE_OPCODE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Whether a word of that length is `name`.
static inline bool wm_opcode_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

// Whether `word` stands between dots of the opcode, or ends it; its first word does not count.
static inline bool wm_opcode_has_word(const char *opcode, size_t length, const char *word)
{
    size_t bytes = strlen(word);
    for (size_t i = 0; i + bytes < length; i++)
        if (opcode[i] == '.' && memcmp(opcode + i + 1, word, bytes) == 0 &&
            (i + 1 + bytes == length || opcode[i + 1 + bytes] == '.'))
            return true;
    return false;
}

#endif
