#include "cli/command.h"

int main(int argc, char **argv)
{
    return wm_command_main(&wm_command_root, argc, argv, stdout, stderr);
}
