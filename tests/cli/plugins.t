Plug-ins: replacement and bypass entries from shared objects, built from the installed header alone.

  $ need gcc
The example is built by the line that stands at its top.
  $ mkdir examples && cp -r $SOURCE/include . && cp $SOURCE/examples/plugin_frequency.c examples && cd examples && sed -n 's|^//     \(gcc .*\)|\1|p' plugin_frequency.c > build && wc -l < build && sh -e build
  1
  $ cp examples/frequency.so .
  $ gcc -std=c11 -Wall -Wextra -Wconversion -Wpedantic -Werror -Iinclude -shared -fPIC -o strict.so examples/plugin_frequency.c
  $ warpmem list --plugin frequency.so replacement | tail -1
    frequency           displaces the line with the fewest uses
  $ warpmem explain --plugin ./frequency.so frequency
  frequency: least frequently used
    kind        replacement
    decides     which line of a full set makes room for a new one
    does        displaces the line with the fewest uses
    parameters  most: uses that are counted of one line; 1 to 255, default 15
    source      examples/plugin_frequency.c
    plug-in     ./frequency.so
    named by    gpu.l1.replacement, gpu.l2.replacement
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=7)' > mine.yaml; grep replacement: mine.yaml
      replacement: frequency(most=7)      # which line of a full set makes room
      replacement: lru                    # which line of a full set makes room
      replacement: lru                    # which line of a full set makes room
      replacement: lru                    # which line of a full set makes room
      replacement: lru                    # which line of a full set makes room
      l1_replacement: lru                 # which entry of a full set makes room
      l2_replacement: lru                 # which entry of a full set makes room
      replacement: lru                    # which line of a full set makes room
  $ warpmem machine check --plugin frequency.so mine.yaml
  mine.yaml: ok
  $ warpmem machine show --plugin frequency.so mine.yaml | cmp - mine.yaml
Without the plug-in the file names nothing.
  $ warpmem machine check mine.yaml 2>&1 | grep -o 'there is no .*'
  there is no "frequency(most=7)"

Parameters.
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency( most = 3 )' | grep -o 'frequency(.*)'
  frequency(most=3)
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=256)'
  ! error: --set gpu.l1.replacement=frequency(most=256): gpu.l1.replacement: most=256 is out of range
  ! hint: legal is 1 to 255
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(moost=2)'
  ! error: --set gpu.l1.replacement=frequency(moost=2): gpu.l1.replacement: frequency has no parameter "moost"
  ! hint: did you mean most?
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=2,most=3)'
  ! error: --set gpu.l1.replacement=frequency(most=2,most=3): gpu.l1.replacement: most is given twice
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most)'
  ! error: --set gpu.l1.replacement=frequency(most): gpu.l1.replacement: "(most)" does not follow an entry's name
  ! hint: write parameters like frequency(NAME=NUMBER, NAME=NUMBER)
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency()'
  ! error: --set gpu.l1.replacement=frequency(): gpu.l1.replacement: "()" does not follow an entry's name
  ! hint: write parameters like frequency(NAME=NUMBER, NAME=NUMBER)
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=2'
  ! error: --set gpu.l1.replacement=frequency(most=2: gpu.l1.replacement: "(most=2" does not follow an entry's name
  ! hint: write parameters like frequency(NAME=NUMBER, NAME=NUMBER)
  [2]
  $ warpmem machine show gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=many)'
  ! error: --set gpu.l1.replacement=frequency(most=many): gpu.l1.replacement: most: "many" is not a count: no number at its start
  ! hint: write it like 64
  [2]
  $ warpmem machine show gtx480 --set 'gpu.l1.replacement=lru(depth=2)'
  ! error: --set gpu.l1.replacement=lru(depth=2): gpu.l1.replacement: lru has no parameter "depth"
  ! hint: "warpmem explain lru" lists its parameters
  [2]
  $ warpmem machine show gtx480 --set 'gpu.l1.set_index=xor(bits=2)'
  ! error: --set gpu.l1.set_index=xor(bits=2): gpu.l1.set_index: xor has no parameter "bits"
  ! hint: "warpmem explain xor" lists its parameters
  [2]

What is no plug-in of this warpmem is refused, each for its reason.
  $ printf 'gcc -Wall -Iinclude -shared -fPIC "$@" -o case.so $CASES/plugin_cases.c && warpmem list --plugin case.so replacement | tail -1\n' > case
  $ sh case
    first-way           displaces the first way
  $ sh case -D NO_PLUGIN
  ! error: plug-in case.so: is no plug-in: it has no symbol warpmem_plugin
  ! hint: define it by WARPMEM_PLUGIN of warpmem/plugin.h
  $ sh case -D 'PLUGIN=.abi = WARPMEM_PLUGIN_ABI + 1'
  ! error: plug-in case.so: was built for plug-in interface 6, and this warpmem has 5
  ! hint: build it again with this warpmem's warpmem/plugin.h
  $ sh case -D 'PLUGIN=.plugin_bytes = 8' 2>&1 | sed 's/[0-9][0-9]*/N/g'
  error: plug-in case.so: has a struct wm_plugin of N bytes, and this warpmem's has N
  hint: build it with this warpmem's warpmem/plugin.h and for this processor, and define it by WARPMEM_PLUGIN
  $ sh case -D 'PLUGIN=.replacement_bytes = 8' 2>&1 | sed 's/[0-9][0-9]*/N/g'
  error: plug-in case.so: has a struct wm_replacement_ops of N bytes, and this warpmem's has N
  hint: build it with this warpmem's warpmem/plugin.h and for this processor, and define it by WARPMEM_PLUGIN
  $ sh case -D 'PLUGIN=.bypass_bytes = 8' 2>&1 | sed 's/[0-9][0-9]*/N/g'
  error: plug-in case.so: has a struct wm_bypass_ops of N bytes, and this warpmem's has N
  hint: build it with this warpmem's warpmem/plugin.h and for this processor, and define it by WARPMEM_PLUGIN
  $ sh case -D 'PLUGIN=.replacement_count = 0'
  ! error: plug-in case.so: has no entries
  ! hint: name its tables and their counts in WARPMEM_PLUGIN
  $ sh case -D 'PLUGIN=.replacements = NULL'
  ! error: plug-in case.so: has no entries
  ! hint: name its tables and their counts in WARPMEM_PLUGIN
  $ sh case -D 'PLUGIN=.replacement_count = 2'
  ! error: plug-in case.so: has two replacement entries "first-way"
  $ sh case -D 'PLUGIN=.replacements = replacements + 1, .replacement_count = 2'
  ! error: plug-in case.so: replacement entry 2 is NULL
  $ sh case -D 'ENTRY=.name = "lru"'
  ! error: plug-in case.so: the name of replacement entry "lru" is taken by warpmem's own
  ! hint: give the plug-in's entry another name
  $ sh case -D 'ENTRY=.name = "First Way"'
  ! error: plug-in case.so: a replacement entry has no good name
  ! hint: use at most 31 lower-case letters, digits, "-" and "_", the first a letter
  $ sh case -D 'ENTRY=.name = NULL'
  ! error: plug-in case.so: a replacement entry has no good name
  ! hint: use at most 31 lower-case letters, digits, "-" and "_", the first a letter
  $ sh case -D 'ENTRY=.source = NULL'
  ! error: plug-in case.so: replacement entry "first-way" has no source of one line
  $ sh case -D 'ENTRY=.sentence = "a\nb"'
  ! error: plug-in case.so: replacement entry "first-way" has no sentence of one line
  $ sh case -D 'ENTRY=.victim = NULL'
  ! error: plug-in case.so: replacement entry "first-way" keeps its own order, but has no hook victim
  $ sh case -D 'ENTRY=.uses_chain = true'
  ! error: plug-in case.so: replacement entry "first-way" uses the chain, and has a hook victim
  $ sh case -D 'ENTRY=.line_state_bytes = 1 << 20'
  ! error: plug-in case.so: replacement entry "first-way" wants more state than 16777216 bytes an array or 65536 a set or line
  $ sh case -D 'ENTRY=.parameters = parameters, .parameter_count = 1'
  ! error: plug-in case.so: parameter 1 of replacement entry "first-way" has no good name, sentence or default
  $ sh case -D 'ENTRY=.parameters = parameters, .parameter_count = 9'
  ! error: plug-in case.so: replacement entry "first-way" has 9 parameters; legal is at most 8
  $ sh case -D 'BYPASS=.decide = NULL'
  ! error: plug-in case.so: bypass entry "stores" has no hook decide
  $ warpmem list --plugin frequency.so --plugin ./frequency.so replacement
  ! error: plug-in ./frequency.so: the name of replacement entry "frequency" is taken by frequency.so
  ! hint: give the plug-in's entry another name
  [2]
  $ warpmem list --plugin nowhere.so replacement
  ! error: plug-in nowhere.so: there is no such file
  ! hint: build the plug-in: cc -shared -fPIC -o NAME.so NAME.c
  [2]
  $ echo text > text.so; warpmem list --plugin text.so replacement 2>&1 | sed 's/loaded: .*: /loaded: /'
  error: plug-in text.so: cannot be loaded: file too short
  $ warpmem list --plugin examples replacement 2>&1 | grep -o 'cannot be loaded'
  cannot be loaded
  $ warpmem run --plugin nowhere.so ./nothing
  ! error: plug-in nowhere.so: there is no such file
  ! hint: build the plug-in: cc -shared -fPIC -o NAME.so NAME.c
  [2]
  $ warpmem machine check --plugin nowhere.so v100
  ! error: plug-in nowhere.so: there is no such file
  ! hint: build the plug-in: cc -shared -fPIC -o NAME.so NAME.c
  [2]

The rest needs a program.
  $ need clang
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm
  $ warpmem run -m gtx480 --set gpu.sm.count=2 ./gemm --n 128 | grep -o 'gemm_naive.*%'
  gemm_naive     1      64 x 256       739 k   88.9%   85.5%
  gemm_naive  131 k       2.5  100%     512       4.0  100%
  $ warpmem run -m gtx480 --plugin frequency.so --set gpu.l1.replacement=frequency --set gpu.sm.count=2 ./gemm --n 128 | grep -o 'gemm_naive.*%'
  gemm_naive     1      64 x 256       739 k   40.5%   97.9%
  gemm_naive  131 k       2.5  100%     512       4.0  100%
  $ warpmem run -m gtx480 --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=1)' --set gpu.sm.count=2 ./gemm --n 128 | grep -o 'gemm_naive.*%'
  gemm_naive     1      64 x 256       739 k   37.8%   98.1%
  gemm_naive  131 k       2.5  100%     512       4.0  100%
  $ warpmem run -m mine.yaml --plugin frequency.so --set gpu.sm.count=2 ./gemm --n 128 | grep -o 'gemm_naive.*%'
  gemm_naive     1      64 x 256       739 k   39.4%   98.0%
  gemm_naive  131 k       2.5  100%     512       4.0  100%
  $ warpmem run -m mine.yaml --set gpu.sm.count=2 ./gemm --n 128 2>&1 | grep -o 'there is no .*'
  there is no "frequency(most=7)"
