Which partition of L1 and shared memory loads are decided for.

  $ need clang
  $ warpmem cc $CASES/partitioned.cu -o app
  $ warpmem bypass -m liang-2015 --partition auto ./app 16 24
  partitioned: PASS
  warpmem: liang-2015 (the GTX 680 of the bypass study), L1 lines of 128 bytes, efficiencies: profiled
  
  Partition of an SM's L1 and shared memory, predicted by the model liang-2015
       L1  shared  occupancy  hit rate  predicted
  > 16KiB   48KiB      40.5%     81.5%     1.1437
    32KiB   32KiB      28.5%     98.4%     1.0492
    48KiB   16KiB      16.6%     98.4%     0.8946
    Loads are decided for 48KiB of shared memory. A program requests it with
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared), warpmem with --set
    gpu.sm.default_carveout=48KiB.
  
  Kernel staged: 2 global loads, 1 launch, L1 16KiB an SM
  ld  at                 load            lines  sect/line  alone    all  E on  E off  saves alone  heuristic  exact
   1  partitioned.cu:16  ld.global.f32  57.3 k       4.00  34.1%  64.5%     -      -     2.39 MiB  cache      cache
   2  partitioned.cu:16  ld.global.f32  57.3 k       4.00  34.1%  66.7%     -      -     2.39 MiB  cache      cache
    Together: ld 1 and ld 2 save 4.41 MiB
                cached  saves, predicted  measured     L1-L2
    bypass-all       0               0 B       0 B  14.1 MiB
    cache-all        2          9.18 MiB  11.5 MiB  2.60 MiB
    heuristic        2          9.18 MiB  11.5 MiB  2.60 MiB
  > exact            2          9.18 MiB  11.5 MiB  2.60 MiB
  
  Kernel streamed: 1 global load, 1 launch, L1 16KiB an SM
  ld  at                 load           lines  sect/line  alone   all    E on   E off  saves alone  heuristic  exact
   1  partitioned.cu:25  ld.global.f32    512       4.00   0.0%  0.0%  100.0%  100.0%          0 B  bypass     bypass
                cached  saves, predicted  measured    L1-L2
    bypass-all       0               0 B       0 B  128 KiB
    cache-all        1               0 B       0 B  128 KiB
    heuristic        0               0 B       0 B  128 KiB
  > exact            0               0 B       0 B  128 KiB
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.
  $ warpmem bypass -m liang-2015 --partition auto --measure none ./app 1 40 | sed -n 3,10p
  
  Partition of an SM's L1 and shared memory, predicted by the model liang-2015
       L1  shared  occupancy  hit rate  predicted
    16KiB   48KiB     100.0%      0.0%     0.9988
    32KiB   32KiB     100.0%     13.9%     1.1374
  > 48KiB   16KiB     100.0%     97.6%     1.9689
    Loads are decided for 16KiB of shared memory. A program requests it with
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1), warpmem with --set

A block that does not fit the smallest; a kernel that says itself what it prefers; a size given.
  $ warpmem bypass -m liang-2015 --partition auto --measure none ./app 20 24 | sed -n 3,13p
  
  Partition of an SM's L1 and shared memory, predicted by the model liang-2015
       L1  shared  occupancy  hit rate  predicted
  > 16KiB   48KiB      28.5%     56.4%     0.9535
    32KiB   32KiB      16.6%     98.4%     0.8946
    48KiB   16KiB          -         -          -
    Loads are decided for 48KiB of shared memory. A program requests it with
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared), warpmem with --set
    gpu.sm.default_carveout=48KiB. 16KiB hold no block of kernel staged.
  
  Kernel staged: 2 global loads, 1 launch, L1 16KiB an SM
  $ warpmem bypass -m liang-2015 --partition 16KiB --measure none ./app 20 24
  partitioned: PASS
  ! error: --partition: 16KiB of shared memory hold no block of kernel staged
  [2]
  $ warpmem bypass -m liang-2015 --partition auto --measure none ./app 8 24 prefer | sed -n 3,13p
  
  Partition of an SM's L1 and shared memory, predicted by the model liang-2015
       L1  shared  occupancy  hit rate  predicted
  > 16KiB   48KiB      76.2%     89.3%     1.6004
    32KiB   32KiB      76.2%     89.3%     1.6004
    48KiB   16KiB      76.2%     89.3%     1.6004
    Loads are decided for 48KiB of shared memory. A program requests it with
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared), warpmem with --set
    gpu.sm.default_carveout=48KiB. Kernel staged says itself how much it prefers, and gets that in
    every row.
  
  $ warpmem bypass -m liang-2015 --partition 32KiB --measure none -k streamed ./app 16 24
  partitioned: PASS
  warpmem: liang-2015 (the GTX 680 of the bypass study), L1 lines of 128 bytes, efficiencies: profiled
  
  Partition of an SM's L1 and shared memory, predicted by the model liang-2015
       L1  shared  occupancy  hit rate  predicted
    16KiB   48KiB     100.0%      0.0%     0.9988
  > 32KiB   32KiB     100.0%      0.0%     0.9988
    48KiB   16KiB     100.0%      0.0%     0.9988
    Loads are decided for 32KiB of shared memory. A program requests it with
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferEqual), warpmem with --set
    gpu.sm.default_carveout=32KiB.
  
  Kernel streamed: 1 global load, 1 launch, L1 32KiB an SM
  ld  at                 load           lines  sect/line  alone   all    E on   E off  saves alone  heuristic  exact
   1  partitioned.cu:25  ld.global.f32    512       4.00   0.0%  0.0%  100.0%  100.0%          0 B  bypass     bypass
                cached  saves, predicted
    bypass-all       0               0 B
    cache-all        1               0 B
    heuristic        0               0 B
  > exact            0               0 B
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.
  $ warpmem bypass -m v100 --set gpu.sm.count=4 --partition 8KiB --measure none -k staged ./app 4 24 | sed -n 3,16p
  
  Partition of an SM's L1 and shared memory, without a model
        L1  shared  occupancy  hit rate  predicted
     32KiB   96KiB     100.0%     99.3%          -
     64KiB   64KiB     100.0%     99.3%          -
     96KiB   32KiB     100.0%     99.3%          -
    112KiB   16KiB      50.0%     99.3%          -
  > 120KiB    8KiB      25.0%     99.3%          -
    128KiB      0B          -         -          -
    Loads are decided for 8KiB of shared memory. A program requests it with
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 8), warpmem with
    --set gpu.sm.default_carveout=8KiB. 0B hold no block of kernel staged.
  
  Kernel staged: 2 global loads, 1 launch, L1 120KiB an SM

What is written says which it is for, and a replay with it moves what was measured.
  $ warpmem record -q --any-order -m liang-2015 -o app.wmt ./app 16 24
  partitioned: PASS
  $ warpmem bypass -m liang-2015 --partition auto --json auto.json --html auto.html --decisions app.list app.wmt | grep -e decisions -e '>'
  > 16KiB   48KiB      40.5%     81.5%     1.1437
  > exact            2          9.18 MiB  11.5 MiB  2.60 MiB
  > exact            0               0 B       0 B  128 KiB
  warpmem: app.list: decisions, for --set gpu.sm.default_carveout=48KiB --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@app.list
  $ grep Machine app.list
  # warpmem bypass. Machine: liang-2015 --set gpu.sm.default_carveout=48KiB; solver: exact.
  $ warpmem bypass -m liang-2015 --partition auto --json again.json -j 1 -q ./app 16 24; cmp auto.json again.json; sed -n 7,30p auto.json
  partitioned: PASS
   "partition": {
    "model": "liang-2015",
    "shared_bytes": 49152,
    "prefers": null,
    "partitions": [
     {
      "l1_bytes": 16384,
      "shared_bytes": 49152,
      "too_small_for": null,
      "occupancy": 0.404560810810811,
      "hit_rate": 0.814887152777778,
      "predicted": 1.1437
     },
     {
      "l1_bytes": 32768,
      "shared_bytes": 32768,
      "too_small_for": null,
      "occupancy": 0.285472972972973,
      "hit_rate": 0.983888888888889,
      "predicted": 1.0492
     },
     {
      "l1_bytes": 49152,
      "shared_bytes": 16384,
  $ warpmem bypass -m liang-2015 -q --json plain.json --html plain.html app.wmt; grep '"partition"' plain.json
   "partition": null,
  $ grep -o '<tr class=decides><td>[^<]*KiB</td><td>[^<]*' auto.html; grep -c '<h2>L1 or shared memory' plain.html auto.html
  <tr class=decides><td>16KiB</td><td>48KiB
  plain.html:0
  auto.html:1

A model of one's own.
  $ for p in '1 8' '8 24' '16 24' '12 40' '1 40' '16 64'; do warpmem record -q --any-order -m liang-2015 -o "app $p.wmt" ./app $p; done | sort -u
  partitioned: PASS
  $ warpmem bypass -m liang-2015 --fit mine.yaml app\ *.wmt
  warpmem: liang-2015 (the GTX 680 of the bypass study), partition model of 6 programs, 18 samples
  performance = 0.333738 +1.386840 occupancy +0.379801 hit rate -0.712465 occupancy * hit rate; mean square error 0.1705
  
  program    fastest  chosen  speed  left out  its speed
  app 1 40     32KiB   48KiB  0.400     48KiB      0.400
  app 1 8      32KiB   48KiB  0.994     48KiB      0.994
  app 12 40    48KiB   48KiB  1.000     48KiB      1.000
  app 16 24    32KiB   48KiB  0.892     48KiB      0.892
  app 16 64    48KiB   48KiB  1.000     48KiB      1.000
  app 8 24     32KiB   48KiB  0.648     48KiB      0.648
  
    fastest: shared memory of the partition measured fastest; chosen: of the one that the model
    chooses; speed: of the fastest's; left out: of the one that a model of the other programs chooses.
  warpmem: mine.yaml: partition model, for --partition auto --model mine.yaml
  $ cat mine.yaml
  # Partitions of L1 and shared memory on liang-2015: performance = constant + occupancy * occupancy's
  # coefficient + hit rate * its + occupancy * hit rate * the product's. Fitted by warpmem bypass --fit.
  # Mean square error: 0.1705, over 18 samples:
  #   program  shared  occupancy  hit rate  performance  predicted
  #   app 1 40  48KiB  1.0000  0.0000  1.0000  1.7206
  #   app 1 40  32KiB  1.0000  0.1394  2.4977  1.6742
  #   app 1 40  16KiB  1.0000  0.9761  2.3719  1.3959
  #   app 1 8  48KiB  1.0000  0.9917  1.0000  1.3907
  #   app 1 8  32KiB  1.0000  0.9917  1.0061  1.3907
  #   app 1 8  16KiB  1.0000  0.9917  1.0061  1.3907
  #   app 12 40  48KiB  0.5236  0.0761  1.0000  1.0605
  #   app 12 40  32KiB  0.2855  0.8261  0.8094  0.8754
  #   app 12 40  16KiB  0.1664  0.9761  0.6394  0.8195
  #   app 16 24  48KiB  0.4046  0.8149  1.0000  0.9694
  #   app 16 24  32KiB  0.2855  0.9839  1.1214  0.9032
  #   app 16 24  16KiB  0.1664  0.9839  0.6022  0.8215
  #   app 16 64  48KiB  0.4046  0.0674  1.0000  0.9010
  #   app 16 64  32KiB  0.2855  0.5111  0.9747  0.8198
  #   app 16 64  16KiB  0.1664  0.1611  0.5054  0.6066
  #   app 8 24  48KiB  0.7618  0.8931  1.0000  1.2447
  #   app 8 24  32KiB  0.5236  0.9839  1.5440  1.0666
  #   app 8 24  16KiB  0.2855  0.9839  0.8757  0.9032
  - constant 0.333738
  - occupancy 1.386840
  - hit-rate 0.379801
  - product -0.712465
  $ warpmem bypass -m liang-2015 --partition auto --model ./mine.yaml --measure none app.wmt | sed -n 3,7p
  Partition of an SM's L1 and shared memory, predicted by the model ./mine.yaml
       L1  shared  occupancy  hit rate  predicted
  > 16KiB   48KiB      40.5%     81.5%     0.9694
    32KiB   32KiB      28.5%     98.4%     0.9032
    48KiB   16KiB      16.6%     98.4%     0.8215
  $ warpmem bypass -m liang-2015 --fit again.yaml -q -j 1 app\ *.wmt; cmp mine.yaml again.yaml
  $ warpmem bypass -m liang-2015 --fit - app\ *.wmt 2>tables.txt | cmp - mine.yaml; head -1 tables.txt
  warpmem: liang-2015 (the GTX 680 of the bypass study), partition model of 6 programs, 18 samples

What is refused.
  $ warpmem bypass -m gtx480 --partition auto ./app
  ! error: --partition: machine gtx480 has L1 and shared memory of their own: there is nothing to divide
  ! hint: choose one whose gpu.sm.unified is an array that gpu.sm.carveouts divide, as -m liang-2015 or -m v100
  [2]
  $ warpmem bypass -m v100 --partition auto ./app
  ! error: --partition: machine v100 has no partition model that could choose
  ! hint: fit one to recordings of programs (--fit FILE) and name it (--model FILE), or give the size of shared memory
  [2]
  $ warpmem bypass -m liang-2015 --partition 30KiB ./app
  ! error: --partition: machine liang-2015 gives shared memory no 30KiB
  ! hint: give auto, or one of 16KiB, 32KiB, 48KiB
  [2]
  $ warpmem bypass -m liang-2015 --partition 30 ./app
  ! error: --partition: "30" is not a size in bytes: its unit is missing
  ! hint: write it like 48KiB
  [2]
  $ warpmem bypass -m liang-2015 --partition auto --model none-such ./app
  ! error: --model: there is no partition model "none-such"
  ! hint: known are liang-2015; a file is named with a slash or its .yaml
  [2]
  $ warpmem bypass -m liang-2015 --partition auto --model '[constant 1]' ./app
  ! error: --model: the partition model has no row for occupancy
  [2]
  $ printf -- '- constant 1\n- speed 2\n' > bad.yaml; warpmem bypass -m liang-2015 --partition auto --model ./bad.yaml ./app
  ! error: ./bad.yaml:2:3: "speed 2" is no row of a partition model
  !   - speed 2
  !     ^
  ! hint: write one of constant, occupancy, hit-rate and product, a blank and a number, as in "occupancy 0.25"
  [2]
  $ warpmem bypass -m liang-2015 --model ./mine.yaml ./app
  ! error: warpmem bypass: --model is that of --partition
  [2]
  $ warpmem bypass -m liang-2015 --partition auto -k none app.wmt
  ! error: app.wmt: no launch counts
  ! hint: --kernel none leaves none
  [2]
  $ warpmem bypass -m liang-2015 --fit few.yaml app.wmt; ls few.yaml
  ! error: the samples determine 3 of 4 coefficients: what they differ in is too little
  ! hint: add programs: some whose occupancy changes with shared memory, and some whose loads hit L1 less or more
  ! ls: cannot access 'few.yaml': No such file or directory
  [2]
  $ warpmem bypass -m gtx480 --fit few.yaml app.wmt
  ! error: machine gtx480 has L1 and shared memory of their own: there is nothing to divide
  ! hint: choose one whose gpu.sm.unified is an array that gpu.sm.carveouts divide, as -m liang-2015 or -m v100
  [2]
  $ cp app.wmt other; mkdir more; cp app.wmt more/app.wmt; warpmem bypass -m liang-2015 --fit few.yaml app.wmt more/app.wmt
  ! error: two recordings are called "app"
  ! hint: give each program a file of its own name
  [2]
  $ warpmem bypass -m liang-2015 --fit app.wmt app.wmt
  ! error: --fit: "app.wmt" is what is read
  ! hint: name another file
  [2]
  $ warpmem bypass -m liang-2015 --fit few.yaml ./app
  ! error: ./app: this is no recording of warpmem
  ! hint: make one with warpmem record, or bring another tool's trace in with warpmem import
  [2]
  $ warpmem record -q --any-order --memory-only -m liang-2015 -o memory.wmt ./app 16 24; warpmem bypass -m liang-2015 --fit few.yaml memory.wmt
  partitioned: PASS
  ! error: memory.wmt: the recording has memory instructions alone, and cannot be measured in time
  ! hint: record the program without --memory-only
  [2]
  $ warpmem bypass -m liang-2015 --fit few.yaml --solver exact app.wmt
  ! error: warpmem bypass: --fit decides no loads: no --solver
  [2]
  $ warpmem bypass -m liang-2015 --fit few.yaml -k staged app.wmt
  ! error: warpmem bypass: --fit takes recordings whole: no --kernel and no choice of launches
  [2]
  $ warpmem bypass -m liang-2015 --fit few.yaml --limit-time 1s app.wmt
  ! error: warpmem bypass: --fit takes recordings and runs no program: no limits and no --fail-on-error
  [2]
  $ warpmem bypass -m liang-2015 --fit no/such/file app.wmt
  ! error: --fit: cannot write "no/such/file": No such file or directory
  ! hint: make its folder first
  [1]
