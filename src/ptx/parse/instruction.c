// Instructions: mnemonic with its modifiers, then operands (PTX ISA 4.3.2).
#include "ptx/parse/parser.h"

enum { MAX_OPERANDS = 16, MAX_CALL_OPERANDS = 255 };

static void set_first(enum wm_ptx_modifier *slot, enum wm_ptx_modifier modifier)
{
    if (!*slot)
        *slot = modifier;
}

// What the modifiers say, worked out once.
static void classify(struct wm_ptx_instruction *instruction)
{
    instruction->vector_length = 1;
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        enum wm_ptx_modifier modifier = (enum wm_ptx_modifier)instruction->modifiers[i];
        switch (wm_ptx_modifier_class_of(modifier)) {
        case WM_PTX_CLASS_TYPE:
            if (instruction->type)
                set_first(&instruction->type2, modifier);
            else
                instruction->type = modifier;
            break;
        case WM_PTX_CLASS_SPACE: set_first(&instruction->space, modifier); break;
        case WM_PTX_CLASS_ROUNDING: set_first(&instruction->rounding, modifier); break;
        case WM_PTX_CLASS_COMPARE: set_first(&instruction->compare, modifier); break;
        case WM_PTX_CLASS_CACHE: set_first(&instruction->cache, modifier); break;
        case WM_PTX_CLASS_SCOPE: set_first(&instruction->scope, modifier); break;
        case WM_PTX_CLASS_SEMANTICS: set_first(&instruction->semantics, modifier); break;
        case WM_PTX_CLASS_VECTOR:
            instruction->vector_length = modifier == WM_PTX_v2 ? 2 : modifier == WM_PTX_v4 ? 4 : 8;
            break;
        default: break;
        }
    }
}

// Takes the dotted modifiers. `known` becomes false when one is not in modifiers.def.
static enum wm_status parse_modifiers(struct wm_ptx_parser *parser,
                                      struct wm_ptx_instruction *instruction, bool *known)
{
    while (parser->token.kind == WM_PTX_TOKEN_DOT_WORD) {
        enum wm_ptx_modifier modifier = wm_ptx_token_modifier(parser, &parser->token);
        if (modifier && instruction->modifier_count < WM_PTX_MAX_MODIFIERS)
            instruction->modifiers[instruction->modifier_count++] = (uint16_t)modifier;
        else
            *known = false;
        WM_TRY(wm_ptx_advance(parser));
    }
    return WM_OK;
}

static enum wm_status add_operand(struct wm_ptx_parser *parser,
                                  const struct wm_ptx_operand *operand)
{
    struct wm_ptx_operand *slot = WM_PTX_PUSH(&parser->operands);
    if (!slot)
        return wm_ptx_out_of_memory(parser);
    *slot = *operand;
    return WM_OK;
}

// call (results), callee, (arguments), prototype (PTX ISA 9.7.12.4).
static enum wm_status parse_call_operands(struct wm_ptx_parser *parser,
                                          struct wm_ptx_instruction *instruction)
{
    struct wm_ptx_operand operand = {0};
    if (wm_ptx_at(parser, '(')) {
        WM_TRY(wm_ptx_parse_operand_list(parser, ')', WM_PTX_OPERAND_LIST, MAX_CALL_OPERANDS,
                                         &operand));
        WM_TRY(add_operand(parser, &operand));
        WM_TRY(wm_ptx_expect(parser, ',', "the results of a call"));
    }
    struct wm_ptx_token token = parser->token;
    operand = (struct wm_ptx_operand){0};
    WM_TRY(wm_ptx_parse_operand(parser, &operand));
    bool is_function = operand.kind == WM_PTX_OPERAND_SYMBOL &&
                       operand.symbol->kind == WM_PTX_SYMBOL_FUNCTION && !operand.offset;
    if (!is_function && operand.kind != WM_PTX_OPERAND_REGISTER)
        return WM_PTX_FAIL(parser, &token, "%s is not a function", wm_ptx_show(&token).text);
    WM_TRY(add_operand(parser, &operand));
    bool more;
    WM_TRY(wm_ptx_accept(parser, ',', &more));
    if (more && wm_ptx_at(parser, '(')) {
        operand = (struct wm_ptx_operand){0};
        WM_TRY(wm_ptx_parse_operand_list(parser, ')', WM_PTX_OPERAND_LIST, MAX_CALL_OPERANDS,
                                         &operand));
        WM_TRY(add_operand(parser, &operand));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    if (more)
        WM_TRY(wm_ptx_refer_to_label(parser, WM_PTX_BINDING_PROTOTYPE, &instruction->prototype,
                                     &instruction->call_prototype));
    return WM_OK;
}

// The operands are copied to their place before a label among them is referred to, because the
// reference keeps the address of its slot.
static enum wm_status take_operands(struct wm_ptx_parser *parser, uint32_t first,
                                    struct wm_ptx_instruction *instruction)
{
    instruction->operand_count = (uint8_t)(parser->operands.count - first);
    instruction->operands = WM_PTX_TAKE(&parser->operands, first, parser->arena);
    return instruction->operands ? WM_OK : wm_ptx_out_of_memory(parser);
}

// bra label; brx.idx index, label.
static enum wm_status parse_branch_operands(struct wm_ptx_parser *parser,
                                            struct wm_ptx_instruction *instruction)
{
    uint32_t first = parser->operands.count;
    struct wm_ptx_operand operand = {0};
    bool is_indexed = instruction->opcode == WM_PTX_OP_brx;
    if (is_indexed) {
        WM_TRY(wm_ptx_parse_operand(parser, &operand));
        WM_TRY(add_operand(parser, &operand));
        WM_TRY(wm_ptx_expect(parser, ',', "the index of 'brx'"));
    }
    operand = (struct wm_ptx_operand){.kind = WM_PTX_OPERAND_LABEL};
    WM_TRY(add_operand(parser, &operand));
    WM_TRY(take_operands(parser, first, instruction));
    struct wm_ptx_operand *last = &instruction->operands[instruction->operand_count - 1];
    return wm_ptx_refer_to_label(
        parser, is_indexed ? WM_PTX_BINDING_TARGET_LIST : WM_PTX_BINDING_LABEL, &last->index, NULL);
}

static enum wm_status parse_plain_operands(struct wm_ptx_parser *parser,
                                           struct wm_ptx_instruction *instruction)
{
    uint32_t first = parser->operands.count;
    bool more = !wm_ptx_at(parser, ';');
    while (more) {
        struct wm_ptx_operand operand = {0};
        WM_TRY(wm_ptx_parse_operand(parser, &operand));
        if (parser->operands.count - first == MAX_OPERANDS)
            return WM_PTX_FAIL(parser, &parser->token, "instruction has more than %d operands",
                               MAX_OPERANDS);
        WM_TRY(add_operand(parser, &operand));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return take_operands(parser, first, instruction);
}

static enum wm_status parse_operands(struct wm_ptx_parser *parser,
                                     struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_bra:
    case WM_PTX_OP_brx: return parse_branch_operands(parser, instruction);
    case WM_PTX_OP_call: {
        uint32_t first = parser->operands.count;
        WM_TRY(parse_call_operands(parser, instruction));
        return take_operands(parser, first, instruction);
    }
    default: return parse_plain_operands(parser, instruction);
    }
}

// Keeps the text alone: for opcodes, modifiers and operand forms that the IR has no room for.
static void make_unknown(struct wm_ptx_instruction *instruction, const char *text)
{
    *instruction = (struct wm_ptx_instruction){
        .opcode = WM_PTX_OP_unknown,
        .guard = instruction->guard,
        .guard_negated = instruction->guard_negated,
        .vector_length = 1,
        .text = text,
    };
}

enum wm_status wm_ptx_parse_instruction(struct wm_ptx_parser *parser,
                                        const struct wm_ptx_token *begin, int32_t guard,
                                        bool guard_negated, const struct wm_ptx_token *opcode)
{
    struct wm_ptx_instruction *instruction = WM_ARENA_NEW(parser->arena, struct wm_ptx_instruction);
    struct wm_ptx_statement *statement =
        wm_ptx_add_statement(parser, WM_PTX_STATEMENT_INSTRUCTION, begin);
    if (!instruction || !statement)
        return wm_ptx_out_of_memory(parser);
    statement->instruction = instruction;
    const struct wm_ptx_name *name =
        wm_ptx_scopes_find(&parser->scopes, opcode->text, opcode->length);
    instruction->opcode = name ? (enum wm_ptx_opcode)name->opcode : WM_PTX_OP_unknown;
    instruction->guard = guard;
    instruction->guard_negated = guard_negated;
    bool known = instruction->opcode != WM_PTX_OP_unknown;
    WM_TRY(parse_modifiers(parser, instruction, &known));
    if (!known) {
        const char *text;
        WM_TRY(wm_ptx_skip_statement(parser, opcode->text, &text));
        make_unknown(instruction, text);
        return wm_ptx_advance(parser);
    }
    parser->vector_register_named = false;
    WM_TRY(parse_operands(parser, instruction));
    if (!wm_ptx_at(parser, ';'))
        return WM_PTX_FAIL(
            parser, &parser->token, "expected ';' after the operands of '%s', found %s",
            wm_ptx_opcode_text(instruction->opcode), wm_ptx_show(&parser->token).text);
    if (parser->vector_register_named) {
        const char *text;
        WM_TRY(wm_ptx_keep_text(parser, opcode->text, parser->token.text, false, &text));
        make_unknown(instruction, text);
    } else {
        classify(instruction);
    }
    return wm_ptx_advance(parser);
}
