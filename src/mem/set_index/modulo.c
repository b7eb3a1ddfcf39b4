// The line number modulo the number of sets: the low index bits of textbooks when the number is a
// power of two, a division when it is not (384 sets for 768 KiB of 128-byte lines in 16 ways).
#include "mem/set_index/entries.h"

static bool supports(uint32_t sets)
{
    return sets > 0;
}

static uint32_t modulo(uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    (void)line_bytes;
    return (uint32_t)(line % sets);
}

const struct wm_set_index_ops wm_set_index_modulo = {
    .name = "modulo",
    .title = "modulo",
    .source = "Hennessy and Patterson, Computer Architecture, appendix B.1",
    .sentence = "takes the line number modulo the number of sets",
    .sets = "any number of sets",
    .supports = supports,
    .index = modulo,
    .is_modulo = true,
};
