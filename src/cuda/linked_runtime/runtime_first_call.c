#include "cuda/linked_runtime/runtime_entry.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

// All targets are wm_runtime_first_call at first. It keeps the registers that carry arguments, has
// the targets found and jumps to the one of its entry. A function that ours lacks leads to
// wm_runtime_refusal, which calls `wm_runtime_refuse(name, &refused)`.
void wm_runtime_first_call(void);
void wm_runtime_refusal(void);
void wm_runtime_load(const struct wm_runtime_entry *entry);
void *wm_runtime_refuse; // wm_cuda_refuse of our libraries

_Static_assert(offsetof(struct wm_runtime_entry, target) == 0 &&
                   offsetof(struct wm_runtime_entry, name) == 8 &&
                   offsetof(struct wm_runtime_entry, refused) == 16,
               "as the code below reads it through r11");

// clang-format off
#define SAVE(number) "movups %xmm" #number ", " #number "*16(%rsp)\n"
#define RESTORE(number) "movups " #number "*16(%rsp), %xmm" #number "\n"
__asm__(".text\n"
        ".globl wm_runtime_first_call\n.hidden wm_runtime_first_call\n"
        ".type wm_runtime_first_call, @function\n"
        "wm_runtime_first_call:\n"
        "endbr64\n"
        "push %rbp\n" "mov %rsp, %rbp\n"
        "push %rax\n" "push %rdi\n" "push %rsi\n" "push %rdx\n"
        "push %rcx\n" "push %r8\n" "push %r9\n" "push %r11\n"
        "sub $128, %rsp\n"
        SAVE(0) SAVE(1) SAVE(2) SAVE(3) SAVE(4) SAVE(5) SAVE(6) SAVE(7)
        "mov %r11, %rdi\n"
        "call wm_runtime_load\n"
        RESTORE(0) RESTORE(1) RESTORE(2) RESTORE(3) RESTORE(4) RESTORE(5) RESTORE(6) RESTORE(7)
        "add $128, %rsp\n"
        "pop %r11\n" "pop %r9\n" "pop %r8\n" "pop %rcx\n"
        "pop %rdx\n" "pop %rsi\n" "pop %rdi\n" "pop %rax\n"
        "pop %rbp\n"
        "jmp *(%r11)\n"
        ".size wm_runtime_first_call, . - wm_runtime_first_call\n"
        ".globl wm_runtime_refusal\n.hidden wm_runtime_refusal\n"
        ".type wm_runtime_refusal, @function\n"
        "wm_runtime_refusal:\n"
        "endbr64\n"
        "mov 8(%r11), %rdi\n"
        "lea 16(%r11), %rsi\n"
        "jmp *wm_runtime_refuse(%rip)\n"
        ".size wm_runtime_refusal, . - wm_runtime_refusal\n");
// clang-format on

static struct wm_runtime_entries *_Atomic lists;
static const char *libraries;

void wm_runtime_entries_lead(struct wm_runtime_entries *list, const char *folder)
{
    libraries = folder;
    for (uint32_t i = 0; i < list->count; i++)
        list->entries[i].target = (void *)(uintptr_t)wm_runtime_first_call;
    list->next = lists;
    while (!atomic_compare_exchange_weak(&lists, &list->next, list))
        continue;
}

static const struct wm_runtime_entries *list_of(const struct wm_runtime_entry *entry)
{
    const struct wm_runtime_entries *list = lists;
    while (list && (entry < list->entries || entry >= list->entries + list->count))
        list = list->next;
    return list;
}

// As the dynamic loader does when a library of the program's is missing.
_Noreturn static void give_up(void)
{
    fprintf(stderr, "warpmem: error: the stand-in for the CUDA runtime cannot be loaded: %s\n",
            dlerror());
    _exit(127);
}

// Into the program's own namespace: an auditor has one to itself. No lock is taken that the loader
// does not take: a constructor may call from within dlopen. Two threads that come here together do
// the same twice.
static void *load(unsigned major)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/libcudart.so.%u%s", libraries, major, major == 11 ? ".0" : "");
    void *library = dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL);
    void *refuse = library ? dlsym(library, "wm_cuda_refuse") : NULL;
    if (!refuse)
        give_up();
    wm_runtime_refuse = refuse;
    return library;
}

void wm_runtime_load(const struct wm_runtime_entry *first)
{
    const struct wm_runtime_entries *list = list_of(first);
    void *library = load(list->major);
    for (uint32_t i = 0; i < list->count; i++) {
        void *target = dlsym(library, list->entries[i].name);
        list->entries[i].target = target ? target : (void *)(uintptr_t)wm_runtime_refusal;
    }
}
