Looking into recordings.

  $ warpmem trace --help
  usage: warpmem trace COMMAND [options] [operands]
  
  Looks into recordings that warpmem record made: what they have, whether they are
  whole, where two of them part; and cuts parts out.
  
  commands:
    info                  say what a recording is of, and how large it is
    dump                  print what a recording has, instruction by instruction
    check                 read recordings whole and say what is missing
    diff                  say where two recordings part
    cut                   take launches or blocks out of a recording
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem trace info app.wmt
    warpmem trace diff before.wmt after.wmt
  
  "warpmem trace COMMAND --help" says more about one command.
  $ warpmem trace info --help
  usage: warpmem trace info [options] RECORDING
  
  Says what a recording is of: the command, the kernels, each launch with its
  grid, block, warp instructions, accesses (one for each address space an
  instruction goes to) and bytes of the file, and how many bytes of the file a
  memory instruction of a warp has. Everything is decoded to count it.
  
  options:
        --json              print it as JSON
    -h, --help              print this help
  
  examples:
    warpmem trace info app.wmt
    warpmem trace info app.wmt --json
  $ warpmem trace dump --help
  usage: warpmem trace dump [options] RECORDING
  
  Prints a recording: events and launches in order, and of each warp every
  executed instruction with its pc and lanes (hexadecimal), below it its accesses.
  Addresses of local and shared memory count from the block's own.
  
  options:
        --launch LIST       these launches alone, as 0-7 or 1,4,10-12
        --block LIST        these blocks alone, numbered with x fastest
        --warp LIST         these warps of each block alone
        --thread LIST       these of the program's own threads alone (warpmem
                            record --host-threads)
    -n, --limit N           end after N instructions
        --events            print what happened between launches, and the
                            launches, without their instructions
        --code              print the kernels' instructions
    -h, --help              print this help
  
  examples:
    warpmem trace dump app.wmt --events
    warpmem trace dump app.wmt --launch 2 --block 0 --warp 1 --limit 100
  $ warpmem trace check --help
  usage: warpmem trace check [options] RECORDING...
  
  Reads recordings whole: every section, every frame, the stream of every warp.
  Says of each that it is complete, or where it was cut off and what is whole
  before that: launches, and of the one that was being written how many blocks.
  The exit status is 2 when one of them is damaged or not whole.
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem trace check app.wmt
  $ warpmem trace diff --help
  usage: warpmem trace diff [options] A B
  
  Says where two recordings of a program part: the first event, launch, and
  executed instruction (kernel, block, warp) that is not the same, as both have
  it, and how many warps of each kernel differ; and the same of the program's CPU
  threads, by number, and of their turns, where the recordings have them (warpmem
  record --host-threads). Prints nothing when they are the same. How a file is
  divided into frames does not count. Where a kernel's code differs, or the
  threads' places of code, instructions are compared by their text.
  
  The exit status is 0 when they are the same, 1 when they differ, 2 when one of
  them cannot be read.
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem trace diff before.wmt after.wmt
  $ warpmem trace cut --help
  usage: warpmem trace cut -o FILE [options] RECORDING
  
  Writes a part of a recording as a recording of its own: launches with their
  kernels, what was allocated and copied before and between them, and all that
  follows up to the next launch that is left out. Of a recording that was cut off,
  the launches that are whole.
  
  options:
    -o, --output FILE       where the recording goes
    -k, --kernel PATTERN    launches of kernels of this name alone, as warpmem run
                            has it; may be given again
        --launches LIST     these launches, as 0-7 or 1,4,10-12 (default: all that
                            are whole)
        --blocks LIST       these blocks of each launch, numbered with x fastest;
                            the launch then has a grid of that many
    -h, --help              print this help
  
  examples:
    warpmem trace cut app.wmt -o first.wmt --launches 0-3
    warpmem trace cut app.wmt -o few.wmt --launches 2 --blocks 0-79

  $ need clang
  $ for name in vecadd reduction; do warpmem cc $SOURCE/workloads/$name.cu -o $name || exit; done
  $ warpmem record -q -o vecadd.wmt -- ./vecadd --n 100
  vecadd: PASS
  $ warpmem record -q -o reduction.wmt -- ./reduction --n 600 --variant sequential
  reduction: PASS
  $ warpmem trace check vecadd.wmt reduction.wmt
  vecadd.wmt: complete, 1 launch
  reduction.wmt: complete, 1 launch
  $ warpmem trace info vecadd.wmt | grep -v 'file bytes\|a memory\|frames' | sed '$s/ *[0-9]*$//'
  command               ./vecadd --n 100
  written by            warpmem 0.1.0, from a program
  in the order of       v100
  warps                 32 lanes, every instruction
  state                 complete
  launches              1
  other events          9
  warp instructions     120
  thread instructions   3448
  memory instructions   12
  accesses              12
    irregular           0
  barrier arrivals      0
  
  kernel instructions registers     shared  name
  0                22        12        0 B  _Z13vecadd_scalarPKfS0_Pfj
  
  launch kernel             grid        block  instructions     accesses        bytes
  0           0            1x1x1      256x1x1           120           12
  $ warpmem trace info reduction.wmt --json | sed -n '/"counts"/,/}/p' | head -7
    "counts": {
      "warp_instructions": 2352,
      "thread_instructions": 71697,
      "memory_instructions": 157,
      "accesses": 157,
      "irregular_accesses": 0,
      "barrier_arrivals": 216,
  $ warpmem trace dump vecadd.wmt --events
  allocate 400 bytes at 0x200000000000
  host writes 400 bytes at 0x200000000000
  allocate 400 bytes at 0x200000000300
  host writes 400 bytes at 0x200000000300
  allocate 400 bytes at 0x200000000600
  launch 0: kernel _Z13vecadd_scalarPKfS0_Pfj, grid 1x1x1, block 256x1x1, stream 0
  host reads 400 bytes at 0x200000000600
  free at 0x200000000000
  free at 0x200000000300
  free at 0x200000000600
  $ warpmem trace dump vecadd.wmt --code | head -5 | sed 's, *//.*,,'
  code 0: kernel _Z13vecadd_scalarPKfS0_Pfj of vecadd.sm_70.ptx
      0  ld.param.u32 %r1, [_Z13vecadd_scalarPKfS0_Pfj_param_3]
      1  mov.u32 %r2, %ctaid.x
      2  mov.u32 %r3, %ntid.x
      3  mov.u32 %r4, %tid.x
  $ warpmem trace dump vecadd.wmt --launch 0 --warp 3
  launch 0: kernel _Z13vecadd_scalarPKfS0_Pfj, grid 1x1x1, block 256x1x1, stream 0
  block 0, warp 3
      0  ffffffff  ld.param.u32 %r1, [_Z13vecadd_scalarPKfS0_Pfj_param_3]
      1  ffffffff  mov.u32 %r2, %ctaid.x
      2  ffffffff  mov.u32 %r3, %ntid.x
      3  ffffffff  mov.u32 %r4, %tid.x
      4  ffffffff  mad.lo.s32 %r5, %r2, %r3, %r4
      5  ffffffff  setp.ge.u32 %p1, %r5, %r1
      6  ffffffff  bra LBB0_2
      7  0000000f  ld.param.u64 %rd4, [_Z13vecadd_scalarPKfS0_Pfj_param_0]
      8  0000000f  ld.param.u64 %rd5, [_Z13vecadd_scalarPKfS0_Pfj_param_2]
      9  0000000f  cvta.to.global.u64 %rd6, %rd5
     10  0000000f  ld.param.u64 %rd7, [_Z13vecadd_scalarPKfS0_Pfj_param_1]
     11  0000000f  cvta.to.global.u64 %rd8, %rd7
     12  0000000f  cvta.to.global.u64 %rd9, %rd4
     13  0000000f  mul.wide.u32 %rd10, %r5, 4
     14  0000000f  add.s64 %rd1, %rd6, %rd10
     15  0000000f  add.s64 %rd2, %rd8, %rd10
     16  0000000f  add.s64 %rd3, %rd9, %rd10
     17  0000000f  ld.global.f32 %f1, [%rd3]
          global load 4 B: 0x200000000180 + 4 a lane
     18  0000000f  ld.global.f32 %f2, [%rd2]
          global load 4 B: 0x200000000480 + 4 a lane
     19  0000000f  add.f32 %f3, %f1, %f2
     20  0000000f  st.global.f32 [%rd1], %f3
          global store 4 B: 0x200000000780 + 4 a lane
     21  ffffffff  ret
          lanes ffffffff end
  $ warpmem trace dump reduction.wmt --block 0 --warp 1 | grep -B 2 -A 1 barrier | head -8
          shared store 4 B: 0x80 + 4 a lane
     24  ffffffff  bar.sync 0
          lanes ffffffff wait at barrier 0
     25  ffffffff  setp.lt.u32 %p3, %r27, 2
  --
     50  ffffffff  bra.uni LBB1_9
     36  ffffffff  bar.sync 0
          lanes ffffffff wait at barrier 0
  $ warpmem trace dump vecadd.wmt --limit 2
  allocate 400 bytes at 0x200000000000
  host writes 400 bytes at 0x200000000000
  allocate 400 bytes at 0x200000000300
  host writes 400 bytes at 0x200000000300
  allocate 400 bytes at 0x200000000600
  launch 0: kernel _Z13vecadd_scalarPKfS0_Pfj, grid 1x1x1, block 256x1x1, stream 0
  block 0, warp 0
      0  ffffffff  ld.param.u32 %r1, [_Z13vecadd_scalarPKfS0_Pfj_param_3]
      1  ffffffff  mov.u32 %r2, %ctaid.x
  (2 instructions shown; --limit)
  $ warpmem trace dump vecadd.wmt --launch 3-1
  ! error: --launch: "3-1" is no list of numbers
  ! hint: numbers or ranges in rising order, as 0-7 or 1,4,10-12
  [2]
  $ warpmem trace dump vecadd.wmt --limit all
  ! error: --limit: "all" is no list of numbers
  ! hint: numbers or ranges in rising order, as 0-7 or 1,4,10-12
  [2]

Where two part: not where they were made alike.
  $ warpmem record -q -o again.wmt -- ./vecadd --n 100
  vecadd: PASS
  $ warpmem trace diff vecadd.wmt again.wmt
  $ warpmem record -q -o fewer.wmt -- ./vecadd --n 99
  vecadd: PASS
  $ warpmem trace diff vecadd.wmt fewer.wmt
  The first events that differ: 0
    A  allocate 400 bytes at 0x200000000000
    B  allocate 396 bytes at 0x200000000000
  The first instructions that differ: launch 0 (kernel _Z13vecadd_scalarPKfS0_Pfj), block 0 (0,0,0), warp 3, instruction 7:
    A
          7  0000000f  ld.param.u64 %rd4, [_Z13vecadd_scalarPKfS0_Pfj_param_0]
    B
          7  00000007  ld.param.u64 %rd4, [_Z13vecadd_scalarPKfS0_Pfj_param_0]
  kernel _Z13vecadd_scalarPKfS0_Pfj: 1 of 8 warps differ in 1 launch
  [1]
  $ warpmem record -q -o vector.wmt -- ./vecadd --n 100 --variant vector
  vecadd: PASS
  $ warpmem trace diff vecadd.wmt vector.wmt
  The first launches that differ:
    A  kernel _Z13vecadd_scalarPKfS0_Pfj, grid 1x1x1, block 256x1x1, stream 0
    B  kernel _Z13vecadd_vectorPKfS0_Pfj, grid 1x1x1, block 256x1x1, stream 0
  kernel _Z13vecadd_scalarPKfS0_Pfj: 1 launch not compared
  [1]
  $ warpmem record -q --memory-only -o memory.wmt -- ./vecadd --n 100
  vecadd: PASS
  $ warpmem trace diff vecadd.wmt memory.wmt
  ! error: memory.wmt: one of the recordings has memory instructions alone
  ! hint: record the program in the same way twice
  [2]
  $ warpmem trace diff vecadd.wmt nothing.wmt
  ! error: nothing.wmt: cannot open it: No such file or directory
  [2]

Parts.
  $ warpmem trace cut reduction.wmt -o part.wmt --launches 0 --blocks 1-2 2>&1 | sed 's/ [0-9.]* KiB//'
  warpmem: part.wmt: 1 launch of 1 kernel,
  $ warpmem trace info part.wmt | sed -n '/^launch /,$s/ *[^ ]*$//p'
  launch kernel             grid        block  instructions     accesses
  0           0            2x1x1      256x1x1          1548          103
By the kernel's name, and of these by number.
  $ warpmem cc $SOURCE/workloads/fdtd2d.cu -o fdtd2d && warpmem record -q -o fdtd2d.wmt -- ./fdtd2d --height 16 --width 16 --steps 2
  fdtd2d: PASS
  $ warpmem trace info fdtd2d.wmt | sed -n '/^kernel /,/^$/p' | awk '{print $NF}'
  name
  _Z9fdtd2d_eyPfPKffjjj
  _Z9fdtd2d_exPfPKfjjj
  _Z9fdtd2d_hzPKfS0_Pfjjj
  
  $ warpmem trace cut fdtd2d.wmt -o part.wmt -k '*_e[xy]' 2> said; warpmem trace info part.wmt | sed -n '/^kernel /,/^$/p' | awk '{print $NF}' && warpmem trace info part.wmt | sed -n '/^launch kernel/,/^$/p' | awk '{print $1, $2}'
  name
  _Z9fdtd2d_eyPfPKffjjj
  _Z9fdtd2d_exPfPKfjjj
  
  launch kernel
  0 0
  1 1
  2 0
  3 1
  $ warpmem trace cut fdtd2d.wmt -o part.wmt -k '*_e[xy]' --launches 2-3 2> said; warpmem trace info part.wmt | sed -n '/^kernel /,/^$/p' | awk '{print $NF}' && warpmem trace info part.wmt | sed -n '/^launch kernel/,/^$/p' | awk '{print $1, $2}'
  name
  _Z9fdtd2d_eyPfPKffjjj
  
  launch kernel
  0 0
  $ warpmem trace cut fdtd2d.wmt -o part.wmt --kernel 'sum*'
  ! error: fdtd2d.wmt: no launch is one of --kernel sum*
  ! hint: "warpmem trace info" lists them
  [2]
  $ warpmem trace cut fdtd2d.wmt -o part.wmt --kernel 'regex:('
  ! error: --kernel: "(" is no regular expression: Unmatched ( or \(
  ! hint: POSIX extended ones are understood, as regex:^(reduce|scan)_
  [2]
  $ warpmem trace cut reduction.wmt -o part.wmt --launches 9
  ! error: reduction.wmt: no launch was chosen: the recording has 1, numbered from 0
  ! hint: "warpmem trace info" lists them
  [2]
  $ warpmem trace cut reduction.wmt --launches 0
  ! error: warpmem trace cut: -o FILE says where the recording goes
  [2]
  $ warpmem trace cut reduction.wmt -o ./reduction.wmt
  ! error: -o: "./reduction.wmt" is what is read
  ! hint: name another file
  [2]
  $ warpmem trace cut vecadd.wmt -o all.wmt 2>/dev/null
  $ cmp vecadd.wmt all.wmt

What was cut off, and what is damaged.
  $ head -c -1 vecadd.wmt > short.wmt
  $ warpmem trace check short.wmt >said 2>&1; echo $?; sed 's/byte [0-9]*\( of [0-9]*\)*/byte N/' said
  2
  short.wmt: cut off at byte N: launch 0 is whole; what the program did after that is missing
  $ warpmem trace info short.wmt | grep state | sed 's/byte [0-9]*/byte N/'
  state                 cut off at byte N: launch 0 is whole; what the program did after that is missing
  $ warpmem replay -q short.wmt >said 2>&1; echo $?; sed 's/byte [0-9]*\( of [0-9]*\)*/byte N/' said
  2
  error: short.wmt: the recording is cut off at byte N: launch 0 is whole; what the program did after that is missing
  hint: record the program again, or take the whole launches out with warpmem trace cut
  $ head -c -600 vecadd.wmt > shorter.wmt
  $ warpmem trace check shorter.wmt >said 2>&1; echo $?; sed 's/byte [0-9]*\( of [0-9]*\)*/byte N/' said
  2
  shorter.wmt: cut off at byte N: no launch is whole; what the program did after that is missing
  $ warpmem replay -q shorter.wmt >said 2>&1; echo $?; sed 's/byte [0-9]*\( of [0-9]*\)*/byte N/' said
  2
  error: shorter.wmt: the recording is cut off at byte N: no launch is whole; what the program did after that is missing
  hint: record the program again, or take the whole launches out with warpmem trace cut
  $ warpmem trace cut shorter.wmt -o rest.wmt
  ! error: shorter.wmt: nothing is left: the recording is cut off before its first launch
  [2]
  $ warpmem trace cut short.wmt -o whole.wmt 2>/dev/null
  $ warpmem trace check whole.wmt
  whole.wmt: complete, 1 launch
  $ { head -c 500 vecadd.wmt; printf x; tail -c +502 vecadd.wmt; } > bad.wmt
  $ warpmem trace check bad.wmt
  ! error: bad.wmt: the section at byte 16 is damaged
  ! hint: copy the file again, or record the program again
  [2]
  $ { head -c -500 reduction.wmt; printf xyz; tail -c 497 reduction.wmt; } > bad.wmt
  $ warpmem trace check bad.wmt >said 2>&1; echo $?; sed 's/byte [0-9]*/byte N/' said
  2
  error: bad.wmt: the section at byte N is damaged
  hint: copy the file again, or record the program again
  bad.wmt: damaged: 1 of 1 launches
  $ head -c 40 vecadd.wmt > head.wmt; : > empty.wmt; cp $SOURCE/workloads/vecadd.cu text.wmt
  $ warpmem trace check vecadd.wmt head.wmt empty.wmt text.wmt nothing.wmt
  vecadd.wmt: complete, 1 launch
  ! error: head.wmt: the recording ends before its header is whole
  ! error: empty.wmt: the file is empty
  ! hint: make one with warpmem record, or bring another tool's trace in with warpmem import
  ! error: text.wmt: this is no recording of warpmem
  ! hint: make one with warpmem record, or bring another tool's trace in with warpmem import
  ! error: nothing.wmt: cannot open it: No such file or directory
  [2]
