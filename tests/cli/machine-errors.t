Machine files with each kind of mistake, one at a time. "edit" makes bad.yaml of a preset by a sed
script, and checks it.

  $ cp $SOURCE/machines/v100.yaml good.yaml; warpmem machine check good.yaml
  good.yaml: ok
  $ printf '#!/bin/sh\nsed "$@" good.yaml > bad.yaml\nexec warpmem machine check bad.yaml\n' > edit; chmod +x edit

Keys.
  $ ./edit 's/    ways: 64 /    wasy: 64 /'
  ! error: bad.yaml:72:5: unknown key "wasy" in gpu.l1
  !       wasy: 64                        # G: S:4:128:64, so 4 sets
  !       ^
  ! hint: did you mean ways?
  [2]
  $ ./edit 's/^device:/devise:/'
  ! error: bad.yaml:23:1: unknown key "devise"
  !   devise:
  !   ^
  ! hint: did you mean device?; a level of its own says what is below it, or who has one: add below or per
  [2]
  $ ./edit 's/^name:/l1:/'
  ! error: bad.yaml:21:1: unknown key "l1"
  !   l1: v100
  !   ^
  ! hint: its place is gpu.l1
  [2]
  $ ./edit 's/^name:/frobnicate:/'
  ! error: bad.yaml:21:1: unknown key "frobnicate"
  !   frobnicate: v100
  !   ^
  ! hint: known here are device, gpu, cpu, name
  [2]
  $ ./edit 's/    line: 128B .*/&\n    line: 128B/'
  ! error: bad.yaml:74:5: key "gpu.l1.line" is repeated
  !       line: 128B
  !       ^
  ! hint: keep one: it was given first in line 73
  [2]
  $ ./edit 's/^gpu:/&\n  sm: {}/'
  ! error: bad.yaml:33:3: key "gpu.sm" is repeated
  !     sm:
  !     ^
  ! hint: keep one: it was given first in line 32
  [2]
  $ ./edit 's/^name:.*/&\n"na\\0me": x/'
  ! error: bad.yaml:22:1: a control character has no place in a machine file
  !   "na\0me": x
  !   ^
  ! hint: take it out: a machine file is lines of text
  [2]
  $ ./edit 's/^name:.*/&\ngpu.l1.size: 32KiB/'
  ! error: bad.yaml:22:1: unknown key "gpu.l1.size"
  !   gpu.l1.size: 32KiB
  !   ^
  ! hint: dots are for --set: in a file, nest the keys in their groups
  [2]
  $ ./edit 's/^name:.*/&\n? [a, b]\n: c/'
  ! error: bad.yaml:22:3: a list stands where a key is expected
  !   ? [a, b]
  !     ^
  ! hint: write "key: value", one a line
  [2]
  $ ./edit '/^name:/d'
  ! error: bad.yaml:22:1: required key "name" is missing
  !   device:
  !   ^
  ! hint: add it: what commands and results call the machine (legal is at most 63 bytes)
  [2]
  $ ./edit '/^    channels:/d'
  ! error: bad.yaml:114:3: required key "gpu.dram.channels" is missing
  !     dram:
  !     ^
  ! hint: add it: channels of the device memory (legal is 1 to 1024)
  [2]
  $ ./edit '/^device:/,/^$/d'
  ! error: bad.yaml:21:1: required key "device.title" is missing
  !   name: v100
  !   ^
  ! hint: add it: the product's full name (legal is at most 63 bytes)
  [2]
  $ ./edit "s/^name:.*/&\n$(printf '%070d' 0): 1/"
  ! error: bad.yaml:22:1: unknown key "0000000000000000000000000000000000000000000000000000000000000000000000"
  !   0000000000000000000000000000000000000000000000000000000000000000000000: 1
  !   ^
  ! hint: known here are device, gpu, cpu, name
  [2]

Types.
  $ ./edit 's/    size: 32KiB/    size: [32KiB]/'
  ! error: bad.yaml:71:11: gpu.l1.size takes one value, not a list
  !       size: [32KiB]                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: legal is 32B to 4GiB
  [2]
  $ ./edit 's/    size: 32KiB/    size: {bytes: 32}/'
  ! error: bad.yaml:71:11: gpu.l1.size takes one value, not a group of keys
  !       size: {bytes: 32}                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: legal is 32B to 4GiB
  [2]
  $ ./edit 's/    size: 32KiB/    size:/'
  ! error: bad.yaml:71:10: gpu.l1.size has no value
  !       size:                     # W: 128 KiB unified, less 96 KiB
  !            ^
  ! hint: bytes of data in one, all slices together
  [2]
  $ ./edit 's/    size: 32KiB/    size: big/'
  ! error: bad.yaml:71:11: gpu.l1.size: "big" is not a size in bytes: no number at its start
  !       size: big                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: write it like 48KiB
  [2]
  $ ./edit 's/    size: 32KiB/    size: "32\\nKiB"/'
  ! error: bad.yaml:71:11: the value of gpu.l1.size is not a short text on one line
  !       size: "32\nKiB"                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: bytes of data in one, all slices together
  [2]
  $ ./edit 's/count: 80/count: 80.5/'
  ! error: bad.yaml:33:12: gpu.sm.count: "80.5" is not a count: not a whole number of its smallest unit
  !       count: 80.5                       # D: 5120 CUDA cores of 64 an SM
  !              ^
  ! hint: write it like 64
  [2]
  $ ./edit 's/count: 80/count: -80/'
  ! error: bad.yaml:33:12: gpu.sm.count: "-80" is not a count: it is negative
  !       count: -80                       # D: 5120 CUDA cores of 64 an SM
  !              ^
  ! hint: write it like 64
  [2]
  $ ./edit 's/write_allocate: true/write_allocate: yes/'
  ! error: bad.yaml:107:21: gpu.l2.write_allocate: "yes" is neither true nor false
  !       write_allocate: yes            # G: L, lazy fetch on read
  !                       ^
  ! hint: write true or false
  [2]
  $ ./edit 's/write: back/write: bakc/'
  ! error: bad.yaml:106:12: gpu.l2.write: there is no "bakc"
  !       write: bakc                     # G: B
  !              ^
  ! hint: did you mean back? known are back, through-update, through-evict
  [2]
  $ ./edit 's/dispatch: round-robin/dispatch: clairvoyant/'
  ! error: bad.yaml:67:21: gpu.sm.block_dispatch: there is no "clairvoyant"
  !       block_dispatch: clairvoyant     # G: consecutive blocks go to different SMs
  !                       ^
  ! hint: known are round-robin, first-available, clustered
  [2]
  $ ./edit 's/compute_capability: 7.0/compute_capability: seven/'
  ! error: bad.yaml:25:23: device.compute_capability: "seven" is not a version
  !     compute_capability: seven           # C
  !                         ^
  ! hint: write major and minor, like 7.0
  [2]
  $ ./edit 's/compute_capability: 7.0/compute_capability: 0.5/'
  ! error: bad.yaml:25:23: device.compute_capability: "0.5" is not a version
  !     compute_capability: 0.5           # C
  !                         ^
  ! hint: write major and minor, like 7.0
  [2]
  $ ./edit 's/^name: v100/name: a b/'
  ! error: bad.yaml:21:7: name: "a b" is not a name
  !   name: a b
  !         ^
  ! hint: use letters, digits, "-", "_", "." and "+", the first a letter or digit
  [2]
  $ ./edit 's/title: .*/title: "a title that goes on and on, and does not end before sixty-four bytes"/'
  ! error: bad.yaml:24:10: device.title: 69 bytes are too long
  !     title: "a title that goes on and on, and does not end before sixty-four bytes"
  !            ^
  ! hint: use at most 63 bytes
  [2]
  $ ./edit 's/^  l1:/  l1: 32KiB\n  l3:/'
  ! error: bad.yaml:71:3: unknown key "l3" in gpu
  !     l3:
  !     ^
  ! hint: did you mean l1?; a level of its own says what is below it, or who has one: add below or per
  [2]
  $ ./edit 's/^  l1:/  l1: [1, 2]\n  l3:/'
  ! error: bad.yaml:71:3: unknown key "l3" in gpu
  !     l3:
  !     ^
  ! hint: did you mean l1?; a level of its own says what is below it, or who has one: add below or per
  [2]

Units.
  $ ./edit 's/    size: 32KiB/    size: 32768/'
  ! error: bad.yaml:71:11: gpu.l1.size: "32768" is not a size in bytes: its unit is missing
  !       size: 32768                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: write it like 48KiB
  [2]
  $ ./edit 's/    size: 32KiB/    size: 32KHz/'
  ! error: bad.yaml:71:11: gpu.l1.size: "32KHz" is not a size in bytes: unknown unit
  !       size: 32KHz                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: write it like 48KiB
  [2]
  $ ./edit 's/    size: 32KiB/    size: 32Kib/'
  ! error: bad.yaml:71:11: gpu.l1.size: "32Kib" is not a size in bytes: unknown unit
  !       size: 32Kib                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: write it like 48KiB
  [2]
  $ ./edit 's/clock: 1530MHz/clock: 1530/'
  ! error: bad.yaml:26:10: device.clock: "1530" is not a frequency: its unit is missing
  !     clock: 1530                    # W, table 1: boost clock of the SXM2 module
  !            ^
  ! hint: write it like 1.4GHz
  [2]
  $ ./edit 's,bandwidth: 900GB/s,bandwidth: 900GB,'
  ! error: bad.yaml:118:16: gpu.dram.bandwidth: "900GB" is not a bandwidth: unknown unit
  !       bandwidth: 900GB              # D
  !                  ^
  ! hint: write it like 900GB/s
  [2]
  $ ./edit 's/    size: 32KiB/    size: 99999999999999999999KiB/'
  ! error: bad.yaml:71:11: gpu.l1.size: "99999999999999999999KiB" is not a size in bytes: too large
  !       size: 99999999999999999999KiB                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: write it like 48KiB
  [2]

Ranges.
  $ ./edit 's/count: 80/count: 0/'
  ! error: bad.yaml:33:12: gpu.sm.count: 0 is out of range
  !       count: 0                       # D: 5120 CUDA cores of 64 an SM
  !              ^
  ! hint: legal is 1 to 1024
  [2]
  $ ./edit 's/count: 80/count: 2000/'
  ! error: bad.yaml:33:12: gpu.sm.count: 2000 is out of range
  !       count: 2000                       # D: 5120 CUDA cores of 64 an SM
  !              ^
  ! hint: legal is 1 to 1024
  [2]
  $ ./edit 's/    size: 6MiB/    size: 6TiB/'
  ! error: bad.yaml:99:11: gpu.l2.size: 6TiB is out of range
  !       size: 6TiB                      # W, table 1: 6144 KB
  !             ^
  ! hint: legal is 32B to 4GiB
  [2]
  $ ./edit 's/    line: 128B/    line: 96B/'
  ! error: bad.yaml:73:11: gpu.l1.line: 96B is not a power of two
  !       line: 96B                      # G
  !             ^
  ! hint: legal is 32B to 1KiB, a power of two
  [2]
  $ ./edit 's/    sector: 32B/    sector: 16B/'
  ! error: bad.yaml:74:13: gpu.l1.sector: 16B is out of range
  !       sector: 16B                     # G: S, four sectors a line
  !               ^
  ! hint: legal is 32B to 1KiB, a power of two
  [2]
  $ ./edit 's/warp_width: 32/warp_width: 48/'
  ! error: bad.yaml:34:17: gpu.sm.warp_width: 48 is not a power of two
  !       warp_width: 48                  # C
  !                   ^
  ! hint: legal is 1 to 64, a power of two
  [2]

Impossible geometry.
  $ ./edit 's/    size: 32KiB/    size: 33KiB/'
  ! error: bad.yaml:71:11: gpu.l1.size (33KiB) is not a whole number of sets (64 ways of 128B: 8KiB)
  !       size: 33KiB                     # W: 128 KiB unified, less 96 KiB
  !             ^
  ! hint: make gpu.l1.size a multiple of 8KiB, or change gpu.l1.ways or gpu.l1.line
  [2]
  $ ./edit 's/    size: 6MiB/    size: 5MiB/'
  ! error: bad.yaml:99:11: gpu.l2.size (5MiB) is not a whole number of sets (64 slices of 24 ways of 128B: 192KiB)
  !       size: 5MiB                      # W, table 1: 6144 KB
  !             ^
  ! hint: make gpu.l2.size a multiple of 192KiB, or change gpu.l2.slices, gpu.l2.ways or gpu.l2.line
  [2]
  $ ./edit 's/    sector: 32B/    sector: 256B/'
  ! error: bad.yaml:74:13: gpu.l1.sector (256B) is larger than gpu.l1.line (128B)
  !       sector: 256B                     # G: S, four sectors a line
  !               ^
  ! hint: a cache without sectors has gpu.l1.sector equal to gpu.l1.line
  [2]
  $ ./edit '/^  l1:/,/^$/s/set_index: modulo/set_index: fermi-hash/'
  ! error: bad.yaml:78:16: gpu.l1.set_index fermi-hash does not serve 4 sets (32 or 64 sets)
  !       set_index: fermi-hash               # G: L
  !                  ^
  ! hint: take another gpu.l1.set_index, or another gpu.l1.size or gpu.l1.ways
  [2]
  $ ./edit 's/slices: 64/slices: 48/'
  ! error: bad.yaml:99:11: gpu.l2.size (6MiB) is not a whole number of sets (48 slices of 24 ways of 128B: 144KiB)
  !       size: 6MiB                      # W, table 1: 6144 KB
  !             ^
  ! hint: make gpu.l2.size a multiple of 144KiB, or change gpu.l2.slices, gpu.l2.ways or gpu.l2.line
  [2]
  $ ./edit 's/channels: 32 /channels: 48 /'
  ! error: bad.yaml:100:13: gpu.l2.slices (64) is not a multiple of gpu.dram.channels (48)
  !       slices: 64                      # G: 2 for each of 32 channels
  !               ^
  ! hint: each slice stands before one channel: change one of the two
  [2]
  $ ./edit '/^  l2:/,/^$/s/interleave_hash: ipoly.*/interleave_hash: xor/'
  ! error: bad.yaml:102:22: gpu.l2.interleave_hash and gpu.dram.interleave_hash are not the same
  !       interleave_hash: xor
  !                        ^
  ! hint: each slice stands before one channel: give gpu.l2.interleave_hash and gpu.dram.interleave_hash the same hash
  [2]
  $ ./edit '/^  dram:/,/^$/s/interleave_hash: ipoly.*/interleave_hash: fold/'
  ! error: bad.yaml:117:22: gpu.dram.interleave_hash: there is no "fold"
  !       interleave_hash: fold
  !                        ^
  ! hint: known are none, ipoly, xor
  [2]
  $ ./edit 's/dirty_limit: 3MiB.*/dirty_limit: 8160B/'
  ! error: bad.yaml:108:18: gpu.l2.dirty_limit (8160B) is less than a line of gpu.l2.line (128B) for each of 2048 sets
  !       dirty_limit: 8160B
  !                    ^
  ! hint: make gpu.l2.dirty_limit at least 256KiB, or 0 for no limit
  [2]
  $ ./edit '/^  l2:/,/^$/s/write: back.*/write: through-update/'
  ! error: bad.yaml:108:18: gpu.l2.dirty_limit is not 0, and gpu.l2.write is not back: nothing is dirty
  !       dirty_limit: 3MiB               # F: sectors that four kernels leave dirty on a Quadro V100
  !                    ^
  ! hint: set gpu.l2.dirty_limit to 0, or gpu.l2.write to back
  [2]
  $ ./edit 's/dirty_limit: 3MiB.*/dirty_limit: 8KiB/'
  ! error: bad.yaml:108:18: gpu.l2.dirty_limit (8KiB) is less than a line of gpu.l2.line (128B) for each of 2048 sets
  !       dirty_limit: 8KiB
  !                    ^
  ! hint: make gpu.l2.dirty_limit at least 256KiB, or 0 for no limit
  [2]
  $ ./edit 's/    dirty_limit: 3MiB.*/    partitions: 3/'
  ! error: bad.yaml:108:17: gpu.l2.partitions: 3 is out of range
  !       partitions: 3
  !                   ^
  ! hint: legal is 1 to 2
  [2]
  $ ./edit 's/    dirty_limit: 3MiB.*/    partitions: 2/; s/^    count: 80 .*/    count: 1/'
  ! error: bad.yaml:108:17: gpu.l2.partitions (2) is more than gpu.sm.count (1)
  !       partitions: 2
  !                   ^
  ! hint: each is near some SMs: set gpu.l2.partitions to 1
  [2]
  $ ./edit 's/    dirty_limit: 3MiB.*/    partitions: 2\n    atomic_buffer: 4/'
  ! error: bad.yaml:108:17: gpu.l2.partitions is more than 1, and gpu.l2.atomic_buffer is not 0: it would have to know of copies in the other partition
  !       partitions: 2
  !                   ^
  ! hint: set gpu.l2.partitions to 1, or gpu.l2.atomic_buffer to 0
  [2]
  $ ./edit '/^  l2:/,/^$/s/interleave: 256B/interleave: 64B/'
  ! error: bad.yaml:101:17: gpu.l2.interleave (64B) is smaller than gpu.l2.line (128B)
  !       interleave: 64B                # G: bit 8 of the address chooses the channel
  !                   ^
  ! hint: a line lies in one slice: make gpu.l2.interleave at least a line
  [2]
  $ ./edit 's/access: 32B/access: 512B/'
  ! error: bad.yaml:116:17: gpu.dram.interleave (256B) is smaller than gpu.dram.access (512B)
  !       interleave: 256B                # G: dramid@8
  !                   ^
  ! hint: a transfer lies in one channel: make gpu.dram.interleave at least gpu.dram.access
  [2]
  $ ./edit '/^  l1:/,/^$/s/write: through-update/write: through-evict/; /^  l1:/,/^$/s/write_allocate: false/write_allocate: true/'
  ! error: bad.yaml:75:12: gpu.l1.write through-evict drops the line that gpu.l1.write_allocate true would take
  !       write: through-evict           # G: T
  !              ^
  ! hint: make gpu.l1.write_allocate false, or take another gpu.l1.write
  [2]
  $ ./edit 's/max_threads: 2048/max_threads: 4096/'
  ! error: bad.yaml:36:18: gpu.sm.max_threads (4096) do not fit gpu.sm.max_warps (64) of gpu.sm.warp_width (32)
  !       max_threads: 4096               # C
  !                    ^
  ! hint: make it a multiple of 32, at most 2048
  [2]
  $ ./edit 's/max_threads: 2048/max_threads: 2047/'
  ! error: bad.yaml:36:18: gpu.sm.max_threads (2047) do not fit gpu.sm.max_warps (64) of gpu.sm.warp_width (32)
  !       max_threads: 2047               # C
  !                    ^
  ! hint: make it a multiple of 32, at most 2048
  [2]
  $ ./edit 's/max_threads: 2048/max_threads: 512/'
  ! error: bad.yaml:38:28: gpu.sm.max_threads_per_block (1024) is more than gpu.sm.max_threads (512)
  !       max_threads_per_block: 1024     # C
  !                              ^
  ! hint: make gpu.sm.max_threads_per_block at most gpu.sm.max_threads
  [2]
  $ ./edit 's/registers: 65536/registers: 4096/'
  ! error: bad.yaml:39:16: gpu.sm.registers (4096) do not hold one warp of gpu.sm.max_registers_per_thread (255) a thread
  !       registers: 4096                # C
  !                  ^
  ! hint: a warp of 32 lanes needs 8160
  [2]
  $ ./edit '/^  sm:/,/^$/s/shared_per_block: 96KiB/shared_per_block: 128KiB/'
  ! error: bad.yaml:43:23: gpu.sm.shared_per_block (128KiB) is more than gpu.sm.shared (96KiB)
  !       shared_per_block: 128KiB         # C: after opting in
  !                         ^
  ! hint: make gpu.sm.shared_per_block at most gpu.sm.shared
  [2]

Not what a machine file is.
  $ ./edit 's/^name: v100/name: \&me v100/'
  ! error: bad.yaml:21:7: the anchor or alias "me" has no place in a machine file
  !   name: &me v100
  !         ^
  ! hint: write the value itself
  [2]
  $ ./edit 's/^name: v100/name: *me/'
  ! error: bad.yaml:21:7: the anchor or alias "me" has no place in a machine file
  !   name: *me
  !         ^
  ! hint: write the value itself
  [2]
  $ ./edit 's/^name: v100/name: !!str v100/'
  ! error: bad.yaml:21:7: the tag "tag:yaml.org,2002:str" has no place in a machine file
  !   name: !!str v100
  !         ^
  ! hint: write the value itself
  [2]
  $ ./edit 's/^  l1:/  l1: \&cache/'
  ! error: bad.yaml:70:7: the anchor or alias "cache" has no place in a machine file
  !     l1: &cache
  !         ^
  ! hint: write the value itself
  [2]
  $ ./edit 's/^name: v100/&\n<<: {a: 1}/'
  ! error: bad.yaml:22:1: unknown key "<<"
  !   <<: {a: 1}
  !   ^
  ! hint: known here are device, gpu, cpu, name; a level of its own says what is below it, or who has one: add below or per
  [2]
  $ ./edit '$s/$/\n---\nname: second/'
  ! error: bad.yaml:125:1: a second document begins
  !   ---
  !   ^
  ! hint: keep one machine a file
  [2]
  $ ./edit '/./d'
  ! error: bad.yaml:1:1: the file holds no keys
  ! hint: "warpmem machine show v100" prints one to start from
  [2]
  $ ./edit '1,$s/.*/# only comments/'
  ! error: bad.yaml:1:1: the file holds no keys
  !   # only comments
  !   ^
  ! hint: "warpmem machine show v100" prints one to start from
  [2]
  $ printf -- '---\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:2:1: a machine file holds keys, not a value
  ! hint: "warpmem machine keys" lists the keys
  [2]
  $ printf 'v100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:1: a machine file holds keys, not a value
  !   v100
  !   ^
  ! hint: "warpmem machine keys" lists the keys
  [2]
  $ printf -- '- v100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:1: a machine file holds keys, not a list
  !   - v100
  !   ^
  ! hint: "warpmem machine keys" lists the keys
  [2]
  $ printf '{{{{{{{{{{{{' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:2: a group of keys stands where a key is expected
  !   {{{{{{{{{{{{
  !    ^
  ! hint: write "key: value", one a line
  [2]
  $ head -c 200 good.yaml > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:1: the file holds no keys
  !   # NVIDIA Tesla V100-SXM2 with 16 GB: the full GV100 as sold, 80 of 84 SMs.
  !   ^
  ! hint: "warpmem machine show v100" prints one to start from
  [2]
  $ printf 'gpu: {sm: {count: {a: {b: {c: {d: 1}}}}}}\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:19: gpu.sm.count takes one value, not a group of keys
  !   gpu: {sm: {count: {a: {b: {c: {d: 1}}}}}}
  !                     ^
  ! hint: legal is 1 to 1024
  [2]
  $ printf 'name: v100\ngpu: {sm: {count: 80\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:3:1: not well-formed YAML: did not find expected ',' or '}'
  ! hint: it happened while parsing a flow mapping that begins in line 2
  [2]
  $ printf 'name: v100\ndevice:\n\ttitle: x\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:3:1: not well-formed YAML: found character that cannot start any token
  !    title: x
  !   ^
  ! hint: indent with blanks, not with tabs
  [2]
  $ printf 'name: "v100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:2:1: not well-formed YAML: found unexpected end of stream
  ! hint: it happened while scanning a quoted scalar that begins in line 1
  [2]
  $ printf 'name: v100\n  x: 1\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:2:4: not well-formed YAML: mapping values are not allowed in this context
  !     x: 1
  !      ^
  ! hint: write "key: value" lines, nested by indentation; a value with ": " or " #" in it goes in quotes
  [2]
  $ printf 'name: v\000100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:8: a byte that is zero: this is no text
  !   name: v 100
  !          ^
  ! hint: a machine file is UTF-8 text
  [2]
  $ printf 'name: v\001100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:8: not well-formed YAML: control characters are not allowed
  !   name: v 100
  !          ^
  ! hint: a machine file is UTF-8 text
  [2]
  $ printf 'name: v\377100\n' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:8: not well-formed YAML: invalid leading UTF-8 octet
  !   name: v\xff100
  !          ^
  ! hint: a machine file is UTF-8 text
  [2]
  $ printf '\377\376n\0a\0' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:4: a byte that is zero: this is no text
  !   \xff\xfen a 
  !      ^
  ! hint: a machine file is UTF-8 text
  [2]
  $ printf '\177ELF\002\001\001' > bad.yaml; warpmem machine check bad.yaml
  ! error: bad.yaml:1:1: not well-formed YAML: control characters are not allowed
  !    ELF   
  !   ^
  ! hint: a machine file is UTF-8 text
  [2]

Settings.
  $ warpmem machine show v100 --set gpu.l1.siz=48KiB
  ! error: --set gpu.l1.siz=48KiB: unknown key "gpu.l1.siz"
  ! hint: did you mean gpu.l1.size?
  [2]
  $ warpmem machine show v100 --set l1.size=48KiB
  ! error: --set l1.size=48KiB: unknown key "l1.size"
  ! hint: did you mean gpu.l1.size?
  [2]
  $ warpmem machine show v100 --set frobnicate=1
  ! error: --set frobnicate=1: unknown key "frobnicate"
  ! hint: "warpmem machine keys" lists the keys
  [2]
  $ warpmem machine show v100 --set gpu.l1.size
  ! error: --set gpu.l1.size: the setting has no value
  ! hint: write it like --set gpu.l1.size=VALUE
  [2]
  $ warpmem machine show v100 --set gpu.l1.size=
  ! error: --set gpu.l1.size=: gpu.l1.size: "" is not a size in bytes: no number at its start
  ! hint: write it like 48KiB
  [2]
  $ warpmem machine show v100 --set gpu.l1=48KiB
  ! error: --set gpu.l1=48KiB: "gpu.l1" is a group of keys, not a key
  ! hint: set the keys in it one by one: --set gpu.l1.KEY=VALUE
  [2]
  $ warpmem machine show v100 --set =48KiB
  ! error: --set =48KiB: unknown key ""
  ! hint: "warpmem machine keys" lists the keys
  [2]
  $ warpmem machine show v100 --set gpu.l1.size=48
  ! error: --set gpu.l1.size=48: gpu.l1.size: "48" is not a size in bytes: its unit is missing
  ! hint: write it like 48KiB
  [2]
  $ warpmem machine show v100 --set gpu.l1.size=48KiB --set gpu.l1.ways=5
  ! error: --set gpu.l1.ways=5: gpu.l1.size (48KiB) is not a whole number of sets (5 ways of 128B: 640B)
  ! hint: make gpu.l1.size a multiple of 640B, or change gpu.l1.ways or gpu.l1.line
  [2]
  $ warpmem machine show v100 --set gpu.l1.ways=5 --set gpu.l1.size=48KiB
  ! error: --set gpu.l1.size=48KiB: gpu.l1.size (48KiB) is not a whole number of sets (5 ways of 128B: 640B)
  ! hint: make gpu.l1.size a multiple of 640B, or change gpu.l1.ways or gpu.l1.line
  [2]
  $ warpmem machine show v100 --set gpu.sm.block_dispatch=round-rubin
  ! error: --set gpu.sm.block_dispatch=round-rubin: gpu.sm.block_dispatch: there is no "round-rubin"
  ! hint: did you mean round-robin? known are round-robin, first-available, clustered
  [2]
A setting may give what the file leaves out.
  $ sed '/^    channels:/d' good.yaml > bad.yaml; warpmem machine show ./bad.yaml --set gpu.dram.channels=32 | grep channels:
      channels: 32                        # channels of the device memory

Lists, and the array that L1 and shared memory divide.
  $ warpmem machine show v100 --set gpu.sm.carveouts=8KiB
  ! error: --set gpu.sm.carveouts=8KiB: gpu.sm.carveouts: a list stands in brackets
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ warpmem machine show v100 --set 'gpu.sm.carveouts=[0KiB, 96KiB'
  ! error: --set gpu.sm.carveouts=[0KiB, 96KiB: gpu.sm.carveouts: a list stands in brackets
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ warpmem machine show v100 --set 'gpu.sm.carveouts=[0KiB, ninety]'
  ! error: --set gpu.sm.carveouts=[0KiB, ninety]: gpu.sm.carveouts: "ninety" is not a size in bytes: no number at its start
  ! hint: write it like 48KiB
  [2]
  $ warpmem machine show v100 --set 'gpu.sm.carveouts=[8KiB, 8KiB, 96KiB]'
  ! error: --set gpu.sm.carveouts=[8KiB, 8KiB, 96KiB]: gpu.sm.carveouts: the numbers do not rise
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ warpmem machine show v100 --set 'gpu.sm.carveouts=[0B, 1B, 2B, 3B, 4B, 5B, 6B, 7B, 8B, 9B, 10B, 11B, 12B, 13B, 14B, 15B, 16B]'
  ! error: --set gpu.sm.carveouts=[0B, 1B, 2B, 3B, 4B, 5B, 6B, 7B, 8B, 9B, 10B, 11B, 12B, 13B, 14B, 15B, 16B]: gpu.sm.carveouts: too many numbers
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ warpmem machine show v100 --set 'gpu.sm.carveouts=[0KiB, 1GiB]'
  ! error: --set gpu.sm.carveouts=[0KiB, 1GiB]: gpu.sm.carveouts: a number is out of range
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts: [0KiB, [8KiB], 96KiB]/'
  ! error: bad.yaml:46:23: gpu.sm.carveouts: this is no number
  !       carveouts: [0KiB, [8KiB], 96KiB]
  !                         ^
  ! hint: sizes that shared memory may be given of the unified array
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts: [0KiB, big, 96KiB]/'
  ! error: bad.yaml:46:16: gpu.sm.carveouts: "big" is not a size in bytes: no number at its start
  !       carveouts: [0KiB, big, 96KiB]
  !                  ^
  ! hint: write it like 48KiB
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts:\n      - 0KiB\n      - 64KiB/'
  ! error: bad.yaml:47:7: the largest of gpu.sm.carveouts (64KiB) is not gpu.sm.shared (96KiB)
  !         - 0KiB
  !         ^
  ! hint: a unified array gives shared memory one of its carve-outs: end the list with gpu.sm.shared, or set gpu.sm.unified to 0B
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts:\n      - 0KiB\n      - 96KiB/'
  bad.yaml: ok
  $ ./edit 's/    carveouts: .*/    carveouts: []/'
  ! error: bad.yaml:46:16: the largest of gpu.sm.carveouts (there is none) is not gpu.sm.shared (96KiB)
  !       carveouts: []
  !                  ^
  ! hint: a unified array gives shared memory one of its carve-outs: end the list with gpu.sm.shared, or set gpu.sm.unified to 0B
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts: 96KiB/'
  ! error: bad.yaml:46:16: gpu.sm.carveouts: a list stands in brackets
  !       carveouts: 96KiB
  !                  ^
  ! hint: write up to 16 of them, rising, in brackets: [0KiB, 8KiB, 16KiB]
  [2]
  $ ./edit 's/    carveouts: .*/    carveouts: [100B, 96KiB]/'
  ! error: bad.yaml:46:16: the carve-out of 100B leaves L1 130972B: not 1 to 1024 ways of 512B (the sets stay)
  !       carveouts: [100B, 96KiB]
  !                  ^
  ! hint: change gpu.sm.carveouts, or gpu.l1.ways and with it the sets
  [2]
  $ warpmem machine show liang-2015 --set gpu.sm.default_carveout=24KiB
  ! error: --set gpu.sm.default_carveout=24KiB: gpu.sm.default_carveout (24KiB) is none of gpu.sm.carveouts
  ! hint: give one of those, or 0B for what each kernel needs
  [2]
  $ warpmem machine show v100 --set gpu.sm.default_carveout=1B
  ! error: --set gpu.sm.default_carveout=1B: gpu.sm.default_carveout (1B) is none of gpu.sm.carveouts
  ! hint: give one of those, or 0B for what each kernel needs
  [2]
  $ ./edit 's/^    carveouts:/    default_carveout: 48KiB\n    carveouts:/'
  ! error: bad.yaml:46:23: gpu.sm.default_carveout (48KiB) is none of gpu.sm.carveouts
  !       default_carveout: 48KiB
  !                         ^
  ! hint: give one of those, or 0B for what each kernel needs
  [2]
  $ warpmem machine show liang-2015 --set gpu.sm.default_carveout=16KiB | grep -E 'carveout|unified'
      unified: 64KiB                      # bytes that L1 and shared memory divide; 0B: each has an array of its own
      carveouts: [16KiB, 32KiB, 48KiB]    # sizes that shared memory may be given of the unified array
      default_carveout: 16KiB             # that of kernels without a preference; 0B: the smallest that costs no block
  $ warpmem machine show v100 --set gpu.l1.size=48KiB --set gpu.sm.unified=128KiB
  ! error: --set gpu.sm.unified=128KiB: gpu.l1.size (48KiB) and gpu.sm.shared (96KiB) are not gpu.sm.unified (128KiB) together
  ! hint: gpu.l1.size is what the largest carve-out leaves; to choose it freely, set gpu.sm.unified to 0B, and it stays the same for all kernels
  [2]
  $ warpmem machine show v100 --set gpu.sm.unified=192KiB
  ! error: --set gpu.sm.unified=192KiB: gpu.l1.size (32KiB) and gpu.sm.shared (96KiB) are not gpu.sm.unified (192KiB) together
  ! hint: gpu.l1.size is what the largest carve-out leaves; to choose it freely, set gpu.sm.unified to 0B, and it stays the same for all kernels
  [2]
  $ warpmem machine show v100 --set gpu.sm.shared=64KiB --set gpu.sm.shared_per_block=64KiB
  ! error: --set gpu.sm.shared=64KiB: the largest of gpu.sm.carveouts (96KiB) is not gpu.sm.shared (64KiB)
  ! hint: a unified array gives shared memory one of its carve-outs: end the list with gpu.sm.shared, or set gpu.sm.unified to 0B
  [2]
  $ warpmem machine show v100 --set gpu.l1.line=32B --set gpu.l1.ways=1024 --set gpu.constant.line=32B
  ! error: --set gpu.l1.ways=1024: the carve-out of 0B leaves L1 128KiB: not 1 to 1024 ways of 32B (the sets stay)
  ! hint: change gpu.sm.carveouts, or gpu.l1.ways and with it the sets
  [2]
  $ warpmem machine show v100 --set gpu.sm.shared_reserved=1KiB
  ! error: --set gpu.sm.shared_reserved=1KiB: gpu.sm.shared_per_block (96KiB) and gpu.sm.shared_reserved (1KiB) are more than gpu.sm.shared (96KiB)
  ! hint: make gpu.sm.shared_per_block at most what is left of gpu.sm.shared
  [2]
  $ warpmem machine show v100 --set gpu.sm.shared=64KiB --set gpu.sm.shared_per_block=63KiB --set gpu.sm.shared_reserved=1KiB --set 'gpu.sm.carveouts=[64KiB]' --set gpu.l1.size=64KiB | grep -E 'carveouts|reserved|unified'
      shared_reserved: 1KiB               # shared memory that the system takes of each block's
      unified: 128KiB                     # bytes that L1 and shared memory divide; 0B: each has an array of its own
      carveouts: [64KiB]                  # sizes that shared memory may be given of the unified array
  $ warpmem machine show v100 --set gpu.sm.unified=0B --set gpu.l1.size=48KiB | grep -E 'carveouts|unified|size: 48'
      unified: 0B                         # bytes that L1 and shared memory divide; 0B: each has an array of its own
      carveouts: [0B, 8KiB, 16KiB, 32KiB, 64KiB, 96KiB] # sizes that shared memory may be given of the unified array
      size: 48KiB                         # bytes of data in one, all slices together

The constant cache.
  $ warpmem machine show v100 --set gpu.constant.size=100B
  ! error: --set gpu.constant.size=100B: gpu.constant.size (100B) is not a whole number of sets (4 ways of 64B: 256B)
  ! hint: make gpu.constant.size a multiple of 256B, or change gpu.constant.ways or gpu.constant.line
  [2]
  $ warpmem machine show v100 --set gpu.constant.line=256B
  ! error: --set gpu.constant.line=256B: gpu.constant.line (256B) is larger than gpu.l2.line (128B) or gpu.l1.line (128B)
  ! hint: make gpu.constant.line at most as large as both
  [2]
  $ warpmem machine show v100 --set gpu.constant.present=false --set gpu.constant.line=256B | grep -c constant:
  1

Byte masks under Belady's optimum.
  $ warpmem machine show v100 --set gpu.l2.write_fetch=never --set gpu.l2.replacement=opt
  ! error: --set gpu.l2.replacement=opt: gpu.l2.write_fetch is never, and gpu.l2.replacement is opt: opt does not know at once which line leaves
  ! hint: name another gpu.l2.replacement, or another gpu.l2.write_fetch
  [2]

Banks of L1.
  $ warpmem machine show v100 --set gpu.l1.fills_take_banks=true
  ! error: --set gpu.l1.fills_take_banks=true: gpu.l1.fills_take_banks is true, and gpu.l1.banks is 0: there are none to take
  ! hint: say how many gpu.l1.banks there are
  [2]
  $ warpmem machine show v100 --set gpu.l1.banks=4 --set gpu.l1.bank_width=24B
  ! error: --set gpu.l1.bank_width=24B: gpu.l1.bank_width: 24B is not a power of two
  ! hint: legal is 4B to 1KiB, a power of two
  [2]
  $ warpmem machine show v100 --set gpu.l1.ports=0
  ! error: --set gpu.l1.ports=0: gpu.l1.ports: 0 is out of range
  ! hint: legal is 1 to 32
  [2]
  $ warpmem machine show v100 --set gpu.l1.banks=4 --set gpu.l1.fills_take_banks=true | grep -E ' (ports|banks|bank_width|fills_take_banks):'
      ports: 4                            # clock: requests of a warp instruction that are looked up in a cycle
      banks: 4                            # clock: banks of its data, each serves one access a cycle; 0: any number
      bank_width: 32B                     # clock: consecutive bytes in one bank, one access
      fills_take_banks: true              # clock: true: what L2 sends takes the banks that it is written to
      ports: 1                            # clock: requests that are looked up in a cycle; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      banks: 8                            # banks of each, which line after line takes turns with

Butterflies.
  $ warpmem machine show v100 --set gpu.interconnect.topology=butterfly --set gpu.interconnect.latency=8
  ! error: --set gpu.interconnect.latency=8: gpu.interconnect.latency (8) is not a cycle for each of the butterfly's 7 stages and two for wires
  ! hint: make gpu.interconnect.latency at least 9, or gpu.interconnect.radix larger
  [2]
  $ warpmem machine show v100 --set gpu.interconnect.topology=butterfly --set gpu.interconnect.latency=9 | grep -A3 interconnect:
    interconnect:
      topology: butterfly                 # how it is made up
      radix: 2                            # inputs and outputs of each switch of a butterfly
      clock: 0Hz                          # its clock; 0Hz: that of the SMs
  $ warpmem machine show v100 --set gpu.interconnect.topology=butterfly --set gpu.interconnect.radix=80 --set gpu.interconnect.latency=3
  ! error: --set gpu.interconnect.radix=80: gpu.interconnect.radix: 80 is out of range
  ! hint: legal is 2 to 64
  [2]
  $ warpmem machine show v100 --set gpu.interconnect.topology=butterfly --set gpu.interconnect.radix=9 --set gpu.interconnect.latency=4 | grep -A3 interconnect:
    interconnect:
      topology: butterfly                 # how it is made up
      radix: 9                            # inputs and outputs of each switch of a butterfly
      clock: 0Hz                          # its clock; 0Hz: that of the SMs
  $ warpmem machine show v100 --set gpu.interconnect.topology=ring
  ! error: --set gpu.interconnect.topology=ring: gpu.interconnect.topology: there is no "ring"
  ! hint: known are crossbar, butterfly
  [2]
