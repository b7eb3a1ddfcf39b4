// The version of the installed interface: a plug-in or a program built against one major version
// runs with it only.
#ifndef WARPMEM_VERSION_H
#define WARPMEM_VERSION_H

#define WARPMEM_VERSION_MAJOR 0
#define WARPMEM_VERSION_MINOR 1
#define WARPMEM_VERSION "0.1.0"

#endif
