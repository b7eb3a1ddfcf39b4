// An axis of all sets of a list's members, as of the loads that go around L1: "subsets".
#include "study/file/fields.h"

enum { MOST_MEMBERS = 6, LONGEST_NAME = 64 };
_Static_assert(1 << MOST_MEMBERS <= WM_STUDY_MOST_VALUES, "a value a set");

static enum wm_status check_members(const struct wm_study_reader *reader,
                                    const struct wm_yaml_node *members)
{
    size_t length = 0;
    WM_TRY(wm_study_group(reader, members, "of"));
    for (const struct wm_yaml_node *member = members->first; member; member = member->next) {
        WM_TRY(wm_study_label(reader, member));
        if (member->kind != WM_YAML_SCALAR || member->value[0] == '\0')
            return wm_study_expected(reader, member, "a member of the list");
        length += strlen(member->key) + 1;
    }
    if (members->count > MOST_MEMBERS)
        wm_fail(reader->error, WM_LIMIT, "all sets of more than %d members are too many values",
                (int)MOST_MEMBERS);
    else if (length > LONGEST_NAME)
        wm_fail(reader->error, WM_LIMIT, "the set of all members has a name of more than %d bytes",
                (int)LONGEST_NAME - 1);
    else
        return WM_OK;
    return wm_yaml_point_key(&reader->study->tree, members, reader->error);
}

enum wm_status wm_study_subsets_of(const struct wm_study_reader *reader,
                                   const struct wm_yaml_node *axis,
                                   const struct wm_yaml_node **members)
{
    static const char *const keys[] = {"key", "of", "with", NULL};
    const struct wm_yaml_node *node = wm_yaml_find(axis, "subsets");
    const char *key;
    *members = NULL;
    if (!node || axis->count != 1)
        return WM_OK;
    WM_TRY(wm_study_keys(reader, node, keys));
    WM_TRY(wm_study_text(reader, node, "key", true, &key));
    const struct wm_yaml_node *of = wm_yaml_find(node, "of");
    if (!of) {
        wm_fail(reader->error, WM_INVALID, "subsets: required key \"of\" is missing");
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    WM_TRY(check_members(reader, of));
    *members = of;
    return WM_OK;
}

static const char *keep(const struct wm_study_reader *reader, struct wm_text *text)
{
    const char *kept =
        text->failed ? NULL : wm_arena_copy_text(&reader->study->arena, text->data, text->length);
    wm_text_release(text);
    return kept;
}

enum wm_status wm_study_subset(const struct wm_study_reader *reader,
                               const struct wm_yaml_node *node, const struct wm_yaml_node *members,
                               uint32_t set, const char **name, const char **setting)
{
    struct wm_text label, list;
    wm_text_init(&label);
    wm_text_init(&list);
    wm_text_format(&list, "%s=", wm_yaml_find(node, "key")->value);
    uint32_t bit = 0;
    for (const struct wm_yaml_node *member = members->first; member; member = member->next, bit++)
        if (set >> bit & 1) {
            wm_text_format(&list, "%s%s", label.length > 0 ? "," : "", member->value);
            wm_text_format(&label, "%s%s", label.length > 0 ? "+" : "", member->key);
        }
    if (set == 0)
        wm_text_add(&label, WM_STUDY_NEUTRAL);
    *name = keep(reader, &label);
    *setting = keep(reader, &list);
    return *name && *setting ? WM_OK : wm_study_no_memory(reader);
}
