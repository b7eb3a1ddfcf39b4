#include "cli/cc/not_traced.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// --- Objects ---

// The functions that an object's table defines; with code, as those of the C library's own start
// have none. An instrumented object has undefined symbols of the instrumentation.
static uint32_t count_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool *traced)
{
    Elf_Data *data = elf_getdata(section, NULL);
    uint32_t functions = 0;
    GElf_Sym symbol;
    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        bool defined = symbol.st_shndx != SHN_UNDEF;
        *traced |= !defined && name != NULL && strncmp(name, "__sanitizer_cov_", 16) == 0;
        functions += defined && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0;
    }
    return functions;
}

static uint32_t count_in_object(Elf *elf)
{
    GElf_Ehdr file;
    GElf_Shdr header;
    uint32_t functions = 0;
    bool traced = false;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &file) == NULL || file.e_type != ET_REL)
        return 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB)
            functions += count_in_table(elf, section, &header, &traced);
    return traced ? 0 : functions;
}

uint32_t wm_cc_functions_not_traced(const char *path)
{
    uint32_t functions = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    elf_version(EV_CURRENT);
    Elf *whole = elf_begin(file, ELF_C_READ, NULL);
    if (elf_kind(whole) == ELF_K_AR) {
        Elf_Cmd command = ELF_C_READ;
        for (Elf *member; (member = elf_begin(file, command, whole)) != NULL; elf_end(member)) {
            functions += count_in_object(member);
            command = elf_next(member);
        }
    } else {
        functions = count_in_object(whole);
    }
    elf_end(whole);
    close(file);
    return functions;
}

// --- Inline assembly ---

// A line with neither an instruction nor a directive of the compiler's.
static bool says_nothing(const char *line, size_t length)
{
    size_t blanks = strspn(line, " \t");
    return blanks >= length || line[blanks] == '#' || line[blanks] == '.';
}

// Clang puts each piece between #APP and #NO_APP; one without instructions orders what the compiler
// does alone.
uint32_t wm_cc_inline_assembly(const char *assembly)
{
    uint32_t pieces = 0;
    bool inside = false, counted = false;
    for (const char *line = assembly; *line != '\0';) {
        size_t length = strcspn(line, "\n"), blanks = strspn(line, " \t");
        const char *word = line + blanks;
        if (strncmp(word, "#APP", 4) == 0) {
            inside = true;
            counted = false;
        } else if (strncmp(word, "#NO_APP", 7) == 0) {
            inside = false;
        } else if (inside && !counted && !says_nothing(line, length)) {
            pieces++;
            counted = true;
        }
        line += length + (line[length] == '\n');
    }
    return pieces;
}
