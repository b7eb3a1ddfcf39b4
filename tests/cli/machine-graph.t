Pictures of machines.

  $ warpmem machine graph --help
  usage: warpmem machine graph [options] MACHINE
  
  Draws a machine from its SMs, and CPU cores, down to memory: each kind of
  component with how many there are, of how many units each is one, its bytes,
  lines and ways, and each link with what it carries at most. Data accesses pass
  the boxes at the left from top to bottom; what hangs at the right serves what it
  names instead, or translates. A wire without a rate sets no limit of its own.
  Rates and latencies are those of --engine clock.
  
  The names of --json are those of results, [*] for any number. MACHINE is a name
  that "warpmem machine list" prints, or a file, named with a slash or its .yaml.
  
  options:
    -s, --set KEY=VALUE     change one key of the machine (gpu.sm.count=8); may be
                            given again
        --plugin FILE       load replacement and bypass entries from a shared
                            object
        --json              print components and links as JSON
        --svg FILE          write the picture as an SVG image; -: to standard
                            output, instead of text
    -h, --help              print this help
  
  examples:
    warpmem machine graph v100
    warpmem machine graph hd7970 --set gpu.scalar.per=sm
    warpmem machine graph anssari --json
    warpmem machine graph v100 --svg v100.svg

A unified L1 next to its constant cache.

  $ warpmem machine graph v100
  v100 (Tesla V100-SXM2-16GB)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 80 SMs at 1.53 GHz                                                           │
  │ each: 64 warps of 32 lanes, 96.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 128 B a cycle each, 15.7 TB/s       │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 80 × L1, one an SM                   │  ├──┤ 80 × constant cache, one an SM  │
  │ 32.0 KiB each, 2.50 MiB in all       │  │  │ 8.00 KiB each, 640 KiB in all   │
  │ up to 128 KiB, by carve-out          │  │  │ lines of 64 B, 4 ways           │
  │ lines of 128 B, sectors of 32 B      │  │  │ for constants                   │
  │ 64 ways                              │  │  │ 7.83 TB/s from the SMs          │
  └───┬──────────────────────────────────┘  │  └─────────────────────────────────┘
      │ 4.90 TB/s each way                  │
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 80 to 64 ports                                                     │
  │ 40 B a cycle of each port, latency 38 cycles at 1.53 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 3.92 TB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 6.00 MiB, 64 slices of 96.0 KiB                                              │
  │ lines of 128 B, sectors of 32 B, 24 ways                                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 898 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 16.0 GiB                                                               │
  │ 32 channels of 28.1 GB/s                                                     │
  └──────────────────────────────────────────────────────────────────────────────┘

Side caches that compute units share.

  $ warpmem machine graph hd7970
  hd7970 (Radeon HD 7970)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 32 SMs at 925 MHz                                                            │
  │ each: 40 warps of 64 lanes, 64.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 128 B a cycle each, 3.79 TB/s       │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 32 × L1, one an SM                   │  ├──┤ 8 × scalar cache, one of 4 SMs  │
  │ 16.0 KiB each, 512 KiB in all        │  │  │ 16.0 KiB each, 128 KiB in all   │
  │ lines of 64 B, 4 ways                │  │  │ lines of 64 B, 4 ways           │
  └───┬──────────────────────────────────┘  │  │ for constants, uniform loads    │
      │ 7.81 TB/s each way                  │  │ 3.79 TB/s from the SMs          │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 8 × instruction cache           │
      │                                     │  │ one of 4 SMs                    │
      │                                     │  │ 32.0 KiB each, 256 KiB in all   │
      │                                     │  │ lines of 64 B, 4 ways           │
      │                                     │  │ for instruction fetches         │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 32 to 6 ports                                                      │
  │ 264 B a cycle of each port, latency 2 cycles at 925 MHz                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 1.47 TB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 768 KiB, 6 slices of 128 KiB                                                 │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 355 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 4.00 GiB                                                               │
  │ 6 channels of 59.2 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘

A sharing tracker, and a butterfly in the place of the crossbar.

  $ warpmem machine graph anssari --set gpu.tracker.present=true --set gpu.interconnect.topology=butterfly
  anssari (Anssari's GPU)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 16 SMs at 876 MHz                                                            │
  │ each: 64 warps of 32 lanes, 16.0 KiB of shared memory                        │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 128 B a cycle each, 1.79 TB/s
  ┌───┴──────────────────────────────────┐
  │ 16 × L1, one an SM                   │
  │ 64.0 KiB each, 1.00 MiB in all       │
  │ lines of 128 B, 4 ways               │
  └───┬──────────────────────────────────┘
      │
  ┌───┴──────────────────────────────────┐
  │ sharing tracker of all SMs           │
  │ 8192 entries, 8 banks, 8 ways        │
  │ at most 16 holders a line            │
  └───┬──────────────────────────────────┘
      │ 561 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ butterfly of 4 stages, 16 to 8 ports                                         │
  │ 40 B a cycle of each port, latency 16 cycles at 876 MHz                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 280 GB/s each way
  ┌───┴──────────────────────────────────┐     ┌─────────────────────────────────┐
  │ L2                                   ├─────┤ 8 × atomic buffer, one a slice  │
  │ 1.00 MiB, 8 slices of 128 KiB        │     │ 32 B each, 256 B in all         │
  │ lines of 32 B, 8 ways                │     │ sectors of 32 B                 │
  └───┬──────────────────────────────────┘     │ fully associative               │
      │ 288 GB/s                               │ for atomics                     │
      │                                        └─────────────────────────────────┘
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 12.0 GiB                                                               │
  │ 8 channels of 36.0 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph anssari+dacache -s gpu.tracker.present=true -s gpu.tracker.sms_each=8 -s gpu.tracker.sets=512 | sed -n 1,20p
  anssari+dacache (Anssari's GPU)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 16 SMs at 876 MHz                                                            │
  │ each: 64 warps of 32 lanes, 16.0 KiB of shared memory                        │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 128 B a cycle each, 1.79 TB/s
  ┌───┴──────────────────────────────────┐
  │ 16 × L1, one an SM                   │
  │ 64.0 KiB each, 1.00 MiB in all       │
  │ lines of 128 B, 4 ways               │
  └───┬──────────────────────────────────┘
      │
  ┌───┴──────────────────────────────────┐
  │ 2 × sharing tracker, one of 8 SMs    │
  │ 4096 entries each, 8 banks each      │
  │ 8 ways                               │
  │ at most 16 holders a line            │
  └───┬──────────────────────────────────┘
      │ 561 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐

No L2, and a victim cache; no L1; L1s that several SMs share; TLBs whose walks go through L2.

  $ warpmem machine graph gtx480 --set gpu.l2.present=false --set gpu.l1.victim_lines=8
  gtx480 (GeForce GTX 480)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 15 SMs at 1.40 GHz                                                           │
  │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 128 B a cycle each, 2.69 TB/s       │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 15 × L1, one an SM                   │  ├──┤ 15 × constant cache, one an SM  │
  │ 16.0 KiB each, 240 KiB in all        │  │  │ 8.00 KiB each, 120 KiB in all   │
  │ lines of 128 B, 4 ways               │  │  │ lines of 64 B, 4 ways           │
  └───┬──────────────────────────────────┘  │  │ for constants                   │
      │                                     │  │ 1.34 TB/s from the SMs          │
  ┌───┴──────────────────────────────────┐  │  └─────────────────────────────────┘
  │ 15 × victim cache, one an SM         │  │  ┌─────────────────────────────────┐
  │ 1.00 KiB each, 15.0 KiB in all       │  ├──┤ 15 × texture cache, one an SM   │
  │ lines of 128 B, fully associative    │  │  │ 12.0 KiB each, 180 KiB in all   │
  └───┬──────────────────────────────────┘  │  │ lines of 32 B, 96 ways          │
      │ 841 GB/s each way                   │  │ for read-only loads, textures   │
      │                                     │  │ 672 GB/s from the SMs           │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 15 to 6 ports                                                      │
  │ 40 B a cycle of each port, latency 16 cycles at 1.40 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 336 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 1.50 GiB                                                               │
  │ 6 channels of 29.6 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph gtx480 --set gpu.l1.present=false
  gtx480 (GeForce GTX 480)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 15 SMs at 1.40 GHz                                                           │
  │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 841 GB/s each way                   │
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 15 × constant cache, one an SM  │
      │                                     │  │ 8.00 KiB each, 120 KiB in all   │
      │                                     │  │ lines of 64 B, 4 ways           │
      │                                     │  │ for constants                   │
      │                                     │  │ 1.34 TB/s from the SMs          │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 15 × texture cache, one an SM   │
      │                                     │  │ 12.0 KiB each, 180 KiB in all   │
      │                                     │  │ lines of 32 B, 96 ways          │
      │                                     │  │ for read-only loads, textures   │
      │                                     │  │ 672 GB/s from the SMs           │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 15 to 12 ports                                                     │
  │ 40 B a cycle of each port, latency 16 cycles at 1.40 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 672 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 768 KiB, 12 slices of 64.0 KiB                                               │
  │ lines of 128 B, sectors of 32 B, 8 ways                                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 177 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 1.50 GiB                                                               │
  │ 6 channels of 29.6 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph gtx480 --set gpu.l1.sms_each=4 --set gpu.tlb.present=true --set gpu.tlb.l2_entries=512
  gtx480 (GeForce GTX 480)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 15 SMs at 1.40 GHz                                                           │
  │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 128 B a cycle each, 2.69 TB/s       │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 4 × L1, one of 4 SMs                 │  ├──┤ 15 × constant cache, one an SM  │
  │ 16.0 KiB each, 64.0 KiB in all       │  │  │ 8.00 KiB each, 120 KiB in all   │
  │ lines of 128 B, 4 ways               │  │  │ lines of 64 B, 4 ways           │
  └───┬──────────────────────────────────┘  │  │ for constants                   │
      │ 841 GB/s each way                   │  │ 1.34 TB/s from the SMs          │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 15 × texture cache, one an SM   │
      │                                     │  │ 12.0 KiB each, 180 KiB in all   │
      │                                     │  │ lines of 32 B, 96 ways          │
      │                                     │  │ for read-only loads, textures   │
      │                                     │  │ 672 GB/s from the SMs           │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 15 × L1 TLB, one an SM          │
      │                                     │  │ 16 entries each                 │
      │                                     │  │ pages of 2.00 MiB, 16 ways      │
      │                                     │  └───┬─────────────────────────────┘
      │                                     │      │
      │                                     │  ┌───┴─────────────────────────────┐
      │                                     ├──┤ L2 TLB of all SMs               │
      │                                     │  │ 512 entries, pages of 2.00 MiB  │
      │                                     │  │ 8 ways                          │
      │                                     │  │ walks of 4 reads, through L2    │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 15 to 12 ports                                                     │
  │ 40 B a cycle of each port, latency 16 cycles at 1.40 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 672 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 768 KiB, 12 slices of 64.0 KiB                                               │
  │ lines of 128 B, sectors of 32 B, 8 ways                                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 177 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 1.50 GiB                                                               │
  │ 6 channels of 29.6 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph hd7970 --set gpu.scalar.loads=read-only --set gpu.constant.present=true | sed -n 6,24p
      │ 128 B a cycle each, 3.79 TB/s       │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 32 × L1, one an SM                   │  ├──┤ 32 × constant cache, one an SM  │
  │ 16.0 KiB each, 512 KiB in all        │  │  │ 8.00 KiB each, 256 KiB in all   │
  │ lines of 64 B, 4 ways                │  │  │ lines of 64 B, 4 ways           │
  └───┬──────────────────────────────────┘  │  │ for constants                   │
      │ 7.81 TB/s each way                  │  │ 3.79 TB/s from the SMs          │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 8 × scalar cache, one of 4 SMs  │
      │                                     │  │ 16.0 KiB each, 128 KiB in all   │
      │                                     │  │ lines of 64 B, 4 ways           │
      │                                     │  │ for read-only uniform loads     │
      │                                     │  │ 3.79 TB/s from the SMs          │
      │                                     │  └─────────────────────────────────┘
      │                                     │  ┌─────────────────────────────────┐
      │                                     ├──┤ 8 × instruction cache           │
      │                                     │  │ one of 4 SMs                    │
      │                                     │  │ 32.0 KiB each, 256 KiB in all   │

Cores.

  $ warpmem machine graph cpu-core2
  cpu-core2 (Intel Core 2 Duo E6600)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 2 cores at 2.40 GHz                                                          │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 64 B a cycle each, 307 GB/s         │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 2 × L1, one a core                   │  ├──┤ 2 × instruction cache           │
  │ 32.0 KiB each, 64.0 KiB in all       │  │  │ one a core                      │
  │ lines of 64 B, 8 ways                │  │  │ 32.0 KiB each, 64.0 KiB in all  │
  └───┬──────────────────────────────────┘  │  │ lines of 64 B, 8 ways           │
      │ 192 GB/s each way                   │  │ for instruction fetches         │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 2 to 1 ports                                                       │
  │ 40 B a cycle of each port, latency 16 cycles at 2.40 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 96.0 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 4.00 MiB, 1 slice of 4.00 MiB                                                │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 8.53 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 4.00 GiB                                                               │
  │ 1 channel of 8.53 GB/s                                                       │
  └──────────────────────────────────────────────────────────────────────────────┘

For scripts: names as in results.

  $ warpmem machine graph cpu-core2 --json
  {
    "machine": "cpu-core2",
    "title": "Intel Core 2 Duo E6600",
    "gpus": 1,
    "components": [
      {
        "name": "gpu0.sm[*]",
        "kind": "units",
        "instances": 2,
        "units_each": 1,
        "parts": 1,
        "part": null,
        "bytes": null,
        "all_bytes": null,
        "entries": null,
        "line_bytes": null,
        "sector_bytes": null,
        "ways": null,
        "serves": [],
        "latency_cycles": null,
        "clock_hz": 2400000000,
        "bytes_per_second": null,
        "below": null,
        "above": []
      },
      {
        "name": "gpu0.sm[*].l1",
        "kind": "cache",
        "instances": 2,
        "units_each": 1,
        "parts": 1,
        "part": null,
        "bytes": 32768,
        "all_bytes": 65536,
        "entries": null,
        "line_bytes": 64,
        "sector_bytes": 64,
        "ways": 8,
        "serves": [
          "data"
        ],
        "latency_cycles": 28,
        "clock_hz": 2400000000,
        "bytes_per_second": null,
        "below": "gpu0.l2[*]",
        "above": [
          "gpu0.sm[*]"
        ]
      },
      {
        "name": "gpu0.sm[*].instruction",
        "kind": "cache",
        "instances": 2,
        "units_each": 1,
        "parts": 1,
        "part": null,
        "bytes": 32768,
        "all_bytes": 65536,
        "entries": null,
        "line_bytes": 64,
        "sector_bytes": 64,
        "ways": 8,
        "serves": [
          "instructions"
        ],
        "latency_cycles": null,
        "clock_hz": null,
        "bytes_per_second": null,
        "below": "gpu0.l2[*]",
        "above": [
          "gpu0.sm[*]"
        ]
      },
      {
        "name": "gpu0.requests[*]",
        "kind": "network",
        "instances": 1,
        "units_each": null,
        "parts": 0,
        "part": "stage",
        "bytes": null,
        "all_bytes": null,
        "entries": null,
        "line_bytes": null,
        "sector_bytes": null,
        "ways": null,
        "serves": [],
        "latency_cycles": 16,
        "clock_hz": 2400000000,
        "bytes_per_second": null,
        "below": null,
        "above": []
      },
      {
        "name": "gpu0.replies[*]",
        "kind": "network",
        "instances": 1,
        "units_each": null,
        "parts": 0,
        "part": "stage",
        "bytes": null,
        "all_bytes": null,
        "entries": null,
        "line_bytes": null,
        "sector_bytes": null,
        "ways": null,
        "serves": [],
        "latency_cycles": 16,
        "clock_hz": 2400000000,
        "bytes_per_second": null,
        "below": null,
        "above": []
      },
      {
        "name": "gpu0.l2[*]",
        "kind": "cache",
        "instances": 1,
        "units_each": null,
        "parts": 1,
        "part": "slice",
        "bytes": 4194304,
        "all_bytes": 4194304,
        "entries": null,
        "line_bytes": 64,
        "sector_bytes": 64,
        "ways": 16,
        "serves": [],
        "latency_cycles": 100,
        "clock_hz": 2400000000,
        "bytes_per_second": null,
        "below": "gpu0.dram[*]",
        "above": [
          "gpu0.sm[*].l1",
          "gpu0.sm[*].instruction"
        ]
      },
      {
        "name": "gpu0.dram[*]",
        "kind": "memory",
        "instances": 1,
        "units_each": null,
        "parts": 1,
        "part": "channel",
        "bytes": null,
        "all_bytes": null,
        "entries": null,
        "line_bytes": null,
        "sector_bytes": null,
        "ways": null,
        "serves": [],
        "latency_cycles": null,
        "clock_hz": null,
        "bytes_per_second": 8530000000.0,
        "below": null,
        "above": [
          "gpu0.l2[*]"
        ]
      }
    ],
    "links": [
      {
        "from": "gpu0.sm[*]",
        "to": "gpu0.sm[*].l1",
        "topology": "wire",
        "requests": null,
        "replies": null,
        "latency_cycles": 0,
        "clock_hz": 2400000000,
        "bytes_per_cycle": 64,
        "ports_above": 2,
        "ports_below": 2,
        "bytes_per_second": 307200000000.0
      },
      {
        "from": "gpu0.sm[*].l1",
        "to": "gpu0.l2[*]",
        "topology": "crossbar",
        "requests": "gpu0.requests[*]",
        "replies": "gpu0.replies[*]",
        "latency_cycles": 16,
        "clock_hz": 2400000000,
        "bytes_per_cycle": 40,
        "ports_above": 2,
        "ports_below": 1,
        "bytes_per_second": 96000000000.0
      },
      {
        "from": "gpu0.sm[*]",
        "to": "gpu0.sm[*].instruction",
        "topology": "wire",
        "requests": null,
        "replies": null,
        "latency_cycles": 0,
        "clock_hz": 2400000000,
        "bytes_per_cycle": null,
        "ports_above": 2,
        "ports_below": 2,
        "bytes_per_second": null
      },
      {
        "from": "gpu0.sm[*].instruction",
        "to": "gpu0.l2[*]",
        "topology": "crossbar",
        "requests": "gpu0.requests[*]",
        "replies": "gpu0.replies[*]",
        "latency_cycles": 16,
        "clock_hz": 2400000000,
        "bytes_per_cycle": 40,
        "ports_above": 2,
        "ports_below": 1,
        "bytes_per_second": 96000000000.0
      },
      {
        "from": "gpu0.l2[*]",
        "to": "gpu0.dram[*]",
        "topology": "wire",
        "requests": null,
        "replies": null,
        "latency_cycles": 0,
        "clock_hz": 2400000000,
        "bytes_per_cycle": null,
        "ports_above": 1,
        "ports_below": 1,
        "bytes_per_second": null
      }
    ]
  }
  $ warpmem machine graph v100 --json | python3 -c 'import json, sys; [print(l["from"], l["topology"], l["to"], l["bytes_per_second"]) for l in json.load(sys.stdin)["links"]]'
  gpu0.sm[*] wire gpu0.sm[*].l1 15667200000000.0
  gpu0.sm[*].l1 crossbar gpu0.l2[*] 3916800000000.0
  gpu0.sm[*] wire gpu0.sm[*].constant 7833600000000.0
  gpu0.sm[*].constant crossbar gpu0.l2[*] 3916800000000.0
  gpu0.l2[*] wire gpu0.dram[*] None

As an image, which browsers show in the reader's light or dark colours.

  $ warpmem machine graph cpu-core2 --svg picture.svg | head -2
  cpu-core2 (Intel Core 2 Duo E6600)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  $ warpmem machine graph cpu-core2 --svg - | cmp - picture.svg
  $ cat picture.svg
  <svg xmlns="http://www.w3.org/2000/svg" width="736" height="510" viewBox="0 0 736 510" role="img">
  <title>cpu-core2 (Intel Core 2 Duo E6600)</title>
  <style>
  svg{--paper:#ffffff;--panel:#f2f5f9;--ink:#1c2430;--dim:#4d5966;--line:#6b7785}
  @media(prefers-color-scheme:dark){svg{--paper:#14181d;--panel:#1f262e;--ink:#e8edf2;--dim:#aab5c0;--line:#8592a0}}
  text{font:14px system-ui,sans-serif;fill:var(--ink)}
  .title{font-weight:600}
  .rate{fill:var(--dim)}
  .paper{fill:var(--paper)}
  .box{fill:var(--panel);stroke:var(--line);stroke-width:1.5}
  .wire{stroke:var(--line);stroke-width:2;fill:none}
  </style>
  <rect class="paper" width="100%" height="100%"/>
  <path class="wire" d="M390 112L417 112"/>
  <path class="wire" d="M48 55L48 93"/>
  <path class="wire" d="M48 169L48 226"/>
  <path class="wire" d="M48 283L48 321"/>
  <path class="wire" d="M390 55L390 226"/>
  <path class="wire" d="M48 397L48 435"/>
  <rect class="box" rx="4" x="12" y="17" width="711" height="38"/>
  <text class="title" x="26" y="41">2 cores at 2.40 GHz</text>
  <rect class="box" rx="4" x="417" y="93" width="306" height="114"/>
  <text class="title" x="431" y="117">2 × instruction cache</text>
  <text class="fact" x="431" y="136">one a core</text>
  <text class="fact" x="431" y="155">32.0 KiB each, 64.0 KiB in all</text>
  <text class="fact" x="431" y="174">lines of 64 B, 8 ways</text>
  <text class="fact" x="431" y="193">for instruction fetches</text>
  <rect class="box" rx="4" x="12" y="93" width="351" height="76"/>
  <text class="title" x="26" y="117">2 × L1, one a core</text>
  <text class="fact" x="26" y="136">32.0 KiB each, 64.0 KiB in all</text>
  <text class="fact" x="26" y="155">lines of 64 B, 8 ways</text>
  <rect class="box" rx="4" x="12" y="226" width="711" height="57"/>
  <text class="title" x="26" y="250">crossbar, 2 to 1 ports</text>
  <text class="fact" x="26" y="269">40 B a cycle of each port, latency 16 cycles at 2.40 GHz</text>
  <rect class="box" rx="4" x="12" y="321" width="711" height="76"/>
  <text class="title" x="26" y="345">L2</text>
  <text class="fact" x="26" y="364">4.00 MiB, 1 slice of 4.00 MiB</text>
  <text class="fact" x="26" y="383">lines of 64 B, 16 ways</text>
  <rect class="box" rx="4" x="12" y="435" width="711" height="57"/>
  <text class="title" x="26" y="459">DRAM, 4.00 GiB</text>
  <text class="fact" x="26" y="478">1 channel of 8.53 GB/s</text>
  <text class="rate" x="62" y="79">64 B a cycle each, 307 GB/s</text>
  <text class="rate" x="62" y="193">192 GB/s each way</text>
  <text class="rate" x="62" y="307">96.0 GB/s each way</text>
  <text class="rate" x="62" y="421">8.53 GB/s</text>
  </svg>

An L2 of two halves says so.

  $ warpmem machine graph h100+l2-partitions | grep partitions
  h100+l2-partitions (NVIDIA H100 80GB HBM3)
  │ in 2 partitions, each near half of the SMs                                   │

What cannot be.

  $ warpmem machine graph
  ! error: warpmem machine graph: an operand is missing
  ! hint: usage: warpmem machine graph [options] MACHINE
  [2]
  $ warpmem machine graph v101
  ! error: there is no machine "v101"
  ! hint: did you mean v100? known are a100, anssari, cpu-core2, cpu-multi2sim, dacache-2015, gtx480, gtx680, h100, h200, hd7970, liang-2015, rtx2060, rtx3070, titanx-pascal, v100
  [2]
  $ warpmem machine graph v100 --set gpu.l1.ways=7
  ! error: --set gpu.l1.ways=7: gpu.l1.size (32KiB) is not a whole number of sets (7 ways of 128B: 896B)
  ! hint: make gpu.l1.size a multiple of 896B, or change gpu.l1.ways or gpu.l1.line
  [2]
  $ warpmem machine graph v100 --json --svg -
  ! error: warpmem machine graph: --json and --svg - both write to standard output
  [2]
  $ warpmem machine graph v100 --svg absent/picture.svg
  ! error: --svg: cannot write "absent/picture.svg": No such file or directory
  ! hint: make its folder first
  [1]
  $ cp $SOURCE/machines/gtx480.yaml mine.yaml && warpmem machine graph ./mine.yaml --svg mine.yaml
  ! error: --svg: "mine.yaml" is what is read
  ! hint: name another file
  [2]
