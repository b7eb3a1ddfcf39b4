#include "source/program/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum wm_status wm_elf_open(const char *path, struct wm_elf_file *file, struct wm_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (descriptor < 0 || fstat(descriptor, &facts) != 0) {
        wm_fail(error, WM_IO, "cannot read it: %s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return wm_error_place(error, "%s", path);
    }
    file->size_bytes = (uint64_t)facts.st_size;
    void *data = file->size_bytes
                     ? mmap(NULL, file->size_bytes, PROT_READ, MAP_PRIVATE, descriptor, 0)
                     : MAP_FAILED;
    close(descriptor);
    if (data == MAP_FAILED) {
        wm_fail(error, WM_INVALID, "it is empty or cannot be mapped");
        return wm_error_place(error, "%s", path);
    }
    file->data = data;
    return WM_OK;
}

void wm_elf_close(struct wm_elf_file *file)
{
    if (file->data)
        munmap((void *)(uintptr_t)file->data, file->size_bytes);
    file->data = NULL;
}

bool wm_elf_has_magic(const struct wm_elf_file *file)
{
    return file->size_bytes >= SELFMAG && memcmp(file->data, ELFMAG, SELFMAG) == 0;
}

static bool inside(const struct wm_elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size_bytes && size <= file->size_bytes - offset;
}

static bool read_header(const struct wm_elf_file *file, Elf64_Ehdr *header)
{
    if (!inside(file, 0, sizeof *header))
        return false;
    memcpy(header, file->data, sizeof *header);
    return true;
}

static enum wm_status check_sections(const struct wm_elf_file *file, const Elf64_Ehdr *header,
                                     struct wm_error *error)
{
    if (header->e_shnum > 0 &&
        (header->e_shentsize != sizeof(Elf64_Shdr) ||
         !inside(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr))))
        return wm_fail(error, WM_INVALID, "its section headers lie outside the file");
    return WM_OK;
}

enum wm_status wm_elf_check(const struct wm_elf_file *file, struct wm_error *error)
{
    Elf64_Ehdr header;
    if (file->size_bytes > EI_CLASS && file->data[EI_CLASS] == ELFCLASS32) {
        wm_fail(error, WM_UNSUPPORTED, "it is a 32-bit program");
        return wm_error_hint(error, "CUDA has had no 32-bit programs since version 12: build it "
                                    "for x86-64");
    }
    if (!read_header(file, &header))
        return wm_fail(error, WM_INVALID, "its ELF header is cut off");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64)
        return wm_fail(error, WM_UNSUPPORTED, "it is a program for another processor (machine %u)",
                       (unsigned)header.e_machine);
    if (header.e_type == ET_REL)
        return check_sections(file, &header, error);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return wm_fail(error, WM_INVALID, "it is an ELF file but no program");
    if (!inside(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)) ||
        (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr)))
        return wm_fail(error, WM_INVALID, "its program headers lie outside the file");
    return check_sections(file, &header, error);
}

bool wm_elf_is_object(const struct wm_elf_file *file)
{
    Elf64_Ehdr header;
    return read_header(file, &header) && header.e_type == ET_REL;
}

static void section_header(const struct wm_elf_file *file, const Elf64_Ehdr *header, uint32_t index,
                           Elf64_Shdr *section)
{
    memcpy(section, file->data + header->e_shoff + index * sizeof *section, sizeof *section);
}

// A NUL-terminated text of a string table, or NULL.
static const char *text_at(const struct wm_elf_part *table, uint64_t offset)
{
    if (offset >= table->size_bytes || !memchr(table->data + offset, 0, table->size_bytes - offset))
        return NULL;
    return (const char *)table->data + offset;
}

bool wm_elf_section(const struct wm_elf_file *file, const char *name, uint32_t *from,
                    struct wm_elf_part *part)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    if (!read_header(file, &header) || header.e_shstrndx >= header.e_shnum)
        return false;
    section_header(file, &header, header.e_shstrndx, &names);
    if (!inside(file, names.sh_offset, names.sh_size))
        return false;
    struct wm_elf_part table = {NULL, file->data + names.sh_offset, names.sh_size};
    while (*from < header.e_shnum) {
        section_header(file, &header, (*from)++, &section);
        const char *found = text_at(&table, section.sh_name);
        if (section.sh_type == SHT_NOBITS || !found || strcmp(found, name) != 0 ||
            !inside(file, section.sh_offset, section.sh_size))
            continue;
        *part = (struct wm_elf_part){found, file->data + section.sh_offset, section.sh_size};
        return true;
    }
    return false;
}

// The next segment of a type, from number `*from` on, that lies inside the file.
static bool next_segment(const struct wm_elf_file *file, uint32_t type, uint32_t *from,
                         Elf64_Phdr *segment)
{
    Elf64_Ehdr header;
    if (!read_header(file, &header))
        return false;
    while (*from < header.e_phnum) {
        memcpy(segment, file->data + header.e_phoff + (*from)++ * sizeof *segment, sizeof *segment);
        if (segment->p_type == type && inside(file, segment->p_offset, segment->p_filesz))
            return true;
    }
    return false;
}

bool wm_elf_loaded_at(const struct wm_elf_file *file, uint64_t address, struct wm_elf_part *part)
{
    Elf64_Phdr segment;
    for (uint32_t from = 0; next_segment(file, PT_LOAD, &from, &segment);) {
        if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
            continue;
        uint64_t skipped = address - segment.p_vaddr;
        *part = (struct wm_elf_part){NULL, file->data + segment.p_offset + skipped,
                                     segment.p_filesz - skipped};
        return true;
    }
    return false;
}

static bool dynamic_section(const struct wm_elf_file *file, struct wm_elf_part *part)
{
    Elf64_Phdr segment;
    uint32_t from = 0;
    if (!next_segment(file, PT_DYNAMIC, &from, &segment))
        return false;
    *part = (struct wm_elf_part){NULL, file->data + segment.p_offset, segment.p_filesz};
    return true;
}

static bool dynamic_entry(const struct wm_elf_part *part, uint32_t index, Elf64_Dyn *entry)
{
    if ((uint64_t)(index + 1) * sizeof *entry > part->size_bytes)
        return false;
    memcpy(entry, part->data + index * sizeof *entry, sizeof *entry);
    return entry->d_tag != DT_NULL;
}

static bool dynamic_strings(const struct wm_elf_file *file, const struct wm_elf_part *part,
                            struct wm_elf_part *strings)
{
    Elf64_Dyn entry;
    uint64_t address = 0, size_bytes = 0;
    for (uint32_t i = 0; dynamic_entry(part, i, &entry); i++) {
        if (entry.d_tag == DT_STRTAB)
            address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ)
            size_bytes = entry.d_un.d_val;
    }
    if (!wm_elf_loaded_at(file, address, strings))
        return false;
    if (size_bytes < strings->size_bytes)
        strings->size_bytes = size_bytes;
    return true;
}

bool wm_elf_dynamic(const struct wm_elf_file *file, uint32_t *from, int64_t *tag, const char **text)
{
    struct wm_elf_part part, strings;
    Elf64_Dyn entry;
    if (!dynamic_section(file, &part) || !dynamic_entry(&part, *from, &entry))
        return false;
    (*from)++;
    *tag = entry.d_tag;
    bool named = entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH ||
                 entry.d_tag == DT_SONAME;
    *text = named && dynamic_strings(file, &part, &strings) ? text_at(&strings, entry.d_un.d_val)
                                                            : NULL;
    return true;
}

bool wm_elf_dynamic_value(const struct wm_elf_file *file, int64_t tag, uint64_t *value)
{
    struct wm_elf_part part;
    Elf64_Dyn entry;
    if (!dynamic_section(file, &part))
        return false;
    for (uint32_t i = 0; dynamic_entry(&part, i, &entry); i++) {
        *value = entry.d_un.d_val;
        if (entry.d_tag == tag)
            return true;
    }
    return false;
}

// Whether a string table holds this string, from its first character on.
static bool holds(const struct wm_elf_part *strings, const char *text)
{
    // With its NUL, and the one of the string before it.
    size_t length = strlen(text) + 1;
    for (const uint8_t *at = strings->data; at;) {
        uint64_t left = strings->size_bytes - (uint64_t)(at - strings->data);
        at = memmem(at, left, text, length);
        if (at && (at == strings->data || at[-1] == 0))
            return true;
        at = at ? at + 1 : NULL;
    }
    return false;
}

bool wm_elf_mentions(const struct wm_elf_file *file, const char *symbol)
{
    struct wm_elf_part part, strings;
    return dynamic_section(file, &part) && dynamic_strings(file, &part, &strings) &&
           holds(&strings, symbol);
}

// ---- The symbol table --------------------------------------------------------------------------

bool wm_elf_symbols_open(const struct wm_elf_file *file, struct wm_elf_symbols *symbols)
{
    Elf64_Ehdr header;
    Elf64_Shdr section, names;
    if (!read_header(file, &header))
        return false;
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        section_header(file, &header, i, &section);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum)
            continue;
        section_header(file, &header, section.sh_link, &names);
        if (!inside(file, section.sh_offset, section.sh_size) ||
            !inside(file, names.sh_offset, names.sh_size))
            return false;
        symbols->table =
            (struct wm_elf_part){NULL, file->data + section.sh_offset, section.sh_size};
        symbols->names = (struct wm_elf_part){NULL, file->data + names.sh_offset, names.sh_size};
        return true;
    }
    return false;
}

bool wm_elf_symbols_mention(const struct wm_elf_symbols *symbols, const char *name)
{
    return holds(&symbols->names, name);
}

static bool next_symbol(const struct wm_elf_symbols *symbols, uint32_t *from, unsigned type,
                        uint64_t least_bytes, struct wm_elf_symbol *found)
{
    Elf64_Sym symbol;
    while ((uint64_t)*from < symbols->table.size_bytes / sizeof symbol) {
        memcpy(&symbol, symbols->table.data + (uint64_t)(*from)++ * sizeof symbol, sizeof symbol);
        const char *name = text_at(&symbols->names, symbol.st_name);
        if (ELF64_ST_TYPE(symbol.st_info) != type || symbol.st_shndx == SHN_UNDEF || !name ||
            symbol.st_size < least_bytes)
            continue;
        *found = (struct wm_elf_symbol){name, symbol.st_value, symbol.st_size};
        return true;
    }
    return false;
}

bool wm_elf_function_next(const struct wm_elf_symbols *symbols, uint32_t *from,
                          struct wm_elf_symbol *function)
{
    return next_symbol(symbols, from, STT_FUNC, 0, function);
}

bool wm_elf_variable_next(const struct wm_elf_symbols *symbols, uint32_t *from,
                          struct wm_elf_symbol *variable)
{
    return next_symbol(symbols, from, STT_OBJECT, 1, variable);
}
