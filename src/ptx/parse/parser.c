// The module: its items in order (PTX ISA 4.3 and chapter 11).
#include "ptx/parse/parser.h"

// What a module may cost beyond a multiple of its text; see wm_ptx_parser.budget_bytes.
enum { BUDGET_BYTES = 64 << 20, BUDGET_PER_BYTE = 32 };

static enum wm_status parse_variables(struct wm_ptx_parser *parser, enum wm_ptx_linkage linkage)
{
    const struct wm_ptx_symbol *model = NULL;
    bool more = true;
    while (more) {
        struct wm_ptx_symbol *symbol;
        WM_TRY(wm_ptx_parse_variable(parser, WM_PTX_IN_MODULE, linkage, model, &symbol));
        struct wm_ptx_item *item = WM_PTX_PUSH(&parser->items);
        if (!item)
            return wm_ptx_out_of_memory(parser);
        item->kind = WM_PTX_ITEM_VARIABLE;
        item->variable = symbol;
        model = symbol;
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_expect(parser, ';', "the declaration of a variable");
}

static bool linkage_of(const struct wm_ptx_token *token, enum wm_ptx_linkage *linkage)
{
    static const struct {
        const char *text;
        enum wm_ptx_linkage linkage;
    } words[] = {
        {".visible", WM_PTX_LINKAGE_VISIBLE},
        {".extern", WM_PTX_LINKAGE_EXTERN},
        {".weak", WM_PTX_LINKAGE_WEAK},
        {".common", WM_PTX_LINKAGE_COMMON},
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (wm_ptx_token_is(token, words[i].text)) {
            *linkage = words[i].linkage;
            return true;
        }
    return false;
}

// A variable or a function, after its linkage.
static enum wm_status parse_declaration(struct wm_ptx_parser *parser, enum wm_ptx_linkage linkage)
{
    const struct wm_ptx_token *token = &parser->token;
    if (wm_ptx_token_is(token, ".entry") || wm_ptx_token_is(token, ".func"))
        return wm_ptx_parse_function(parser, linkage);
    switch ((int)wm_ptx_token_modifier(parser, token)) {
    case WM_PTX_const:
    case WM_PTX_global:
    case WM_PTX_shared:
    case WM_PTX_local: return parse_variables(parser, linkage);
    default: break;
    }
    if (wm_ptx_token_is(token, ".tex"))
        return parse_variables(parser, linkage);
    if (token->kind == WM_PTX_TOKEN_DOT_WORD)
        return WM_PTX_FAIL(parser, token, "directive %s has no place at module level",
                           wm_ptx_show(token).text);
    return WM_PTX_FAIL(parser, token,
                       "expected a directive such as '.entry', '.func' or '.global', found %s",
                       wm_ptx_show(token).text);
}

static enum wm_status parse_item(struct wm_ptx_parser *parser)
{
    const struct wm_ptx_token *token = &parser->token;
    enum wm_ptx_linkage linkage;
    if (linkage_of(token, &linkage)) {
        WM_TRY(wm_ptx_advance(parser));
        return parse_declaration(parser, linkage);
    }
    if (wm_ptx_token_is(token, ".file"))
        return wm_ptx_parse_file(parser);
    if (wm_ptx_token_is(token, ".section"))
        return wm_ptx_parse_section(parser);
    if (wm_ptx_token_is(token, ".pragma") || wm_ptx_token_is(token, ".alias"))
        return wm_ptx_parse_kept_directive(parser);
    if (wm_ptx_token_is(token, ".loc")) {
        struct wm_ptx_loc *loc;
        WM_TRY(wm_ptx_parse_loc(parser, &loc));
        struct wm_ptx_item *item = WM_PTX_PUSH(&parser->items);
        if (!item)
            return wm_ptx_out_of_memory(parser);
        item->kind = WM_PTX_ITEM_LOC;
        item->loc = loc;
        return WM_OK;
    }
    if (wm_ptx_at(parser, ';'))
        return wm_ptx_advance(parser);
    return parse_declaration(parser, WM_PTX_LINKAGE_INTERNAL);
}

static enum wm_status parse_module(struct wm_ptx_parser *parser)
{
    struct wm_ptx_module *module = parser->module;
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_parse_header(parser));
    while (parser->token.kind != WM_PTX_TOKEN_END)
        WM_TRY(parse_item(parser));
    module->item_count = parser->items.count;
    module->file_count = parser->files.count;
    module->items = WM_PTX_TAKE(&parser->items, 0, parser->arena);
    module->files = WM_PTX_TAKE(&parser->files, 0, parser->arena);
    return module->items && module->files ? WM_OK : wm_ptx_out_of_memory(parser);
}

static void init_parser(struct wm_ptx_parser *parser, struct wm_ptx_module *module,
                        struct wm_error *error)
{
    *parser = (struct wm_ptx_parser){
        .module = module,
        .arena = &module->arena,
        .budget_bytes = BUDGET_BYTES + BUDGET_PER_BYTE * module->source_length,
    };
    wm_ptx_lexer_init(&parser->lexer, module->name, module->source,
                      module->source + module->source_length, error);
}

static void release_parser(struct wm_ptx_parser *parser)
{
    wm_ptx_scopes_release(&parser->scopes);
    free(parser->items.items);
    free(parser->files.items);
    free(parser->registers.items);
    free(parser->labels.items);
    free(parser->statements.items);
    free(parser->prototypes.items);
    free(parser->references.items);
    free(parser->operands.items);
    free(parser->symbols.items);
    free(parser->initializers.items);
    free(parser->directives.items);
    free(parser->targets.items);
    if (parser->c_locale)
        freelocale(parser->c_locale);
}

static struct wm_ptx_module *new_module(const char *text, uint64_t length, const char *name)
{
    struct wm_ptx_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    wm_arena_init(&module->arena);
    module->name = wm_arena_copy_text(&module->arena, name, strlen(name));
    module->source = wm_arena_copy_text(&module->arena, text, (size_t)length);
    module->source_length = length;
    if (module->name && module->source)
        return module;
    wm_ptx_module_free(module);
    return NULL;
}

enum wm_status wm_ptx_parse(const char *text, uint64_t length, const char *name,
                            struct wm_ptx_module **result, struct wm_error *error)
{
    *result = NULL;
    wm_error_clear(error);
    const char *nul = length ? memchr(text, '\0', (size_t)length) : NULL;
    if (nul)
        length = (uint64_t)(nul - text);
    // Places and lengths inside are 32 bits wide.
    if (length > INT32_MAX)
        return wm_fail(error, WM_UNSUPPORTED, "PTX of '%s' is larger than 2 GiB", name);
    struct wm_ptx_module *module = new_module(text, length, name);
    if (!module)
        return wm_fail_no_memory(error, "parsing '%s'", name);
    struct wm_ptx_parser *parser = malloc(sizeof *parser);
    if (!parser) {
        wm_ptx_module_free(module);
        return wm_fail_no_memory(error, "parsing '%s'", name);
    }
    init_parser(parser, module, error);
    enum wm_status status = wm_ptx_scopes_init(&parser->scopes, parser->arena)
                                ? parse_module(parser)
                                : wm_ptx_out_of_memory(parser);
    release_parser(parser);
    free(parser);
    if (status != WM_OK) {
        wm_ptx_module_free(module);
        return status;
    }
    *result = module;
    return WM_OK;
}

void wm_ptx_module_free(struct wm_ptx_module *module)
{
    if (!module)
        return;
    wm_arena_release(&module->arena);
    free(module);
}
