The command itself: help teaches, misuse goes to standard error.

  $ warpmem --help
  usage: warpmem COMMAND [options] [operands]
  
  warpmem runs a real CUDA program on a machine without a GPU, follows every
  access through a described memory system, and says where the bytes went, kernel
  by kernel and load by load.
  
  commands:
    annotate              print a program's kernels with their memory traffic
    bypass                decide which loads are to use L1
    cc                    compile a CUDA program with clang, without NVIDIA's
                          toolkit
    compare               say what changed between two runs, or on two machines
    completion            make a shell complete command lines
    explain               explain a part, machine, key, column or counter by its
                          name
    export                write a recording as traces for Accel-Sim
    import                turn a trace of another tool into a recording
    list                  list the parts that a machine may have
    machine               list, draw, print and check machine descriptions
    record                run a CUDA program and keep what it executed in a file
    replay                drive a recording through machines and report
    report                write a study's results as a page
    run                   run a CUDA program and report its memory traffic
    study                 run a paper's experiments and check its claims
    trace                 look into recordings, check, compare and cut them
  
  options:
        --version           print the version and end
    -h, --help              print this help
  
  examples:
    warpmem cc vecadd.cu -o vecadd
    warpmem run --machine v100 ./vecadd
    warpmem machine list
  
  "warpmem COMMAND --help" says more about one command.
  $ warpmem -h > help.txt; warpmem --help | cmp - help.txt
  $ warpmem --version
  warpmem 0.1.0
Each command that a file defines is there: these are the names of one list, not of the other.
  $ warpmem --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' > listed; grep -rhoE '^const struct wm_command wm_command_[a-z]+ ' $SOURCE/src/cli --include=*_command.c | sed 's/.*_\(.*\) /\1/' | sort | diff listed -
Bare, it shows the help where errors go, and fails.
  $ warpmem 2> bare.txt
  [2]
  $ cmp bare.txt help.txt

Misuse.
  $ warpmem mashine
  ! error: warpmem: unknown command "mashine"
  ! hint: did you mean "warpmem machine"?
  [2]
  $ warpmem zzzzzzzz
  ! error: warpmem: unknown command "zzzzzzzz"
  ! hint: "warpmem --help" lists the commands
  [2]
  $ warpmem --verson
  ! error: warpmem: unknown option "--verson"
  ! hint: did you mean --version?
  [2]
  $ warpmem -x
  ! error: warpmem: unknown option "-x"
  ! hint: --help lists the options
  [2]
  $ warpmem --version=1
  ! error: warpmem: option "--version" takes no argument
  ! hint: usage: warpmem COMMAND [options] [operands]
  [2]
  $ warpmem --help=yes
  ! error: warpmem: option "--help" takes no argument
  ! hint: usage: warpmem COMMAND [options] [operands]
  [2]
  $ warpmem ''
  ! error: warpmem: unknown command ""
  ! hint: "warpmem --help" lists the commands
  [2]
  $ warpmem --version extra
  ! error: warpmem: unexpected operand "extra"
  ! hint: usage: warpmem COMMAND [options] [operands]
  [2]

An output that cannot be written is a failure.
  $ warpmem --version > /dev/full
  ! error: warpmem: cannot write standard output: No space left on device
  ! hint: make room on that disk, or name a file on another one
  [1]

A build of the vector code that there is not is refused, whatever the command.
  $ WARPMEM_ISA=foo warpmem --version
  ! error: WARPMEM_ISA: "foo" names none of the builds of the vector code
  ! hint: set it to c, avx2 or avx512, or leave it out for the best that this processor runs
  [2]
  $ WARPMEM_ISA= warpmem --version > /dev/null
  $ WARPMEM_ISA=avx2 warpmem --version > /dev/null
