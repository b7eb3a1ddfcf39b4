// Lines of `warpmem cc`: a line in, what it asks for out, as one text.
#include "cli/cc/command_line.h"

#include <criterion/criterion.h>

static void print_words(struct wm_text *text, const char *name, const struct wm_cc_words *words)
{
    if (words->count == 0)
        return;
    wm_text_format(text, " %s[", name);
    for (uint32_t i = 0; i < words->count; i++)
        wm_text_format(text, "%s%s", i ? " " : "", words->items[i]);
    wm_text_add(text, "]");
}

static void print_line(struct wm_text *text, const struct wm_cc_line *line)
{
    static const char *const kinds[] = {"cuda", "host", "object", "link"};
    static const char *const stops[] = {"syntax", "ptx", "object", "never"};
    wm_text_format(text, "%s %s", stops[line->stop], line->architecture);
    for (uint32_t i = 0; i < line->input_count; i++)
        wm_text_format(text, " %s:%s", kinds[line->inputs[i].kind], line->inputs[i].text);
    print_words(text, "both", &line->both);
    print_words(text, "host", &line->host);
    wm_text_format(text, "%s%s%s%s%s%s%s%s%s", line->output ? " o=" : "",
                   line->output ? line->output : "", line->keep ? " keep" : "",
                   line->verbose ? " verbose" : "", line->dry_run ? " dry" : "",
                   line->trace_host ? " trace" : "", line->host_only ? " host-only" : "",
                   line->names_optimization ? " O" : "", line->names_standard ? " std" : "");
}

static void check(const char *words, const char *expected)
{
    char copy[512];
    const char *list[64];
    uint32_t count = 0;
    struct wm_arena arena;
    struct wm_cc_line line;
    struct wm_error error;
    struct wm_text text;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *p = copy; *p;) {
        list[count++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    wm_arena_init(&arena);
    wm_text_init(&text);
    enum wm_status status = wm_cc_command_line_parse(list, count, &arena, &line, &error);
    if (status == WM_OK)
        print_line(&text, &line);
    else
        wm_text_format(&text, "%s: %s", wm_status_name(status), error.message);
    cr_expect_str_eq(text.data, expected, "\"%s\" gave\n  %s\nnot\n  %s", words, text.data,
                     expected);
    wm_text_release(&text);
    wm_arena_release(&arena);
}

Test(cc_line, files_are_known_by_their_endings)
{
    check("a.cu", "never sm_70 cuda:a.cu");
    check("a.cu b.c c.cc d.cpp e.cxx f.C",
          "never sm_70 cuda:a.cu host:b.c host:c.cc host:d.cpp host:e.cxx host:f.C");
    check("x.o lib/liby.a z.so libm.so.6", "never sm_70 object:x.o object:lib/liby.a object:z.so "
                                           "object:libm.so.6");
    check("-c -- -a.cu", "object sm_70 cuda:-a.cu");
    check("a.ptx", "invalid: \"a.ptx\" has an extension of no known kind of file");
    check(".cu", "invalid: \".cu\" has an extension of no known kind of file");
    check("-", "invalid: \"-\" has an extension of no known kind of file");
}

Test(cc_line, options_go_to_their_steps)
{
    check(
        "-DX=1 -D Y -I inc -O3 -std=c++20 -Wall -fno-exceptions a.cu",
        "never sm_70 cuda:a.cu both[-DX=1 -D Y -I inc -O3 -std=c++20 -Wall -fno-exceptions] O std");
    check("-g a.cu -march=native -MD -MF deps -O",
          "never sm_70 cuda:a.cu both[-O] host[-g -march=native -MD -MF deps] O");
    check("-Xcompiler -Wall,-fopenmp a.cu -g -Xcompiler=-DZ",
          "never sm_70 cuda:a.cu host[-Wall -fopenmp -g -DZ]");
    check("-include x.h -Xclang -disable-llvm-passes a.cu",
          "never sm_70 cuda:a.cu both[-include x.h -Xclang -disable-llvm-passes]");
}

// The order of files and libraries is the linker's.
Test(cc_line, the_linker_gets_its_words_in_place)
{
    check("a.cu -lx b.o -L lib -Wl,-z,now -Xlinker --as-needed -pthread c.a",
          "never sm_70 cuda:a.cu link:-lx object:b.o link:-L link:lib link:-Wl,-z,now "
          "link:-Xlinker link:--as-needed link:-pthread object:c.a host[-pthread]");
    check("a.cu -lcudart -cudart=shared -lineinfo", "never sm_70 cuda:a.cu");
}

Test(cc_line, what_is_made)
{
    check("-fsyntax-only a.cu b.c", "syntax sm_70 cuda:a.cu host:b.c");
    check("-c a.cu -fsyntax-only", "syntax sm_70 cuda:a.cu");
    check("-c a.cu", "object sm_70 cuda:a.cu");
    check("--ptx a.cu b.cu -arch=sm_80", "ptx sm_80 cuda:a.cu cuda:b.cu");
    check("a.cu -oapp", "never sm_70 cuda:a.cu o=app");
    check("a.cu -o app --keep -v", "never sm_70 cuda:a.cu o=app keep verbose");
    check("a.cu -save-temps --dry-run", "never sm_70 cuda:a.cu keep verbose dry");
    check("--gpu-architecture sm_75 a.cu", "never sm_75 cuda:a.cu");
    check("--keep a.cu a.cpp", "never sm_70 cuda:a.cu host:a.cpp keep");
    check("-c -o x.o a.cu y.o", "object sm_70 cuda:a.cu object:y.o o=x.o");
}

Test(cc_line, misuse)
{
    check("-O2", "invalid: no input file");
    check("a.cu -o", "invalid: option \"-o\" needs an argument");
    check("a.cu -o a.cu", "invalid: \"a.cu\" is an input and the output");
    check("-c --ptx a.cu", "invalid: -c and --ptx exclude each other");
    check("-c x/a.cu y/a.cu", "invalid: \"x/a.cu\" and \"y/a.cu\" would share their outputs' name");
    check("--ptx a.cu b.cu -o c", "invalid: -o names one file, and there would be 2");
    check("-arch=sm_ a.cu", "invalid: \"sm_\" names no architecture");
    check("-arch=sm_70x a.cu", "invalid: \"sm_70x\" names no architecture");
    check("--wrong a.cu", "invalid: unknown option \"--wrong\"");
    check("-static a.cu", "unsupported: option \"-static\" is not offered");
    check("-gencode=arch=compute_75 a.cu",
          "unsupported: option \"-gencode=arch=compute_75\" is not offered");
}

// The option is of host code as it is written: what would make other code of it is refused.
Test(cc_line, host_code_is_traced)
{
    check("--trace-host a.cu b.c -g -mavx2 -o app",
          "never sm_70 cuda:a.cu host:b.c host[-g -mavx2] o=app trace");
    check("-c a.cpp --trace-host", "object sm_70 host:a.cpp trace");
    check("--host-only a.c b.cpp --trace-host", "never sm_70 host:a.c host:b.cpp trace host-only");
    check("--host-only a.c b.cu", "invalid: --host-only compiles C and C++, and \"b.cu\" is CUDA");
    check("--ptx --host-only a.cu", "invalid: --host-only and --ptx exclude each other");
    check("-fsyntax-only --trace-host a.c -fno-vectorize", "syntax sm_70 host:a.c "
                                                           "both[-fno-vectorize] trace");
    static const char *const others[] = {"-shared",
                                         "-fsanitize=address",
                                         "-fno-sanitize=all",
                                         "-fsanitize-coverage=edge",
                                         "-fvectorize",
                                         "-fslp-vectorize",
                                         "-ftree-vectorize",
                                         "-ftree-slp-vectorize",
                                         "-flto",
                                         "-m32"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char words[128], expected[128];
        snprintf(words, sizeof words, "--trace-host a.cpp %s", others[i]);
        snprintf(expected, sizeof expected, "invalid: --trace-host and %s exclude each other",
                 others[i]);
        check(words, expected);
    }
    check("--ptx a.cu --trace-host", "invalid: --trace-host and --ptx exclude each other");
    check("a.cpp -Xcompiler -g,-fsanitize=thread --trace-host",
          "invalid: --trace-host and -fsanitize=thread exclude each other");
}

Test(cc_line, stems)
{
    struct wm_arena arena;
    wm_arena_init(&arena);
    cr_expect_str_eq(wm_cc_stem(&arena, "a.cu"), "a");
    cr_expect_str_eq(wm_cc_stem(&arena, "dir.d/a.b.cu"), "a.b");
    cr_expect_str_eq(wm_cc_stem(&arena, "dir/.cu"), ".cu");
    wm_arena_release(&arena);
}
