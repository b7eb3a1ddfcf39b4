// Which instruction of one kernel is which of another: of two builds of one source, or of one
// build.
#include "study/compare/compare.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ALIGNED = 4096 }; // instructions: the table of an alignment has their square

static bool same_file(const struct wm_model_instruction *a, const struct wm_model_instruction *b)
{
    if (a->file == NULL || b->file == NULL)
        return a->file == b->file;
    return strcmp(a->file, b->file) == 0;
}

static bool same_text(const struct wm_model_instruction *a, const struct wm_model_instruction *b)
{
    return a->line == b->line && same_file(a, b) && strcmp(a->text, b->text) == 0;
}

static bool same_opcode(const struct wm_model_instruction *a, const struct wm_model_instruction *b)
{
    return a->line == b->line && a->file != NULL && same_file(a, b) &&
           strcmp(a->opcode, b->opcode) == 0;
}

typedef bool likeness(const struct wm_model_instruction *a, const struct wm_model_instruction *b);

// The first of b that is free and alike, for each of a in order.
static void match_by(const struct wm_model_kernel *a, const struct wm_model_kernel *b,
                     likeness *alike, uint32_t *like, bool *taken)
{
    uint32_t from = 0; // most often the next one
    for (uint32_t i = 0; i < a->instruction_count; i++) {
        if (like[i] != UINT32_MAX)
            continue;
        for (uint32_t n = 0; n < b->instruction_count; n++) {
            uint32_t j =
                from + n < b->instruction_count ? from + n : from + n - b->instruction_count;
            if (taken[j] || !alike(&a->instructions[i], &b->instructions[j]))
                continue;
            like[i] = j;
            taken[j] = true;
            from = j + 1 < b->instruction_count ? j + 1 : 0;
            break;
        }
    }
}

static bool has_file(const struct wm_model_kernel *kernel, const char *file)
{
    const char *last = NULL; // compared already: files come in runs
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const char *at = kernel->instructions[i].file;
        if (at == NULL || (last != NULL && strcmp(at, last) == 0))
            continue;
        if (strcmp(at, file) == 0)
            return true;
        last = at;
    }
    return false;
}

// Of each instruction, whether its source file has no instruction in the other kernel: a copy of
// the source under another name has other files, and the same code.
static void find_files_alone(const struct wm_model_kernel *kernel,
                             const struct wm_model_kernel *other, bool *alone)
{
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const char *file = kernel->instructions[i].file;
        bool as_before = i > 0 && same_file(&kernel->instructions[i - 1], &kernel->instructions[i]);
        alone[i] = as_before ? alone[i - 1] : file != NULL && !has_file(other, file);
    }
}

// What is left of one side: indices in order.
static uint32_t left_over(uint32_t count, const uint32_t *like, const bool *taken, uint32_t *left)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (like != NULL ? like[i] == UINT32_MAX : !taken[i])
            left[found++] = i;
    return found;
}

// The longest common subsequence of opcodes (as diff's), over what no line has matched: an edit
// above moves lines and renumbers registers, and a copy of the source has another name.
static bool align(const struct wm_model_kernel *a, const struct wm_model_kernel *b, uint32_t *like,
                  const bool *taken)
{
    uint32_t *left_a = malloc((a->instruction_count + UINT64_C(1)) * sizeof *left_a);
    uint32_t *left_b = malloc((b->instruction_count + UINT64_C(1)) * sizeof *left_b);
    uint32_t rows = left_a == NULL ? 0 : left_over(a->instruction_count, like, NULL, left_a);
    uint32_t columns = left_b == NULL ? 0 : left_over(b->instruction_count, NULL, taken, left_b);
    bool *alone_a = calloc(a->instruction_count + UINT64_C(1), sizeof *alone_a);
    bool *alone_b = calloc(b->instruction_count + UINT64_C(1), sizeof *alone_b);
    if (alone_a != NULL && alone_b != NULL) {
        find_files_alone(a, b, alone_a);
        find_files_alone(b, a, alone_b);
    }
    bool aligned = alone_a != NULL && alone_b != NULL && rows != 0 && columns != 0 &&
                   rows <= MOST_ALIGNED && columns <= MOST_ALIGNED;
    size_t width = columns + (size_t)1;
    uint16_t *longest = aligned ? calloc((rows + (size_t)1) * width, sizeof *longest) : NULL;
    bool good = left_a != NULL && left_b != NULL && alone_a != NULL && alone_b != NULL &&
                (longest != NULL || !aligned);
#define ALIKE(i, j)                                                          \
    ((same_file(&a->instructions[left_a[i]], &b->instructions[left_b[j]]) || \
      (alone_a[left_a[i]] && alone_b[left_b[j]])) &&                         \
     strcmp(a->instructions[left_a[i]].opcode, b->instructions[left_b[j]].opcode) == 0)
    for (uint32_t i = rows; longest != NULL && i-- > 0;)
        for (uint32_t j = columns; j-- > 0;) {
            uint16_t below = longest[(i + 1) * width + j], right = longest[i * width + j + 1];
            longest[i * width + j] = ALIKE(i, j) ? (uint16_t)(longest[(i + 1) * width + j + 1] + 1)
                                     : below > right ? below
                                                     : right;
        }
    for (uint32_t i = 0, j = 0; longest != NULL && i < rows && j < columns;) {
        if (ALIKE(i, j)) {
            like[left_a[i++]] = left_b[j++];
        } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
#undef ALIKE
    free(left_a);
    free(left_b);
    free(alone_a);
    free(alone_b);
    free(longest);
    return good;
}

bool wm_compare_match(const struct wm_model_kernel *a, const struct wm_model_kernel *b,
                      uint32_t *like)
{
    for (uint32_t i = 0; i < a->instruction_count; i++)
        like[i] = UINT32_MAX;
    bool *taken = calloc(b->instruction_count + (size_t)1, sizeof *taken);
    if (taken == NULL)
        return false;
    match_by(a, b, same_text, like, taken);
    match_by(a, b, same_opcode, like, taken);
    bool good = align(a, b, like, taken);
    free(taken);
    return good;
}
