// What the program's threads have executed unseen: said when it ends, once. Libraries of the
// program's own that were not instrumented; those of the system are left out, as of every program
// they are not followed. And children of fork().
#include "host_trace/not_traced.h"

#include "host_trace/objects.h"
#include "host_trace/recorder.h"
#include "source/program/elf_file.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say_fork(void)
{
    static bool said;
    if (wm_host_recorder.channel >= 0 && !said)
        dprintf(STDERR_FILENO,
                "note: the program has called fork(): what the child accesses is not followed\n");
    said = true;
}

void wm_host_not_traced_start(void)
{
    pthread_atfork(NULL, say_fork, NULL);
}

// Each instrumented object calls this when it is loaded.
static bool is_instrumented(const struct wm_elf_file *file)
{
    return wm_elf_mentions(file, "__tsan_init");
}

// Of its symbol table, which may be stripped: 0.
static uint32_t count_functions(const struct wm_elf_file *file)
{
    struct wm_elf_symbols symbols;
    struct wm_elf_symbol function;
    uint32_t from = 0, count = 0;
    if (!wm_elf_symbols_open(file, &symbols))
        return 0;
    while (wm_elf_function_next(&symbols, &from, &function))
        count += function.size_bytes > 0;
    return count;
}

static void say_library(const char *path, uint32_t functions)
{
    const char *name = strrchr(path, '/') + 1;
    if (functions != 0)
        dprintf(STDERR_FILENO,
                "note: %s is not instrumented: what its %u function%s access%s is not followed\n",
                name, functions, functions == 1 ? "" : "s", functions == 1 ? "es" : "");
    else
        dprintf(STDERR_FILENO,
                "note: %s is not instrumented: what its functions access is not followed\n", name);
}

static int look_at(struct dl_phdr_info *object, size_t size, void *unused)
{
    struct wm_elf_file file;
    struct wm_error error;
    (void)size, (void)unused;
    wm_error_clear(&error);
    if (!wm_host_is_programs_library(object->dlpi_name) ||
        wm_elf_open(object->dlpi_name, &file, &error) != WM_OK)
        return 0;
    if (wm_elf_check(&file, &error) == WM_OK && !is_instrumented(&file))
        say_library(object->dlpi_name, count_functions(&file));
    wm_elf_close(&file);
    return 0;
}

__attribute__((destructor)) static void say_libraries(void)
{
    if (wm_host_recorder.channel >= 0)
        dl_iterate_phdr(look_at, NULL);
}
