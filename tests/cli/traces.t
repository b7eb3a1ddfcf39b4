Traces of Accel-Sim, whole and bad. demo/ has one of each thing that a trace can say.

  $ cp -r $CASES/traces/demo demo
  $ warpmem import -o demo.wmt demo/kernelslist.g
  ! warpmem: demo/kernelslist.g: 2 of the grids' blocks are not in the traces: taken for such as do nothing
  ! warpmem: demo/kernelslist.g: 1 warp instruction goes to memory in ways that traces do not record (TEX.SCR.B.LL): executed without their accesses
  ! warpmem: demo.wmt: 1 launch of 1 kernel, 987 B
  $ warpmem trace dump demo.wmt
  host writes 4096 bytes at 0x7f0010000000
  launch 0: kernel _Z4demoPf, grid 3x1x1, block 40x1x1, 256 B of dynamic shared memory, 1024 B of local memory a block, stream 0
  block 0, warp 0
          lanes ffffffff end
  block 0, warp 1
          lanes ff end
  block 1, warp 0
      0  ffffffff  MOV R1
      1  ffffffff  LDG.E.64.SYS R4, [R2]
          global load 8 B: 0x7f0010000000 + 8 a lane
      2  00000007  LDG.E.STRONG.GPU R4, [R2]
          global load 4 B, past L1: 0x7f0010000100 0x7f0010000104 0x7f00100000fc
      3  00000003  LDG.E.S8.SYS R6, [R2]
          global load 1 B: 0x7f0010000200 + 256 a lane
      4  ffffffff  STS [R6], R9
          shared store 4 B: 0x10 + 4 a lane
      5  ffffffff  BAR.SYNC
          lanes ffffffff wait at barrier 0
      6  0000000f  LD.E.SYS R5, [R2]
          global load 4 B, lanes c: 0x7f0010000400 + 256 a lane
          shared load 4 B, lanes 1: 0x20
          local load 4 B, lanes 2: 0x4
      7  ffffffff  STL [R1], R9
          local store 4 B: 0x0 + 4 a lane
      8  ffffffff  LDSM.16.M88.2 R8, [R6]
          shared load 16 B, lanes ffff: 0x0 + 16 a lane
      9  00000000  LDG.E.SYS R8, [R6]
     10  00000001  ATOMG.E.ADD.F64.RN.STRONG.GPU R8, [R6], R4
          global atomic 8 B: 0x7f0010000800
     11  ffffffff  EXIT
          lanes ffffffff end
  block 1, warp 1
      0  000000ff  MOV R1
      5  000000ff  BAR.SYNC
          lanes ff wait at barrier 0
     12  0000000f  TEX.SCR.B.LL R4, R2
          lanes ff end
  block 2, warp 0
          lanes ffffffff end
  block 2, warp 1
          lanes ff end
  $ warpmem replay -q demo/kernelslist.g --json direct.json
  $ warpmem replay -q demo.wmt --json imported.json
  $ cmp direct.json imported.json
A trace alone is a launch; a packed one is told by its bytes.
  $ warpmem import -q -o one.wmt demo/kernel-1.traceg && warpmem trace dump one.wmt | tail -n +2 > one.txt
  $ gzip -c demo/kernel-1.traceg > packed.traceg && warpmem import -q -o packed.wmt packed.traceg
  $ warpmem trace dump packed.wmt | tail -n +2 | cmp - one.txt
  $ warpmem trace dump demo.wmt | tail -n +3 | cmp - one.txt
Out and back in, it is the same.
  $ warpmem export -o again demo.wmt
  ! warpmem: again: 1 launch, 16 warp instructions
  $ cat again/kernelslist.g
  MemcpyHtoD,0x00007f0010000000,4096
  kernel-1.traceg
  $ sed -n '/BEGIN_TB/,$p' again/kernel-1.traceg
  #BEGIN_TB
  
  thread block = 1,0,0
  
  warp = 0
  insts = 12
  0000 ffffffff 1 R1 MOV 0 0 0 
  0010 ffffffff 1 R4 LDG.E.64.SYS 1 R2 8 1 0x7f0010000000 8 0 
  0020 00000007 1 R4 LDG.E.STRONG.GPU 1 R2 4 2 0x7f0010000100 4 -8 0 
  0030 00000003 1 R6 LDG.E.S8.SYS 1 R2 1 1 0x7f0010000200 256 0 
  0040 ffffffff 0 STS 2 R6 R9 4 1 0x10 4 0 
  0050 ffffffff 0 BAR.SYNC 0 0 0 
  0060 0000000f 1 R5 LD.E.SYS 1 R2 4 2 0x100000000020 1099511627744 120946547491840 256 0 
  0070 ffffffff 0 STL 2 R1 R9 4 1 0x0 0 0 
  0080 0000ffff 1 R8 LDSM.16.M88.2 1 R6 16 1 0x0 16 0 
  0090 00000000 1 R8 LDG.E.SYS 1 R6 0 0 
  00a0 00000001 1 R8 ATOMG.E.ADD.F64.RN.STRONG.GPU 2 R6 R4 8 2 0x7f0010000800 0 
  00b0 ffffffff 0 EXIT 0 0 0 
  
  warp = 1
  insts = 4
  0000 000000ff 1 R1 MOV 0 0 0 
  0050 000000ff 0 BAR.SYNC 0 0 0 
  00c0 0000000f 1 R4 TEX.SCR.B.LL 1 R2 0 0 
  00d0 000000ff 0 EXIT 0 0 0 
  
  #END_TB
  
  $ warpmem import -q -o again.wmt again/kernelslist.g && warpmem replay -q again.wmt --json again.json
  $ tr , '\n' < imported.json | grep misses > a; tr , '\n' < again.json | grep misses | cmp - a
  $ grep -c '[1-9]' a
  70
  $ warpmem export -o again demo.wmt
  ! error: again: this is no empty folder
  ! hint: name a folder that is not there yet, or is empty
  [2]
  $ warpmem export demo.wmt
  ! error: warpmem export: -o FOLDER says where the traces go
  [2]
  $ warpmem import demo/kernelslist.g
  ! error: warpmem import: -o FILE says where the recording goes
  [2]

Bad lists.
  $ warpmem import -o x.wmt nowhere/kernelslist.g
  ! error: nowhere/kernelslist.g: cannot be opened: No such file or directory
  [2]
  $ : > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g: is empty
  [2]
  $ echo MemcpyHtoD,0x10,16 > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g: the list names no kernel
  [2]
  $ echo MemcpyHtoD,0x10,-16 > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g:1: "MemcpyHtoD,0x10,-16" is not "MemcpyHtoD,0xADDRESS,BYTES"
  [2]
  $ printf 'MemcpyHtoD,0x10,16\nkernel-7.traceg\n' > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g:2: there is no kernel-7.traceg
  [2]
  $ printf 'hello\n' > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g:1: a list has lines "MemcpyHtoD,0xADDRESS,BYTES" and names of files that begin with "kernel", not "hello"
  ! hint: give the kernelslist.g that Accel-Sim's post-processing wrote
  [2]
  $ head -c 200 demo.wmt > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernelslist.g:1: a byte of zero in the line: this is no text
  [2]

Bad traces: each is the good one but for a line.
  $ echo 'sed "$1" demo/kernel-1.traceg > bad.traceg; warpmem import -o x.wmt bad.traceg' > bad
  $ sh bad '/block dim/d'
  ! error: bad.traceg:14: the kernel's header has no "-block dim = …"
  [2]
  $ sh bad 's/^-grid dim.*/-grid dim = (3,1)/'
  ! error: bad.traceg:3: "-grid dim = (3,1)" cannot be read
  [2]
  $ sh bad 's/^-block dim.*/-block dim = (1024,2,1)/'
  ! error: bad.traceg:15: a block of 2048 threads: there are at most 1,024
  [2]
  $ sh bad 's/^-grid dim.*/-grid dim = (2000000000,60000,1)/'
  ! error: bad.traceg:15: a grid of 2000000000×60000×1 blocks: at most 67108864 are imported
  [2]
  $ sh bad 's/^thread block.*/thread block = 3,0,0/'
  ! error: bad.traceg:19: thread block 3,0,0 lies outside the grid of 3×1×1
  [2]
  $ sh bad 's/^warp = 1/warp = 2/'
  ! error: bad.traceg:36: warp 2 in a block of 2 warps
  [2]
  $ sh bad 's/^warp = 1/warp = 0/'
  ! error: bad.traceg:36: warp 0 stands twice in its block
  [2]
  $ sh bad 's/^insts = 3/insts = 4/'
  ! error: bad.traceg:42: 1 of the warp's instructions are missing
  [2]
  $ sh bad 's/^insts = 3/insts = 2/'
  ! error: bad.traceg:40: "00c0 0000000f 1 R4 TEX.SCR.B.LL 1 R2 4 1 0x7f0010000000 4 0 " stands where "warp = N" or "#END_TB" is expected
  [2]
  $ sh bad 's/^insts = 3/insts = 99999999999999999999/'
  ! error: bad.traceg:37: "insts = 99999999999999999999" is not "insts = N"
  [2]
  $ sh bad 's/STS 2 R6 R9/STS 3 R6 R9/'
  ! error: bad.traceg:27: "4" stands where a source register is expected
  [2]
  $ sh bad 's/^0010 ffffffff/0010 xyz/'
  ! error: bad.traceg:24: the mask of lanes is missing or wrong
  [2]
  $ sh bad 's/ 8 1 0x7f0010000000 8 0/ 8 7 0x7f0010000000 8 0/'
  ! error: bad.traceg:24: addresses are in mode 7: there are 0 (all), 1 (base and stride) and 2 (base and deltas)
  [2]
  $ sh bad 's/ 8 1 0x7f0010000000 8 0/ 8 1/'
  ! error: bad.traceg:24: the address of lane 0 is missing or wrong
  [2]
  $ sh bad 's/^0020.*/0020 00000007 1 R4 LDG.E 1 R2 4 2 0x7f0010000100 4/'
  ! error: bad.traceg:25: the address of lane 2 is missing or wrong
  [2]
  $ sh bad 's/0xfffb00/0x1fffb00/'
  ! error: bad.traceg:30: the local address 0x1fffb00 lies outside the 16 MiB of a thread
  [2]
  $ sh bad '/END_TB/d'
  ! error: bad.traceg:41: the trace ends within a thread block
  ! hint: the file was cut off: trace the kernel again
  [2]
  $ sh bad '/BEGIN_TB/,$d'
  ! error: bad.traceg:16: the trace ends behind its header: it has no thread block
  [2]
  $ sh bad '/^#/d; /^thread/,$d'
  ! error: bad.traceg:16: the trace ends within the kernel's header
  [2]
  $ sh bad 's/^-accelsim tracer.*/-accelsim tracer version = 2/; /^#traces/s/= .*/= a b c w PC mask/'
  ! error: bad.traceg:23: the line does not begin with 4 numbers of block and warp, as this version's do
  [2]
  $ sh bad '/BEGIN_TB/,/insts = 12/d'
  ! error: bad.traceg:17: the trace is as the tracer wrote it, not grouped by block
  ! hint: run Accel-Sim's post-traces-processing on its kernelslist, and give the kernelslist.g that it writes
  [2]
  $ cat demo/kernel-1.traceg demo/kernel-1.traceg > bad.traceg; warpmem import -o x.wmt bad.traceg
  ! error: bad.traceg:43: "-kernel name = _Z4demoPf" stands where "#BEGIN_TB" is expected
  [2]
  $ sed -n '/BEGIN_TB/,$p' demo/kernel-1.traceg >> demo/kernel-1.traceg; warpmem import -o x.wmt demo/kernelslist.g
  ! error: demo/kernel-1.traceg:45: the thread block stands in the trace twice
  [2]
  $ gzip -c one.txt | head -c 100 > bad.traceg; warpmem import -o x.wmt bad.traceg
  ! error: bad.traceg: cannot be read from byte 0 on: truncated gzip input
  ! hint: the file may be damaged or cut short: get it again
  [2]
  $ warpmem replay bad.traceg
  ! error: bad.traceg: cannot be read from byte 0 on: truncated gzip input
  ! hint: the file may be damaged or cut short: get it again
  [2]
  $ echo kernel-1.tracez > kernelslist.g; warpmem import -o x.wmt kernelslist.g
  ! error: kernel-1.tracez: traces in the .tracez container of Accel-Sim 2.0 are not read
  ! hint: give the text form: its tracer writes .traceg with --text
  [2]
  $ warpmem replay kernel-1.tracez
  ! error: kernel-1.tracez: traces in the .tracez container of Accel-Sim 2.0 are not read
  ! hint: give the text form: its tracer writes .traceg with --text
  [2]
  $ warpmem import -o x.wmt demo
  ! error: demo: cannot be opened: Is a directory
  [2]
  $ warpmem replay one.wmt -m hd7970
  ! error: one.wmt: the recording has warps of 32 lanes, and machine hd7970 has 64
  ! hint: record the program with -m hd7970
  [2]
  $ ls x.wmt*
  ! ls: cannot access 'x.wmt*': No such file or directory
  [2]
  $ warpmem import -q -o nowhere/x.wmt again/kernelslist.g
  ! error: -o: cannot write "nowhere/x.wmt": No such file or directory
  ! hint: make its folder first
  [1]
  $ head -c 600 demo.wmt > cut.wmt; warpmem export -o no cut.wmt; ls no
  ! error: cut.wmt: launch 0 of kernel _Z4demoPf is not whole
  ! hint: record the program again, or cut the whole launches out with warpmem trace cut
  ! ls: cannot access 'no': No such file or directory
  [2]
