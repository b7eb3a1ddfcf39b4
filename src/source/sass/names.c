#include "source/sass/names.h"

#include "base/containers/array.h"
#include "base/containers/string_map.h"
#include "base/names/opcode_word.h"
#include "base/names/operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Registers ---

struct wm_sass_registers {
    struct wm_string_map map; // name → its text
    char **texts;             // owned: name and number
    uint32_t count, room;
};

struct wm_sass_registers *wm_sass_registers_new(void)
{
    struct wm_sass_registers *registers = calloc(1, sizeof *registers);
    if (registers != NULL)
        wm_string_map_init(&registers->map);
    return registers;
}

void wm_sass_registers_free(struct wm_sass_registers *registers)
{
    if (registers == NULL)
        return;
    wm_string_map_release(&registers->map);
    for (uint32_t i = 0; i < registers->count; i++)
        free(registers->texts[i]);
    free(registers->texts);
    free(registers);
}

// "R12" for "%rd3"; R255 is the register that is always zero, and no other has its number.
static void number_register(struct wm_sass_registers *registers, const char *name, size_t length,
                            char *out, size_t size)
{
    const char *known = wm_string_map_get(&registers->map, name, length);
    uint32_t number = registers->count;
    if (known != NULL)
        number = (uint32_t)strtoul(known + strlen(known) + 1, NULL, 10);
    snprintf(out, size, "R%u", number + (number >= 255));
    if (known != NULL)
        return;
    char *text = malloc(length + 16);
    if (text == NULL || !WM_ARRAY_ADD(registers->texts, registers->count, registers->room, text)) {
        free(text);
        return;
    }
    snprintf(text, length + 16, "%.*s%c%u", (int)length, name, '\0', number);
    wm_string_map_put(&registers->map, text, length, text);
}

// --- Names ---

enum type { T_INTEGER, T_F16, T_F32, T_F64, T_PREDICATE };

struct name {
    const char *ptx;
    const char *names[5]; // by type; NULL: as the first
};

#define NAMES(...)  \
    {               \
        __VA_ARGS__ \
    }
static const struct name names[] = {
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) {#name, NAMES sass},
#include "ptx/opcodes.def"
};

static bool is_float(const char *word, size_t length)
{
    return length >= 3 && (word[0] == 'f' || word[0] == 'b' || word[0] == 'e' || word[0] == 't') &&
           memchr(word, 'f', length) != NULL;
}

// The two last types of an opcode: "cvt.rn.f32.s32" has f32 and s32.
static enum type type_of(const char *opcode, size_t length)
{
    if (wm_opcode_has_word(opcode, length, "pred"))
        return T_PREDICATE;
    if (wm_opcode_has_word(opcode, length, "f64"))
        return T_F64;
    if (wm_opcode_has_word(opcode, length, "f32"))
        return T_F32;
    for (const char *word = memchr(opcode, '.', length); word != NULL;) {
        const char *end = memchr(word + 1, '.', length - (size_t)(word + 1 - opcode));
        size_t bytes = (size_t)((end != NULL ? end : opcode + length) - (word + 1));
        if (is_float(word + 1, bytes) && strncmp(word + 1, "ftz", 3) != 0)
            return T_F16;
        word = end;
    }
    return T_INTEGER;
}

static const char *conversion(const char *opcode, size_t length)
{
    // cvt[.modifiers].TO.FROM
    const char *from = opcode + length, *to;
    while (from > opcode && from[-1] != '.')
        from--;
    to = from > opcode ? from - 1 : from;
    while (to > opcode && to[-1] != '.')
        to--;
    bool from_float = *from == 'f' || *from == 'b';
    bool to_float = *to == 'f' || *to == 'b';
    if (to_float)
        return from_float ? "F2F" : "I2F";
    return from_float ? "F2I" : "I2I";
}

static const char *name_of(const char *text, size_t length)
{
    const char *dot = memchr(text, '.', length);
    size_t first = dot != NULL ? (size_t)(dot - text) : length;
    if (first == 3 && memcmp(text, "cvt", 3) == 0)
        return conversion(text, length);
    if (first == 3 && memcmp(text, "bar", 3) == 0 && wm_opcode_has_word(text, length, "warp"))
        return "WARPSYNC";
    if (wm_opcode_has_word(text, length, "arrive"))
        return "BAR.ARV";
    bool reads_special =
        first == 3 && memcmp(text, "mov", 3) == 0 &&
        (strstr(text, ", %tid") || strstr(text, ", %ntid") || strstr(text, ", %ctaid") ||
         strstr(text, ", %nctaid") || strstr(text, ", %laneid") || strstr(text, ", %clock") ||
         strstr(text, ", %smid") || strstr(text, ", %lanemask"));
    if (reads_special)
        return "S2R";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].ptx) == first && memcmp(names[i].ptx, text, first) == 0) {
            const char *typed = names[i].names[type_of(text, length)];
            return typed != NULL ? typed : names[i].names[0];
        }
    return "NOP";
}

// --- Lines ---

static bool is_special(const char *name, size_t length)
{
    static const char *const starts[] = {
        "%tid",      "%ntid",   "%ctaid",   "%nctaid", "%laneid", "%smid",   "%clock",
        "%lanemask", "%warpid", "%nwarpid", "%nsmid",  "%gridid", "%envreg", "%globaltimer"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (length >= strlen(starts[i]) && memcmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    // Predicates are not recorded.
    return length > 2 && name[1] == 'p' && name[2] >= '0' && name[2] <= '9';
}

static size_t register_length(const char *at)
{
    size_t length = 1;
    while (at[length] != '\0' && strchr(" ,;|]}[{)+-", at[length]) == NULL)
        length++;
    return length;
}

// Registers of one operand: the first of a vector, as the tracer has them.
static void take_operand(const char *at, size_t length, bool destination,
                         struct wm_sass_registers *registers, struct wm_sass_line *line)
{
    const char *percent = memchr(at, '%', length);
    if (percent == NULL)
        return;
    size_t bytes = register_length(percent);
    uint32_t *count = destination ? &line->destination_count : &line->source_count;
    if (is_special(percent, bytes) || *count == (destination ? 1 : 4))
        return;
    uint32_t place = destination ? 0 : line->destination_count + line->source_count;
    number_register(registers, percent, bytes, line->registers[place], sizeof line->registers[0]);
    ++*count;
}

void wm_sass_line_of_ptx(const char *text, struct wm_sass_registers *registers,
                         struct wm_sass_line *line)
{
    *line = (struct wm_sass_line){0};
    size_t length = strcspn(text, " ");
    snprintf(line->opcode, sizeof line->opcode, "%s", name_of(text, length));
    line->ends =
        strcmp(text, "ret") == 0 || strncmp(text, "ret.", 4) == 0 || strcmp(text, "exit") == 0;
    bool stores = strncmp(text, "st.", 3) == 0 || strncmp(text, "red.", 4) == 0 ||
                  strncmp(text, "bra", 3) == 0 || strncmp(text, "bar", 3) == 0;
    const char *at = text + length + strspn(text + length, " ");
    for (bool first = true; *at != '\0'; first = false) {
        size_t bytes = wm_operand_length(at);
        bool number = *at == '-' || (*at >= '0' && *at <= '9');
        take_operand(at, bytes, first && !stores, registers, line);
        if (number) {
            long long value = strtoll(at, NULL, 0);
            line->immediate = value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : 0;
        }
        at += bytes;
        at += strspn(at, ", ");
    }
}

void wm_sass_line_of_sass(const char *text, struct wm_sass_line *line)
{
    *line = (struct wm_sass_line){0};
    size_t length = strcspn(text, " ");
    size_t kept = length < sizeof line->opcode ? length : sizeof line->opcode - 1;
    memcpy(line->opcode, text, kept); // the rest is zero
    line->ends = strncmp(text, "EXIT", 4) == 0 && (length == 4 || text[4] == '.');
    const char *at = text + length + strspn(text + length, " ");
    // "_" or a reference to memory first: there is no destination.
    bool destination = *at != '_' && *at != '[';
    bool braces = *at == '{';
    while (*at != '\0') {
        size_t skip = strspn(at, " ,_[]{}"), bytes = strcspn(at + skip, " ,[]{}");
        if (bytes == 0)
            break;
        bool is_first = destination && line->destination_count == 0;
        braces = braces && memchr(at, '}', skip) == NULL;
        uint32_t taken = line->destination_count + line->source_count;
        bool to = is_first || braces;
        // Accel-Sim takes one destination and four sources.
        if ((to && line->destination_count == 0) || (!to && line->source_count < 4)) {
            snprintf(line->registers[taken], sizeof line->registers[0], "%.*s", (int)bytes,
                     at + skip);
            if (to)
                line->destination_count++;
            else
                line->source_count++;
        }
        at += skip + bytes;
    }
}

// --- Memory ---

static const char *operation_of(const char *text)
{
    static const struct {
        const char *ptx, *sass;
    } operations[] = {{"add", ".ADD"}, {"min", ".MIN"},  {"max", ".MAX"}, {"inc", ".INC"},
                      {"dec", ".DEC"}, {"and", ".AND"},  {"or", ".OR"},   {"xor", ".XOR"},
                      {"cas", ".CAS"}, {"exch", ".EXCH"}};
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (wm_opcode_has_word(text, length, operations[i].ptx))
            return operations[i].sass;
    return ".ADD";
}

static const char *root_of(const struct wm_warp_access *access, bool generic)
{
    static const char *const roots[][3] = {
        // load, store, atomic
        [WM_SPACE_GLOBAL] = {"LDG.E", "STG.E", "ATOMG.E"},
        [WM_SPACE_LOCAL] = {"LDL", "STL", "ATOM.E"},
        [WM_SPACE_SHARED] = {"LDS", "STS", "ATOMS"},
        [WM_SPACE_CONSTANT] = {"LDC", "STG.E", "ATOMG.E"},
        [WM_SPACE_PARAMETER] = {"LDC", "STG.E", "ATOMG.E"},
        [WM_SPACE_TEXTURE] = {"LDG.E", "STG.E", "ATOMG.E"},
    };
    static const char *const generics[] = {"LD.E", "ST.E", "ATOM.E", "RED.E"};
    if (generic)
        return generics[access->kind];
    if (access->kind == WM_ACCESS_REDUCTION)
        return access->space == WM_SPACE_GLOBAL ? "RED.E" : roots[access->space][2];
    return roots[access->space][access->kind];
}

void wm_sass_memory_name(const char *text, const struct wm_warp_access *access, bool generic,
                         char *name, size_t size)
{
    static const char *const hints[] = {
        [WM_HINT_DEFAULT] = "",
        [WM_HINT_L2_ONLY] = ".STRONG.GPU",
        [WM_HINT_STREAMING] = ".EF",
        [WM_HINT_LAST_USE] = ".LU",
        [WM_HINT_VOLATILE] = ".STRONG.SYS",
        [WM_HINT_READ_ONLY] = ".CONSTANT",
        [WM_HINT_NO_L1] = ".NA",
    };
    bool atomic = access->kind == WM_ACCESS_ATOMIC || access->kind == WM_ACCESS_REDUCTION;
    const char *width = "";
    switch (access->bytes_per_lane) {
    case 1: width = ".U8"; break;
    case 2: width = ".U16"; break;
    case 8: width = ".64"; break;
    case 16: width = ".128"; break;
    case 32: width = ".256"; break;
    default: break;
    }
    bool far = access->space == WM_SPACE_GLOBAL || generic;
    bool scoped = access->hint == WM_HINT_L2_ONLY || access->hint == WM_HINT_VOLATILE;
    const char *scope = !far ? "" : (atomic ? ".STRONG.GPU" : (scoped ? "" : ".SYS"));
    snprintf(name, size, "%s%s%s%s%s", root_of(access, generic), atomic ? operation_of(text) : "",
             width, atomic ? "" : hints[access->hint], scope);
}
