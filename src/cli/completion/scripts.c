// The shells' halves of completion: each hands the words up to the cursor to `warpmem completion
// words` and shows what comes back.
#include "cli/completion/completion.h"

#include <string.h>

// clang-format off
static const char bash_script[] =
"# bash completion of warpmem; the words come from warpmem's own tables.\n"
"_warpmem()\n"
"{\n"
"    local IFS=$' \\t\\n' words=() line i\n"
"    COMPREPLY=()\n"
"    # Bash cuts words at \"=\" and \":\"; they belong together.\n"
"    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
"        if ((i > 1)) && [[ ${COMP_WORDS[i]} =~ ^[=:]+$ || ${COMP_WORDS[i-1]} =~ ^[=:]+$ ]]; then\n"
"            words[${#words[@]}-1]+=${COMP_WORDS[i]}\n"
"        else\n"
"            words+=(\"${COMP_WORDS[i]}\")\n"
"        fi\n"
"    done\n"
"    local current=${words[${#words[@]}-1]} typed=${COMP_WORDS[COMP_CWORD]}\n"
"    [[ $typed =~ ^[=:]+$ ]] && typed=\n"
"    local before=${current%\"$typed\"}\n"
"    while IFS= read -r line; do\n"
"        case $line in\n"
"        :files)\n"
"            compopt -o filenames 2>/dev/null\n"
"            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- \"$typed\")\n"
"            ;;\n"
"        :nospace) compopt -o nospace 2>/dev/null ;;\n"
"        *)\n"
"            line=${line%%$'\\t'*}\n"
"            COMPREPLY+=(\"${line#\"$before\"}\")\n"
"            ;;\n"
"        esac\n"
"    done < <(warpmem completion words -- \"${words[@]}\" 2>/dev/null)\n"
"}\n"
"complete -F _warpmem warpmem\n";

static const char zsh_script[] =
"#compdef warpmem\n"
"# zsh completion of warpmem; the words come from warpmem's own tables.\n"
"_warpmem() {\n"
"    local line word files=0\n"
"    local -a found shown options\n"
"    for line in \"${(@f)$(warpmem completion words -- \"${(@Q)words[1,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
"        case $line in\n"
"        '') ;;\n"
"        :files) files=1 ;;\n"
"        :nospace) options=(-S '') ;;\n"
"        *)\n"
"            word=${line%%$'\\t'*}\n"
"            found+=(\"$word\")\n"
"            shown+=(\"${line/$'\\t'/  -- }\")\n"
"            ;;\n"
"        esac\n"
"    done\n"
"    (( $#found )) && compadd -l -d shown \"${options[@]}\" -- $found\n"
"    if (( files )); then\n"
"        [[ $PREFIX == --*=* ]] && compset -P '*='\n"
"        _files\n"
"    fi\n"
"}\n"
"if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then\n"
"    _warpmem \"$@\"\n"
"else\n"
"    compdef _warpmem warpmem\n"
"fi\n";

static const char fish_script[] =
"# fish completion of warpmem; the words come from warpmem's own tables.\n"
"function __warpmem_complete\n"
"    set -l current (commandline -ct)\n"
"    for line in (warpmem completion words -- (commandline -opc) \"$current\" 2>/dev/null)\n"
"        switch $line\n"
"            case ':files'\n"
"                set -l option (string match -r -- '^--[^=]*=' \"$current\")\n"
"                for file in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' \"$current\"))\n"
"                    echo \"$option$file\"\n"
"                end\n"
"            case ':*'\n"
"            case '*'\n"
"                echo $line\n"
"        end\n"
"    end\n"
"end\n"
"complete -c warpmem -f -a '(__warpmem_complete)'\n";
// clang-format on

const char *wm_completion_script(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        return bash_script;
    if (strcmp(shell, "zsh") == 0)
        return zsh_script;
    return strcmp(shell, "fish") == 0 ? fish_script : NULL;
}
