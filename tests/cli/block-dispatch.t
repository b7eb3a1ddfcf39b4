Which SM gets which block (gpu.sm.block_dispatch), and how that is seen (--block-map).

  $ need clang
  $ warpmem cc $CASES/placed.cu -o placed
  $ warpmem machine show gtx480 --set gpu.sm.count=4 --set gpu.sm.max_blocks=2 > few.yaml

The report has the grid of each kernel's last launch.
  $ warpmem run --block-map -m ./few.yaml ./placed | sed -n '/^SM of each/,$p'
  SM of each block: line, launch 0, 16 blocks
    block   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        0   0  1  2  3  0  1  2  3  0  1  1  2  1  2  3  2
  
  SM of each block: box, launch 2, 2 x 3 x 2 blocks
    y / x  0 1
    z = 0
        0  0 1
        1  2 3
        2  0 1
    z = 1
        0  2 3
        1  0 1
        2  2 3
  $ warpmem run --block-map -m ./few.yaml --set gpu.sm.block_dispatch=first-available ./placed | grep -A3 '^SM of each block: line'
  SM of each block: line, launch 0, 16 blocks
    block   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        0   0  1  2  3  0  1  2  3  0  1  1  1  2  2  1  3
  
  $ warpmem run --block-map -m ./few.yaml --set gpu.sm.block_dispatch=clustered ./placed | grep -A3 '^SM of each block: line'
  SM of each block: line, launch 0, 16 blocks
    block   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        0   0  0  0  0  1  1  1  1  2  2  0  0  3  3  3  2
  
The JSON has all launches.
  $ warpmem run -q --block-map -m ./few.yaml --set gpu.sm.block_dispatch=clustered --json all.json ./placed && python3 $CASES/block_maps.py show all.json
  31392
  0 _Z4linePfi [16, 1, 1]: 0 0 0 0 1 1 1 1 2 2 0 0 3 3 3 2
  1 _Z3boxPi [6, 3, 1]: 0 0 0 0 3 1 1 1 1 0 2 2 2 2 1 3 3 3
  2 _Z3boxPi [2, 3, 2]: 0 0 0 1 1 1 2 2 2 3 3 3
Without the option it has none, and neither has the report.
  $ warpmem run -m ./few.yaml --json none.json ./placed | grep -c 'SM of each'; grep -c block_maps none.json
  0
  0
  [1]
Launches that are not counted are left out.
  $ warpmem run -q --block-map -m ./few.yaml --json chosen.json --launches 1 ./placed && python3 $CASES/block_maps.py show chosen.json
  31392
  1 _Z3boxPi [6, 3, 1]: 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1
Blocks that no SM was given, as the kernel was stopped, have none.
  $ warpmem run --block-map -m ./few.yaml --limit-instructions 5000 --json stopped.json ./placed 2> err | grep -A3 '^SM of each'; python3 $CASES/block_maps.py show stopped.json
  SM of each block: line, launch 0, 16 blocks
    block   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        0   0  1  2  3  0  1  2  3  -  -  -  -  -  -  -  -
  
  0 _Z4linePfi [16, 1, 1]: 0 1 2 3 0 1 2 3 - - - - - - - -
What is too wide or too long is cut.
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd && warpmem cc $SOURCE/workloads/transpose.cu -o transpose
  $ COLUMNS=60 warpmem run --block-map -m ./few.yaml ./vecadd --n 100000 | sed -n '/^SM of each/,$p'
  SM of each block: vecadd_scalar, launch 0, 391 blocks
    block   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        0   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       16   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       32   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       48   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       64   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       80   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
       96   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      112   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      128   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      144   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      160   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      176   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      192   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      208   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      224   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
      240   0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
    and 9 rows more (--json)
  $ COLUMNS=50 warpmem run --block-map -m ./few.yaml ./transpose | sed -n '/^SM of each/,$p'
  SM of each block: transpose_naive, launch 0, 32 x 32 blocks
    y / x   0  1  2  3  4  5  6  7  8  9 10 11 12 13 …
        0   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        1   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        2   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        3   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        4   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        5   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        6   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        7   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        8   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
        9   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       10   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       11   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       12   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       13   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       14   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
       15   0  1  2  3  0  1  2  3  0  1  2  3  0  1 …
    and 16 rows more (--json)

A replay has blocks where the run had them, on any number of threads, with and without time, and counts the same.
  $ warpmem record -q -o placed.wmt -- ./placed > said
  $ python3 $CASES/block_maps.py same placed.wmt '-m ./few.yaml' ./placed
  round-robin walk same
  round-robin clock same
  first-available walk same
  first-available clock same
  clustered walk same
  clustered clock same
So have launches of two streams, which share SMs.
  $ warpmem record -q -o streams.wmt -- ./placed streams
  $ python3 $CASES/block_maps.py same streams.wmt '-m ./few.yaml' ./placed streams
  round-robin walk same
  round-robin clock same
  first-available walk same
  first-available clock same
  clustered walk same
  clustered clock same
  $ warpmem replay -q --block-map -m ./few.yaml --set gpu.sm.block_dispatch=clustered --json streams.json streams.wmt && python3 $CASES/block_maps.py show streams.json
  0 _Z4linePfi [12, 1, 1]: 0 0 0 1 1 0 2 2 0 3 3 3
  1 _Z4linePfi [12, 1, 1]: 0 0 0 1 0 2 2 2 2 3 3 3
And of two GPUs, whose SMs are numbered for each by itself.
  $ warpmem record -q -o devices.wmt -m ./few.yaml --set gpu.count=2 -- ./placed devices
  $ python3 $CASES/block_maps.py same devices.wmt '-m ./few.yaml --set gpu.count=2' ./placed devices
  round-robin walk same
  round-robin clock same
  first-available walk same
  first-available clock same
  clustered walk same
  clustered clock same
  $ warpmem replay -q --block-map -m ./few.yaml --set gpu.count=2 --set gpu.sm.block_dispatch=clustered --json devices.json devices.wmt && python3 $CASES/block_maps.py show devices.json
  0 _Z4linePfi gpu0 [10, 1, 1]: 0 0 3 1 1 0 2 2 0 3
  1 _Z4linePfi gpu1 [11, 1, 1]: 0 0 0 1 1 3 2 2 0 3 3
  $ warpmem replay --block-map -m ./few.yaml --set gpu.count=2 --set gpu.sm.block_dispatch=clustered devices.wmt | grep -A3 '^SM of each'
  SM of each block: line on gpu0, launch 0, 10 blocks
    block  0 1 2 3 4 5 6 7 8 9
        0  0 0 3 1 1 0 2 2 0 3
  
  SM of each block: line on gpu1, launch 1, 11 blocks
    block   0  1  2  3  4  5  6  7  8  9 10
        0   0  0  0  1  1  3  2  2  0  3  3
Machines that are replayed together have each their map.
  $ warpmem replay -q --block-map -m ./few.yaml --variant gpu.l2.size=384KiB --variant gpu.sm.block_dispatch=clustered --json many.json placed.wmt && for file in many.json many.2.json many.3.json; do python3 $CASES/block_maps.py show $file | head -1; done
  0 _Z4linePfi [16, 1, 1]: 0 1 2 3 0 1 2 3 0 1 1 2 1 2 3 2
  0 _Z4linePfi [16, 1, 1]: 0 1 2 3 0 1 2 3 0 1 1 2 1 2 3 2
  0 _Z4linePfi [16, 1, 1]: 0 0 0 0 1 1 1 1 2 2 0 0 3 3 3 2

The timeline names each block, too.
  $ warpmem replay -q -m ./few.yaml --engine clock --timeline over-time.json placed.wmt && grep -o '"name":"block 11",.*' over-time.json | sed 's/"ts":[0-9.]*,"dur":[0-9.]*/.../; s/"cycles":[0-9]*/.../'
  "name":"block 11",...,"args":{"launch":0,"index":11,"block":[11,0,0],...}},
  "name":"block 11",...,"args":{"launch":1,"index":11,"block":[5,1,0],...}},
  "name":"block 11",...,"args":{"launch":2,"index":11,"block":[1,2,1],...}},
