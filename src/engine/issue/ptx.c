// The registers of a PTX instruction, from its text. What is written stands first, unless it is a
// reference to memory or the opcode writes nothing (PTX ISA, chapter 9).
#include "base/names/operand.h"
#include "engine/issue/instruction_text.h"

#include <ctype.h>
#include <string.h>

// The carry of add.cc and addc, which no text names.
static const char carry[] = ".cc";

static unsigned traits_of(const char *opcode, size_t length)
{
    return wm_ptx_opcode_traits(wm_issue_ptx_opcode(opcode, length));
}

static bool writes_nothing(const char *opcode, size_t length)
{
    return (traits_of(opcode, length) & WM_PTX_TRAIT_NO_RESULT) &&
           !wm_opcode_has_word(opcode, length, "red"); // bar.red has a result
}

static bool is_special(const char *name, size_t length)
{
    static const char *const numbered[] = {"%envreg", "%pm", "%reserved_smem_offset"};
    for (int special = 0; special < WM_PTX_SPECIAL_COUNT; special++)
        if (wm_opcode_is(name, length, wm_ptx_special_text((enum wm_ptx_special)special)))
            return true;
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
        size_t bytes = strlen(numbered[i]);
        if (length > bytes && memcmp(name, numbered[i], bytes) == 0 &&
            (isdigit((unsigned char)name[bytes]) || name[bytes] == '_'))
            return true;
    }
    return false;
}

static bool continues_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

// One name or number from `at` on; its length.
static size_t take_word(const char *at, const struct wm_issue_listener *listener, bool destination,
                        bool is_call)
{
    size_t length = 1;
    while (continues_name(at[length]))
        length++;
    bool bare = at[0] != '%';
    bool number = isdigit((unsigned char)at[0]);
    if (number || wm_opcode_is(at, length, "_") || (bare && is_call) || is_special(at, length))
        return length;
    // A component of a vector register: "%v.x".
    const char *dot = memchr(at, '.', length);
    listener->take(listener->context, at, dot != NULL ? (size_t)(dot - at) : length, destination,
                   bare);
    return length;
}

static void take_operand(const char *at, size_t length, const struct wm_issue_listener *listener,
                         bool destination, bool is_call)
{
    for (size_t i = 0; i < length;)
        i += continues_name(at[i]) ? take_word(at + i, listener, destination, is_call) : 1;
}

void wm_issue_read_ptx(const char *text, const struct wm_issue_listener *listener,
                       struct wm_issue_facts *facts)
{
    static const char blanks[] = " \t\r\n";
    size_t length = strcspn(text, blanks);
    const char *at = text + length + strspn(text + length, blanks);
    wm_issue_ptx_unit(text, length, facts);
    if (wm_opcode_has_word(text, length, "cc"))
        listener->take(listener->context, carry, strlen(carry), true, false);
    bool is_call = strncmp(text, "call", 4) == 0 && (text[4] == '.' || length == 4);
    // A call's first operand is what it writes if it is a list: "call (%r1), f, (%r2)".
    bool writes = is_call ? *at == '(' : *at != '[' && !writes_nothing(text, length);
    for (bool first = true; *at != '\0'; first = false) {
        size_t bytes = wm_operand_length(at);
        take_operand(at, bytes, listener, first && writes, is_call);
        at += bytes;
        at += *at == ',';
        at += strspn(at, blanks);
    }
    if (traits_of(text, length) & WM_PTX_TRAIT_CARRY)
        listener->take(listener->context, carry, strlen(carry), false, false);
}
