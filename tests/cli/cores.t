Traces of CPU cores: in by warpmem import, replayed on a machine whose SMs are cores.

What Valgrind's lackey prints, its own lines between. An instruction's accesses follow it; an access
over the end of a line is two requests; one of 64 bytes is two of 32.

  $ printf '==7== Lackey\nI  0400,3\n L 1000,8\nI  0403,4\n S 103c,8\nI  0407,2\n M 2000,64\n' > sort.lackey
  $ warpmem import -o sort.wmt sort.lackey 2>&1 | head -1
  warpmem: sort.wmt: 4 instructions, 4 different, with 3 loads and 3 stores
  $ warpmem replay sort.wmt -m cpu-core2
  warpmem: cpu-core2 (Intel Core 2 Duo E6600), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  instruction hit  L2 hit  L1-L2   DRAM
  core       1         1 x 1           4   57.1%             0.0%    0.0%  256 B  256 B
  Misses per 1000 warp instructions (MPKI): L1 750.0, L2 1000.0
  
  Requests  loads  sect/req   used  stores  sect/req   used
    core        3       1.0  75.0%       3       1.3  56.2%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went   to the SM  from it
    requested by lanes        72 B     72 B  #################
    SM - L1, in sectors       96 B    128 B  ##########################
    L1 - L2                  256 B      0 B  ##############################
    L2 - DRAM                256 B      0 B  ##############################
    host - DRAM, copies        0 B      0 B
  
  L1's side caches  requests   hit  from L2
    instruction            1  0.0%     64 B
  
  Costliest at          requests  sect/req   used  L1 hit  L2 hit  L1-L2  DRAM
  pc:1 core     0x403          1       2.0  12.5%   50.0%    0.0%   64 B  64 B
  pc:2 core     0x407          2       1.0   100%   50.0%    0.0%   64 B  64 B
  pc:0 core     0x400          1       1.0  25.0%    0.0%    0.0%   64 B  64 B
  pc:3 core     0x407+         2       1.0   100%  100.0%       -    0 B   0 B

The same straight from the trace, compressed or not, whatever the name of the file says of that.

  $ warpmem replay sort.wmt -m cpu-core2 -q --json imported.json
  $ warpmem replay sort.lackey -m cpu-core2 -q --json straight.json
  $ sed 's/"[^"]*sort[^"]*"/TRACE/' imported.json > a; sed 's/"[^"]*sort[^"]*"/TRACE/' straight.json | cmp - a
  $ gzip -n < sort.lackey > packed.lackey
  $ warpmem replay packed.lackey -m cpu-core2 -q --json packed.json
  $ sed 's/packed/sort/g' packed.json | cmp - straight.json

Two cores: programs of their own, whose equal addresses are two places, or threads of one.

  $ warpmem import -q -o apart.wmt sort.lackey sort.lackey
  $ warpmem replay apart.wmt -m cpu-core2 | head -4
  warpmem: cpu-core2 (Intel Core 2 Duo E6600), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  instruction hit  L2 hit  L1-L2   DRAM
  cores      1         2 x 1           8   57.1%             0.0%    0.0%  512 B  512 B
  $ warpmem import -q --shared -o shared.wmt sort.lackey sort.lackey
  $ warpmem replay shared.wmt -m cpu-core2 | head -4
  warpmem: cpu-core2 (Intel Core 2 Duo E6600), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  instruction hit  L2 hit  L1-L2   DRAM
  cores      1         2 x 1           8   57.1%             0.0%   50.0%  512 B  256 B
  $ warpmem import -q -o many.wmt sort.lackey sort.lackey sort.lackey
  $ warpmem replay many.wmt -m cpu-core2
  ! error: many.wmt: the recording is of 3 cores, and machine cpu-core2 has 2
  ! hint: give --set gpu.sm.count=3
  [2]
  $ warpmem replay many.wmt -m cpu-core2 --set gpu.sm.count=3 | head -4
  warpmem: cpu-core2 (Intel Core 2 Duo E6600), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  instruction hit  L2 hit  L1-L2   DRAM
  cores      1         3 x 1          12   57.1%             0.0%    0.0%  768 B  768 B

Dinero's lines, classic and extended; without instructions each load and store stands for itself.

  $ printf '2 400000\n0 1003\n1 1040\n2 400004\nr 103e 4 over a line\n' > a.din
  $ warpmem import -o a.wmt a.din 2>&1 | head -1
  warpmem: a.wmt: 3 instructions, 3 different, with 2 loads and 1 store
  $ warpmem replay a.wmt -m cpu-core2 | grep -A 9 'side caches'
  L1's side caches  requests   hit  from L2
    instruction            1  0.0%     64 B
  
  Costliest at             requests  sect/req   used  L1 hit  L2 hit  L1-L2  DRAM
  pc:0 core     0x400000          1       1.0  12.5%    0.0%    0.0%   64 B  64 B
  pc:1 core     0x400000+         1       1.0  12.5%    0.0%    0.0%   64 B  64 B
  pc:2 core     0x400004          1       2.0   6.2%  100.0%       -    0 B   0 B
  $ warpmem import --data-only -o data.wmt a.din 2>&1 | head -1
  warpmem: data.wmt: 3 instructions, 2 different, with 2 loads and 1 store
  $ for made in a data; do warpmem replay $made.wmt -m cpu-core2 | grep MPKI || echo unknown; done
  Misses per 1000 warp instructions (MPKI): L1 666.7, L2 1000.0
  unknown
  $ warpmem replay data.wmt -m cpu-core2 | tail -4
  
  Costliest at         requests  sect/req   used  L1 hit  L2 hit  L1-L2  DRAM
  pc:0 core     load          2       1.5   8.3%   66.7%    0.0%   64 B  64 B
  pc:1 core     store         1       1.0  12.5%    0.0%    0.0%   64 B  64 B

ChampSim's records: 64 bytes, here two loads and a store of one instruction, then a branch.

  $ printf '\000\020\100\000\000\000\000\000\000\000\001\000\002\000\000\000\100\040\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\060\000\000\000\000\000\000\200\060\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' > mcf.champsim
  $ printf '\004\020\100\000\000\000\000\000\001\001' > end; head -c 54 /dev/zero >> end; cat end >> mcf.champsim
  $ warpmem import -o mcf.wmt mcf.champsim 2>&1 | head -1
  warpmem: mcf.wmt: 3 instructions, 3 different, with 2 loads and 1 store
  $ warpmem replay mcf.wmt -m cpu-core2 | tail -2
  pc:0 core     0x401000          2       1.0  3.1%    0.0%    0.0%  128 B  128 B
  pc:1 core     0x401000+         1       1.0  3.1%    0.0%    0.0%   64 B   64 B

What does not fit is refused.

  $ warpmem replay sort.wmt -m v100
  ! error: sort.wmt: the recording is of CPU cores, and machine v100 has warps of 32 lanes
  ! hint: replay it with -m cpu-core2, or another machine whose gpu.sm.warp_width is 1
  [2]
  $ warpmem import -o x.wmt none.din
  ! error: none.din: cannot be opened: No such file or directory
  [2]
  $ : > empty.din; warpmem import -o x.wmt empty.din
  ! error: empty.din: is empty
  [2]
  $ head -c 100 mcf.champsim > cut.champsim; warpmem import -o x.wmt cut.champsim
  ! error: cut.champsim, byte 64: record 1 ends before its end
  ! hint: ChampSim's traces are records of 64 bytes: the file may be cut short, or be of another kind
  [2]
  $ head -c 40 packed.lackey > cut.lackey; warpmem import -o x.wmt cut.lackey
  ! error: cut.lackey: cannot be read from byte 0 on: truncated gzip input
  ! hint: the file may be damaged or cut short: get it again
  [2]
  $ warpmem import -o x.wmt --format champsim a.din
  ! error: a.din, byte 0: record 0 ends before its end
  ! hint: ChampSim's traces are records of 64 bytes: the file may be cut short, or be of another kind
  [2]
  $ warpmem import -o x.wmt --format dinero sort.lackey
  ! error: sort.lackey:1: "==7== Lackey" is no line of Dinero's
  ! hint: Dinero's lines are "0 ADDRESS", "1 ADDRESS" or "2 ADDRESS" (read, write, fetch), or "r ADDRESS SIZE", "w …", "i …"; all numbers are hexadecimal
  [2]
  $ warpmem import -o x.wmt --format lackey a.din
  ! error: a.din:1: "2 400000" is no line of lackey's
  ! hint: lackey's lines are "I  ADDRESS,SIZE", or " L", " S" or " M" in place of I
  [2]
  $ printf '0 10\n4 0\n' > flush.din; warpmem import -o x.wmt flush.din
  ! error: flush.din:2: "4 0" has caches write back or drop what they hold
  ! hint: warpmem follows reads, writes and fetches alone: take such lines out of the trace
  [2]
  $ printf '0 11223344556677889\n' > wide.din; warpmem import -o x.wmt wide.din
  ! error: wide.din:1: "0 11223344556677889" is no line of Dinero's
  ! hint: Dinero's lines are "0 ADDRESS", "1 ADDRESS" or "2 ADDRESS" (read, write, fetch), or "r ADDRESS SIZE", "w …", "i …"; all numbers are hexadecimal
  [2]
  $ printf 'r fffffffffffffff0 20\n' > end.din; warpmem import -o x.wmt end.din
  ! error: end.din:1: "r fffffffffffffff0 20" has a size that no access has
  [2]
  $ printf 'I  0400,3\n L 1000,0\n' > none.lackey; warpmem import -o x.wmt none.lackey
  ! error: none.lackey:2: " L 1000,0" has a size that no access has
  [2]
  $ printf '2 400000\n' > only.din; warpmem import --data-only -o x.wmt only.din
  ! error: only.din: nothing is executed in it
  [2]
  $ warpmem import -o x.wmt --format din a.din
  ! error: --format: "din" is no kind of trace
  ! hint: known are accelsim, champsim, lackey, dinero
  [2]
  $ warpmem import -o x.wmt --shared kernelslist.g
  ! error: kernelslist.g is not of CPU cores
  ! hint: give one list of kernels, without --data-only, --shared, --unordered and --kernels
  [2]
  $ warpmem import -o none/x.wmt a.din
  ! error: -o: cannot write "none/x.wmt": No such file or directory
  ! hint: make its folder first
  [1]
  $ warpmem import -o x.wmt a.din mixed
  ! error: mixed: its name does not say what kind of trace it is
  ! hint: give --format
  [2]
  $ ls x.wmt* none* 2>&1
  ls: cannot access 'x.wmt*': No such file or directory
  none.lackey
  [2]
