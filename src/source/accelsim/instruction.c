#include "source/accelsim/words.h"

#include <string.h>

// --- Numbers ---

static bool at_word_end(const char *at)
{
    return *at == '\0' || *at == ' ' || *at == '\t';
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

bool wm_accelsim_decimal(const char **at, uint64_t most, uint64_t *number)
{
    const char *from = skip_blanks(*at), *digit = from;
    uint64_t value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t add = (uint64_t)(*digit - '0');
        if (value > (most - add) / 10 || add > most)
            return false;
        value = value * 10 + add;
    }
    *at = digit;
    *number = value;
    return digit != from && at_word_end(digit);
}

bool wm_accelsim_signed(const char **at, int64_t *number)
{
    const char *from = skip_blanks(*at);
    bool minus = *from == '-';
    from += minus;
    uint64_t value;
    if (!wm_accelsim_decimal(&from, INT64_MAX, &value))
        return false;
    *at = from;
    *number = minus ? -(int64_t)value : (int64_t)value;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool wm_accelsim_hex(const char **at, uint64_t most, uint64_t *number)
{
    const char *from = skip_blanks(*at);
    if (from[0] == '0' && (from[1] == 'x' || from[1] == 'X'))
        from += 2;
    const char *digit = from;
    uint64_t value = 0;
    for (int add; (add = hex_digit(*digit)) >= 0; digit++) {
        if (value >> 60 != 0)
            return false;
        value = value << 4 | (uint64_t)add;
    }
    *at = digit;
    *number = value;
    return digit != from && value <= most && at_word_end(digit);
}

// --- Addresses ---

static enum wm_status bad_address(struct wm_error *error, unsigned lane)
{
    return wm_fail(error, WM_INVALID, "the address of lane %u is missing or wrong", lane);
}

static enum wm_status list_all(const char **at, struct wm_accelsim_instruction *it,
                               struct wm_error *error)
{
    for (uint32_t rest = it->mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (!wm_accelsim_hex(at, UINT64_MAX, &it->addresses[lane]))
            return bad_address(error, lane);
    }
    return WM_OK;
}

static enum wm_status base_stride(const char **at, struct wm_accelsim_instruction *it,
                                  struct wm_error *error)
{
    uint64_t address;
    int64_t stride;
    if (!wm_accelsim_hex(at, UINT64_MAX, &address))
        return bad_address(error, (unsigned)__builtin_ctz(it->mask));
    if (!wm_accelsim_signed(at, &stride))
        return wm_fail(error, WM_INVALID, "the stride of the addresses is missing or wrong");
    for (uint32_t rest = it->mask; rest != 0; rest &= rest - 1, address += (uint64_t)stride)
        it->addresses[__builtin_ctz(rest)] = address;
    return WM_OK;
}

// Each delta is from the active lane before: there is one less than there are lanes.
static enum wm_status base_delta(const char **at, struct wm_accelsim_instruction *it,
                                 struct wm_error *error)
{
    uint32_t rest = it->mask;
    uint64_t address;
    if (!wm_accelsim_hex(at, UINT64_MAX, &address))
        return bad_address(error, (unsigned)__builtin_ctz(rest));
    it->addresses[__builtin_ctz(rest)] = address;
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t delta;
        if (!wm_accelsim_signed(at, &delta))
            return bad_address(error, lane);
        address += (uint64_t)delta;
        it->addresses[lane] = address;
    }
    return WM_OK;
}

static enum wm_status read_addresses(const char **at, struct wm_accelsim_instruction *it,
                                     struct wm_error *error)
{
    uint64_t mode;
    if (!wm_accelsim_decimal(at, UINT32_MAX, &mode))
        return wm_fail(error, WM_INVALID, "the line ends before its addresses");
    if (mode > 2)
        return wm_fail(error, WM_INVALID,
                       "addresses are in mode %llu: there are 0 (all), 1 (base and stride) and 2 "
                       "(base and deltas)",
                       (unsigned long long)mode);
    // Without lanes there are no addresses, whatever the mode says.
    it->has_addresses = it->mask != 0;
    if (it->mask == 0)
        return WM_OK;
    if (mode == 0)
        return list_all(at, it, error);
    return mode == 1 ? base_stride(at, it, error) : base_delta(at, it, error);
}

// --- Words ---

enum { MOST_REGISTERS = 16 };

static bool is_register(const char *word, size_t length)
{
    size_t letters = 0, digits = 0;
    while (letters < length && word[letters] >= 'A' && word[letters] <= 'Z')
        letters++;
    while (letters + digits < length && word[letters + digits] >= '0' &&
           word[letters + digits] <= '9')
        digits++;
    // "PT" and "RZ" have no number.
    return letters > 0 && letters + digits == length && length < 16;
}

static enum wm_status skip_registers(const char **at, const char *which, struct wm_error *error)
{
    uint64_t count;
    if (!wm_accelsim_decimal(at, MOST_REGISTERS, &count))
        return wm_fail(error, WM_INVALID, "the number of %s registers is missing or wrong", which);
    for (uint64_t i = 0; i < count; i++) {
        size_t length;
        const char *word = wm_accelsim_word(at, &length);
        if (!is_register(word, length))
            return wm_fail(error, WM_INVALID, "\"%.*s\" stands where a %s register is expected",
                           (int)(length < 32 ? length : 32), word, which);
    }
    return WM_OK;
}

static bool is_opcode(const char *word, size_t length)
{
    if (length == 0 || length > 128 || word[0] < 'A' || word[0] > 'Z')
        return false;
    for (size_t i = 0; i < length; i++)
        if (word[i] < '!' || word[i] > '~')
            return false;
    return true;
}

// Numbers before the pc: of the block and warp, which version 2 has on each line, and the source
// line.
static enum wm_status read_prefix(const struct wm_accelsim_header *header, const char **at,
                                  struct wm_accelsim_instruction *it, struct wm_error *error)
{
    uint64_t number;
    for (uint32_t i = 0; i < header->prefix; i++)
        if (!wm_accelsim_decimal(at, UINT32_MAX, &number))
            return wm_fail(error, WM_INVALID,
                           "the line does not begin with %u numbers of block and warp, as this "
                           "version's do",
                           header->prefix);
    it->source_line = 0;
    if (!header->line_info)
        return WM_OK;
    if (!wm_accelsim_decimal(at, UINT32_MAX, &number))
        return wm_fail(error, WM_INVALID, "the source line is missing or wrong");
    it->source_line = (uint32_t)number;
    return WM_OK;
}

enum wm_status wm_accelsim_instruction_read(const struct wm_accelsim_header *header,
                                            const char *line, struct wm_accelsim_instruction *it,
                                            struct wm_error *error)
{
    const char *at = line;
    uint64_t mask, width;
    WM_TRY(read_prefix(header, &at, it, error));
    if (!wm_accelsim_hex(&at, UINT32_MAX, &it->pc))
        return wm_fail(error, WM_INVALID, "the pc is missing or wrong");
    if (!wm_accelsim_hex(&at, UINT32_MAX, &mask))
        return wm_fail(error, WM_INVALID, "the mask of lanes is missing or wrong");
    it->mask = (uint32_t)mask;
    it->words = skip_blanks(at);
    WM_TRY(skip_registers(&at, "destination", error));
    size_t length;
    const char *opcode = wm_accelsim_word(&at, &length);
    if (!is_opcode(opcode, length))
        return wm_fail(error, WM_INVALID, "\"%.*s\" stands where an opcode is expected",
                       (int)(length < 32 ? length : 32), opcode);
    WM_TRY(skip_registers(&at, "source", error));
    it->words_length = (size_t)(at - it->words);
    it->has_addresses = false;
    if (memmem(opcode, length, "GMMA", 4) != NULL && !wm_accelsim_decimal(&at, UINT32_MAX, &width))
        return wm_fail(error, WM_INVALID, "the commit group's number is missing or wrong");
    if (!wm_accelsim_decimal(&at, 4096, &width))
        return wm_fail(error, WM_INVALID, "the width of the access is missing or wrong");
    it->width = (uint32_t)width;
    if (width == 0)
        return WM_OK;
    struct wm_sass_opcode class = {0};
    if (opcode[0] == 'U')
        wm_sass_opcode(opcode, length, &class);
    return class.is_tma ? WM_OK : read_addresses(&at, it, error);
}

void wm_accelsim_words_read(const char *words, size_t length, struct wm_accelsim_words *read)
{
    *read = (struct wm_accelsim_words){0};
    const char *at = words, *end = words + length;
    uint64_t count = 0;
    for (int part = 0; part < 2; part++) {
        size_t bytes;
        const char *word = wm_accelsim_word(&at, &bytes);
        count = 0;
        for (size_t i = 0; i < bytes; i++)
            count = count * 10 + (uint64_t)(word[i] - '0');
        uint32_t first = read->destination_count;
        for (uint32_t i = 0; i < count && at < end; i++)
            read->registers[first + i] = wm_accelsim_word(&at, &read->register_lengths[first + i]);
        if (part == 1)
            break;
        read->destination_count = (uint32_t)count;
        read->opcode = wm_accelsim_word(&at, &read->opcode_length);
    }
    read->source_count = (uint32_t)count;
}
