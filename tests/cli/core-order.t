What threads of a trace do to each other: locked operations, fences, and what one waits for.

  $ printf 't 0\nw 1000 4\nu 2000 4\nn 10\nr 1000 4\nf\nt 1\na 0 2\nu 2000 4\nr 1000 4\nt 0\na 1 2\nr 3000 8\nn 5\n' > order.din
  $ warpmem import -o order.wmt order.din
  ! warpmem: order.wmt: 27 instructions, 3 different, with 3 loads and 1 store, 2 locked operations
  ! warpmem: order.wmt: 1 launch of 1 kernel, 598 B
  $ warpmem trace dump order.wmt
  launch 0: kernel cores, grid 2x1x1, block 1x1x1, stream 0
  block 0, warp 0
      1  00000001  store
          global store 4 B: 0x1000
      2  00000001  locked
          global atomic 4 B: 0x2000
        (16 not listed one by one)
      0  00000001  load
          global load 4 B: 0x1000
          fence
          after 2 accesses of block 1
      0  00000001  load
          global load 8 B: 0x3000
        (5 not listed one by one)
          lanes 1 end
  block 1, warp 0
          after 2 accesses of block 0
      2  00000001  locked
          global atomic 4 B: 0x2000
      0  00000001  load
          global load 4 B: 0x1000
          lanes 1 end
  $ warpmem trace check order.wmt
  order.wmt: complete, 1 launch

A locked operation reads and writes in the core's L1. Counted instructions are a report's.

  $ warpmem replay order.wmt -m cpu-core2
  warpmem: cpu-core2 (Intel Core 2 Duo E6600), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  L1-L2   DRAM
  cores      1         2 x 1          27   37.5%   40.0%  320 B  192 B
  Misses per 1000 warp instructions (MPKI): L1 185.2, L2 111.1
  
  Requests  loads  sect/req   used  stores  sect/req   used  atomics  sect/req
    cores       3       1.0  16.7%       1       1.0  12.5%        2       2.0
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went   to the SM  from it
    requested by lanes        24 B     12 B  ###
    SM - L1, in sectors      224 B    160 B  ##############################
    L1 - L2                  320 B      0 B  #########################
    L2 - DRAM                192 B      0 B  ###############
    host - DRAM, copies        0 B      0 B
  
  Costliest at          requests  sect/req   used  L1 hit  L2 hit  L1-L2  DRAM
  pc:2 cores    locked         2       2.0   6.2%   50.0%   50.0%  128 B  64 B
  pc:0 cores    load           3       1.0  16.7%   33.3%   50.0%  128 B  64 B
  pc:1 cores    store          1       1.0  12.5%    0.0%    0.0%   64 B  64 B
  $ warpmem import -q --data-only -o data.wmt order.din
  $ for made in order data; do warpmem replay $made.wmt -m cpu-core2 | grep MPKI || echo unknown; done
  Misses per 1000 warp instructions (MPKI): L1 185.2, L2 111.1
  unknown

Without the order core 0 comes first in each turn; with it its read comes behind core 1's. The
level that both share says so: who comes second hits.

  $ printf 't 1\ni 500 4\nr 9000 4\nt 0\na 1 1\ni 400 4\nr 9000 4\n' > last.din
  $ warpmem import -q -o last.wmt last.din
  $ warpmem import -q --unordered -o turns.wmt last.din
  $ for made in last turns; do warpmem replay $made.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml | grep '^pc:'; done
  pc:1 cores    0x500         1       1.0  12.5%        0.0%        0.0%     0.0%           64 B       64 B  64 B
  pc:0 cores    0x400         1       1.0  12.5%        0.0%        0.0%   100.0%           64 B       64 B   0 B
  pc:0 cores    0x400         1       1.0  12.5%        0.0%        0.0%     0.0%           64 B       64 B  64 B
  pc:1 cores    0x500         1       1.0  12.5%        0.0%        0.0%   100.0%           64 B       64 B   0 B

The same on any number of threads of the host.

  $ for j in 1 2 8; do warpmem replay -q -j $j order.wmt -m cpu-core2 --json $j.json; cmp 1.json $j.json; done

Several traces: each has its own threads.

  $ warpmem import -q -o both.wmt order.din last.din
  $ warpmem trace dump both.wmt | grep -E '^block|after'
  block 0, warp 0
          after 2 accesses of block 1
  block 1, warp 0
          after 2 accesses of block 0
  block 2, warp 0
          after 1 accesses of block 3
  block 3, warp 0
  $ warpmem replay both.wmt -m cpu-core2 --set gpu.sm.count=4 | grep '^cores'
  cores      1         4 x 1          29   30.0%             0.0%   33.3%  576 B  384 B

Where SMs are the cores the clock engine keeps no order, and says so.

  $ warpmem replay last.wmt -m cpu-core2 --engine clock --json clock.json > text
  ! warpmem: what one core waits for of another is not kept by the clock engine: hits, misses and cycles may differ from a run's
  $ warpmem replay turns.wmt -m cpu-core2 --engine clock --json clock.json > text

An order that cannot be kept: more accesses than there are, or a circle.

  $ printf 't 0\nr 10 4\na 1 5\nr 20 4\nt 1\nr 30 4\n' > cut.din
  $ warpmem import -o x.wmt cut.din
  ! error: cut.din: thread 0 waits for 5 accesses of thread 1, which makes 1 (all hexadecimal)
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: --unordered
  [2]
  $ warpmem import -q --unordered -o x.wmt cut.din
  $ printf 't 0\nr 10 4\na 1 1\nr 20 4\nt 1\na 0 2\nr 30 4\n' > circle.din
  $ warpmem import -q -o circle.wmt circle.din
  $ warpmem replay circle.wmt -m cpu-core2
  ! error: circle.wmt: core 0, after 1 of its accesses, waits until core 1 has made 1, which has made 0 and waits, too
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: warpmem import --unordered
  [2]
  $ warpmem replay circle.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: circle.wmt: core 0, after 1 of its accesses, waits until core 1 has made 1, which has made 0 and waits, too
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: warpmem import --unordered
  [2]
  $ warpmem trace cut order.wmt -o x.wmt --blocks 1
  ! error: order.wmt: its cores wait for each other: none can be cut out
  ! hint: import the trace without its order: warpmem import --unordered
  [2]
  $ printf 'f\nn 3\n' > none.din; warpmem import -o x.wmt none.din
  ! error: none.din: nothing is executed in it
  [2]

Lines that no thread can have.

  $ for line in 'u 10 11' 'u 10' 'n' 'a 1' 'a 100 1' 'a 0 1' 'a 1 100000000' 'n 1000000001'; do printf "r 0 4\n$line\n" > bad.din; warpmem import -q -o x.wmt bad.din 2>&1 | grep error; done
  error: bad.din:2: "u 10 11" has a size that no access has
  error: bad.din:2: "u 10" is no line of Dinero's
  error: bad.din:2: "n" is no line of Dinero's
  error: bad.din:2: "a 1" is no line of Dinero's
  error: bad.din:2: "a 100 1" waits for a thread that no trace has
  error: bad.din:2: "a 0 1" has a thread wait for itself
  error: bad.din:2: "a 1 100000000" waits for more accesses than can be counted
  error: bad.din:2: "n 1000000001" has more instructions than can be counted
