#include "cli/cc/block_counts.h"

#include "base/containers/array.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TABLE_ENTRY = 16, // of __sancov_pcs: the block's address, and flags
    GUARD_BYTES = 4,
};

struct object {
    int file;
    Elf *elf; // owned, as is the file
    uint32_t section_count;
    size_t names; // the section of sections' names
};

// A block of the object that is disassembled.
struct block {
    uint64_t offset; // in its section
    uint32_t section, number;
    uint32_t instructions;
    uint32_t counters; // instructions that change its counter
    bool jumps;        // its last instruction is a jump, without a condition
};

struct counting {
    const char *path;
    struct object object;
    struct block *blocks; // owned; by number, then by place
    uint32_t count, room;
    // Of the section that is read.
    uint32_t section, next; // index of the block that comes next
    struct block *now;      // NULL: none of the source's
    bool left;              // behind a jump that is taken always, or of a loop, most often
};

// --- Objects ---

static enum wm_status no_object(const char *path, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "is no object that clang makes here");
    return wm_error_place(error, "%s", path);
}

static void close_object(struct object *object)
{
    elf_end(object->elf);
    close(object->file);
}

static bool read_object(struct object *object)
{
    size_t count;
    const Elf64_Ehdr *header = elf64_getehdr(object->elf);
    if (header == NULL || header->e_type != ET_REL || elf_getshdrnum(object->elf, &count) != 0 ||
        elf_getshdrstrndx(object->elf, &object->names) != 0 || count > UINT32_MAX)
        return false;
    object->section_count = (uint32_t)count;
    for (uint32_t i = 0; i < object->section_count; i++)
        if (elf64_getshdr(elf_getscn(object->elf, i)) == NULL)
            return false;
    return true;
}

static enum wm_status open_object(const char *path, struct object *object, struct wm_error *error)
{
    object->file = open(path, O_RDONLY | O_CLOEXEC);
    if (object->file < 0)
        return wm_fail(error, WM_IO, "cannot read \"%s\": %s", path, strerror(errno));
    elf_version(EV_CURRENT);
    object->elf = elf_begin(object->file, ELF_C_READ, NULL);
    if (read_object(object))
        return WM_OK;
    close_object(object);
    return no_object(path, error);
}

static const Elf64_Shdr *section_of(const struct object *object, uint32_t section)
{
    return elf64_getshdr(elf_getscn(object->elf, section));
}

// What a section has, NULL: nothing that can be read; and how many items of so many bytes.
static const void *items_of(const struct object *object, uint32_t section, size_t bytes,
                            uint64_t *count)
{
    const Elf_Data *data = elf_getdata(elf_getscn(object->elf, section), NULL);
    *count = data != NULL && data->d_buf != NULL ? data->d_size / bytes : 0;
    return *count != 0 ? data->d_buf : NULL;
}

static bool is_named(const struct object *object, uint32_t section, const char *name, size_t length)
{
    const char *own = elf_strptr(object->elf, object->names, section_of(object, section)->sh_name);
    return own != NULL && strncmp(own, name, length) == 0 && own[length] == '\0';
}

static bool is_table(const struct object *object, uint32_t section)
{
    return is_named(object, section, "__sancov_pcs", strlen("__sancov_pcs"));
}

static bool is_guards(const struct object *object, uint32_t section)
{
    return is_named(object, section, "__sancov_guards", strlen("__sancov_guards"));
}

// --- Where the blocks are ---

// Sets the places of a table's blocks, as its relocations have them.
static bool read_relocations(struct counting *counting, uint32_t relocations, struct block *blocks,
                             uint64_t count)
{
    const struct object *object = &counting->object;
    uint64_t item_count, symbol_count;
    const Elf64_Rela *items = items_of(object, relocations, sizeof *items, &item_count);
    const Elf64_Sym *symbols =
        items_of(object, section_of(object, relocations)->sh_link, sizeof *symbols, &symbol_count);
    for (uint64_t i = 0; i < item_count; i++) {
        uint64_t entry = items[i].r_offset / TABLE_ENTRY, symbol = ELF64_R_SYM(items[i].r_info);
        if (items[i].r_offset % TABLE_ENTRY != 0)
            continue;
        if (entry >= count || symbol >= symbol_count)
            return false;
        blocks[entry].section = symbols[symbol].st_shndx;
        blocks[entry].offset = symbols[symbol].st_value + (uint64_t)items[i].r_addend;
    }
    return true;
}

static enum wm_status add_table(struct counting *counting, uint32_t table, struct wm_error *error)
{
    const struct object *object = &counting->object;
    uint64_t count = section_of(object, table)->sh_size / TABLE_ENTRY;
    if (count > UINT32_MAX / 2 ||
        !WM_ARRAY_RESERVE(counting->blocks, counting->count, counting->room, count))
        return wm_fail_no_memory(error, "the blocks of a program");
    struct block *blocks = counting->blocks + counting->count;
    for (uint64_t i = 0; i < count; i++)
        blocks[i] = (struct block){.number = counting->count + (uint32_t)i};
    counting->count += (uint32_t)count;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = section_of(object, i);
        if (section->sh_type == SHT_RELA && section->sh_info == table &&
            !read_relocations(counting, i, blocks, count))
            return no_object(counting->path, error);
    }
    return WM_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct block *left = a, *right = b;
    if (left->section != right->section)
        return left->section < right->section ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static int by_number(const void *a, const void *b)
{
    const struct block *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

// --- The disassembly ---

static void begin_section(struct counting *counting, const char *name, size_t length)
{
    const struct object *object = &counting->object;
    uint32_t section = counting->section + 1;
    while (section < object->section_count && !is_named(object, section, name, length))
        section++;
    counting->section = section;
    counting->now = NULL;
    counting->next = 0;
    while (counting->next < counting->count && counting->blocks[counting->next].section < section)
        counting->next++;
}

// What fills up to a place that is aligned.
static bool fills(const char *instruction)
{
    return strncmp(instruction, "nop", 3) == 0 || strncmp(instruction, "cs nop", 6) == 0 ||
           strncmp(instruction, "data16", 6) == 0 ||
           strncmp(instruction, "xchg   %ax,%ax", 14) == 0;
}

static bool is_named_word(const char *instruction, const char *name)
{
    size_t length = strlen(name);
    return strncmp(instruction, name, length) == 0 &&
           (instruction[length] == ' ' || instruction[length] == '\n' ||
            instruction[length] == '\0');
}

// Of a jump: whether it goes back into its own block or the one before, as small loops do.
static bool loops(const struct counting *counting, const char *instruction, uint64_t offset)
{
    const char *text = instruction + strcspn(instruction, " \n");
    uint64_t target = *text == ' ' ? strtoull(text, NULL, 16) : UINT64_MAX;
    const struct block *now = counting->now;
    bool has_before = now != counting->blocks && now[-1].section == now->section;
    return target <= offset && target >= now[has_before ? -1 : 0].offset;
}

static void take_instruction(struct counting *counting, uint64_t offset, const char *instruction)
{
    while (counting->next < counting->count) {
        struct block *block = &counting->blocks[counting->next];
        if (block->section != counting->section || block->offset > offset)
            break;
        counting->now = block;
        counting->left = false;
        counting->next++;
    }
    if (counting->now == NULL || counting->left || fills(instruction))
        return;
    counting->now->instructions++;
    counting->now->jumps = is_named_word(instruction, "jmp");
    counting->left = counting->now->jumps || is_named_word(instruction, "ret") ||
                     is_named_word(instruction, "ud2") ||
                     (instruction[0] == 'j' && loops(counting, instruction, offset));
}

// A line with an address: a function's name, an instruction, or what the linker does to the one
// before.
static void take_line(struct counting *counting, const char *line)
{
    static const char heading[] = "Disassembly of section ";
    if (strncmp(line, heading, sizeof heading - 1) == 0) {
        const char *name = line + sizeof heading - 1;
        begin_section(counting, name, strcspn(name, ":\n"));
        return;
    }
    char *end;
    uint64_t offset = strtoull(line, &end, 16);
    if (end == line)
        return;
    if (strncmp(end, " <", 2) == 0) {
        counting->now = NULL; // behind the end of the function before
    } else if (strncmp(end, ": R_", 4) == 0) {
        size_t length = strcspn(end, "\n");
        if (counting->now != NULL && memmem(end, length, "__sancov_cntrs", 14) != NULL)
            counting->now->counters++;
    } else if (strncmp(end, ":\t", 2) == 0) {
        take_instruction(counting, offset, end + 2);
    }
}

static void read_disassembly(struct counting *counting, const char *text)
{
    while (*text != '\0') {
        take_line(counting, text);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

// A counter is changed by one instruction, or without optimization loaded, changed and stored.
static uint32_t own_instructions(const struct block *block)
{
    uint32_t ours = block->counters > 1 ? block->counters + 1 : block->counters;
    // An edge between two blocks that has a block of its own only to be counted.
    if (block->jumps && block->instructions == ours + 1)
        return 0;
    return block->instructions > ours ? block->instructions - ours : 0;
}

// --- Into the traced object ---

static enum wm_status differ(const char *path, struct wm_error *error)
{
    wm_fail(error, WM_INVALID,
            "its instructions cannot be counted: clang has made other blocks "
            "without what traces them");
    return wm_error_place(error, "%s", path);
}

static enum wm_status write_guards(const char *path, const struct object *object, uint32_t section,
                                   const struct block *blocks, struct wm_error *error)
{
    const Elf64_Shdr *guards = section_of(object, section);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0;
    for (uint64_t i = 0; good && i < guards->sh_size / GUARD_BYTES; i++) {
        uint32_t count = own_instructions(&blocks[i]);
        good = pwrite(file, &count, sizeof count, (off_t)(guards->sh_offset + i * GUARD_BYTES)) ==
               sizeof count;
    }
    int why = errno;
    if (file >= 0)
        close(file);
    return good ? WM_OK : wm_fail(error, WM_IO, "cannot write \"%s\": %s", path, strerror(why));
}

static enum wm_status write_counts(const struct counting *counting, const char *path,
                                   const struct object *traced, struct wm_error *error)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < traced->section_count; i++) {
        if (!is_guards(traced, i))
            continue;
        uint64_t count = section_of(traced, i)->sh_size / GUARD_BYTES;
        if (count > counting->count - done)
            return differ(path, error);
        WM_TRY(write_guards(path, traced, i, counting->blocks + done, error));
        done += (uint32_t)count;
    }
    return done == counting->count ? WM_OK : differ(path, error);
}

static enum wm_status count_blocks(struct counting *counting, const char *disassembly,
                                   const char *path, const struct object *traced,
                                   struct wm_error *error)
{
    for (uint32_t i = 0; i < counting->object.section_count; i++)
        if (is_table(&counting->object, i))
            WM_TRY(add_table(counting, i, error));
    if (counting->count > 0)
        qsort(counting->blocks, counting->count, sizeof *counting->blocks, by_place);
    read_disassembly(counting, disassembly);
    if (counting->count > 0)
        qsort(counting->blocks, counting->count, sizeof *counting->blocks, by_number);
    return write_counts(counting, path, traced, error);
}

enum wm_status wm_cc_count_blocks(const char *traced, const char *counted, const char *disassembly,
                                  struct wm_error *error)
{
    struct counting counting = {.path = counted};
    struct object object;
    WM_TRY(open_object(counted, &counting.object, error));
    enum wm_status status = open_object(traced, &object, error);
    if (status == WM_OK) {
        status = count_blocks(&counting, disassembly, traced, &object, error);
        close_object(&object);
    }
    close_object(&counting.object);
    free(counting.blocks);
    return status;
}
