What parts a machine may have, and what each of them is.

  $ warpmem list --help
  usage: warpmem list [options] [KIND]
  
  Lists the entries of a kind of part, one sentence each: what a machine file may
  name. Without KIND it lists the kinds.
  
  options:
        --plugin FILE       load replacement and bypass entries from a shared
                            object
    -h, --help              print this help
  
  examples:
    warpmem list
    warpmem list replacement
    warpmem list machine
    warpmem list variant
  $ warpmem list
    replacement       which line of a full set makes room for a new one
    bypass            which loads and stores go past the level-one cache
    prefetch          which lines a cache requests before they are looked for
    set-index         which set of a cache a line belongs to
    warp-scheduler    which of an SM's ready warps goes next
    block-dispatch    which SM gets which block of the grid next
    dram-scheduler    which command of a DRAM channel goes next
    machine           the machines that come with warpmem
    variant           changes to a machine, written behind its name:
                      MACHINE+VARIANT
  $ warpmem list set-index
    modulo              takes the line number modulo the number of sets
    xor                 xors the index bits with the bits right above them
    fermi-hash          xors five higher address bits into the low index bits
    ipoly               takes the line number modulo a primitive polynomial over
                        GF(2)
  $ warpmem list warp-scheduler | grep -A1 '^  greedy'
    greedy-then-oldest  stay with a warp until it waits for memory or a barrier,
                        then take the oldest
  $ warpmem list block-dispatch
    round-robin         the next block goes to the next SM that has room
    first-available     the next block goes to the SM that has had room for one
                        longest
    clustered           consecutive blocks go to one SM
  $ warpmem list replacement | grep '^  lru '
    lru                 displaces the line whose last use lies furthest back
  $ warpmem list machine > machines; warpmem machine list | cmp - machines
What a policy does stands in the page of its kind.
  $ for name in $(warpmem list replacement | awk '/^  [a-z]/ { print $1 }'); do grep -q "^| .$name. |" $SOURCE/docs/replacement.md || echo $name has no row in docs/replacement.md; done
  $ for name in $(warpmem list warp-scheduler | awk '/^  [a-z]/ { print $1 }'); do grep -q "^| .$name. |" $SOURCE/docs/engine-walk.md || echo $name has no row in docs/engine-walk.md; done
Whatever a list names can be explained, with a source.
  $ for kind in $(warpmem list | awk '/^  [a-z]/ { print $1 }'); do for name in $(warpmem list $kind | awk '/^  [a-z]/ || !/^ / { print $1 }'); do warpmem explain --kind $kind $name > told || echo $name; grep -q '^  source  *[^ ]' told || echo $name has no source; done; done

  $ warpmem explain --help
  usage: warpmem explain [options] NAME
  
  Explains what NAME is: an entry of a kind of part (what it does, its parameters
  with their ranges, and the paper or manual it comes from), a machine, a key of
  machine files, a column of reports by its head, or a counter (NAME, KIND.NAME,
  or all of a KIND). All of that name are explained.
  
  options:
    -k, --kind KIND         look only among the entries of one kind
        --plugin FILE       load replacement and bypass entries from a shared
                            object
    -h, --help              print this help
  
  examples:
    warpmem explain lru
    warpmem explain --kind warp-scheduler round-robin
    warpmem explain gpu.l1.set_index
    warpmem explain sect/req
    warpmem explain l1.hits
  $ warpmem explain ipoly
  ipoly: irreducible polynomial
    kind        set-index
    decides     which set of a cache a line belongs to
    does        takes the line number modulo a primitive polynomial over GF(2)
    more        Of a number of sets that is no power of two, the largest power of
                two that divides it is hashed, and the quotient is taken modulo
                the odd rest: 384 sets are 3 groups of 128.
    serves      any number of sets
    parameters  none
    source      B. R. Rau, Pseudo-randomly interleaved memory, ISCA 1991
    named by    gpu.l1.set_index, gpu.l2.set_index
  $ warpmem explain round-robin
  round-robin: loose round robin
    kind        warp-scheduler
    decides     which of an SM's ready warps goes next
    does        rotate over the ready warps, one memory instruction a turn
    more        Warps take turns in the order of their slots, skipping those that
                are not ready. In an engine that keeps time a turn is one
                instruction.
    parameters  none
    source      Narasiman et al., Improving GPU performance via large warps and
                two-level warp scheduling, MICRO 2011
    named by    gpu.sm.warp_scheduler
  
  round-robin: round robin
    kind        block-dispatch
    decides     which SM gets which block of the grid next
    does        the next block goes to the next SM that has room
    more        A grid smaller than the GPU spreads over as many SMs as it has
                blocks.
    parameters  none
    source      Bakhoda et al., Analyzing CUDA workloads using a detailed GPU
                simulator, ISPASS 2009
    named by    gpu.sm.block_dispatch
  $ warpmem explain --kind warp-scheduler round-robin | head -2
  round-robin: loose round robin
    kind        warp-scheduler
  $ warpmem list variant | head -4
    ccws                cache-conscious wavefront scheduling: who may load when
                        warps lose lines
    dacache-dip         DIP as the DaCache paper has it: 4 sets lead for each
                        policy
  $ warpmem explain dacache-static2
  dacache-static2: a region of 2 warps a scheduler, any line displaced (figure 11)
    kind        variant
    named by    --machine, behind a machine's name and a +
    source      next to each key, in its file
    file        $SOURCE/machines/variants/dacache-static2.yaml
  $ warpmem explain --kind replacement dacache-static2
  ! error: nothing is called "dacache-static2" among the entries of kind replacement
  ! hint: "warpmem list KIND" lists what there is
  [2]
  $ warpmem explain v100
  v100: Tesla V100-SXM2-16GB
    kind        machine
    has         80 SMs, L1 32.0 KiB to 128 KiB, L2 6.00 MiB, DRAM 900 GB/s
    source      next to each number, in its file
    file        $SOURCE/machines/v100.yaml
  $ warpmem explain gpu.l1.set_index
  gpu.l1.set_index: a key of machine files
    means       how an address chooses its set
    legal       modulo, xor, fermi-hash, ipoly
    default     modulo

Misuse.
  $ warpmem list replacment
  ! error: there is no kind "replacment"
  ! hint: did you mean replacement?
  [2]
  $ warpmem list nothing
  ! error: there is no kind "nothing"
  ! hint: "warpmem list" lists the kinds
  [2]
  $ warpmem list replacement set-index
  ! error: warpmem list: unexpected operand "set-index"
  ! hint: usage: warpmem list [options] [KIND]
  [2]
  $ warpmem explain
  ! error: warpmem explain: an operand is missing
  ! hint: usage: warpmem explain [options] NAME
  [2]
  $ warpmem explain ipolly
  ! error: nothing is called "ipolly"
  ! hint: did you mean ipoly?
  [2]
  $ warpmem explain --kind replacement ipoly
  ! error: nothing is called "ipoly" among the entries of kind replacement
  ! hint: "warpmem list KIND" lists what there is
  [2]
  $ warpmem explain --kind partition lru
  ! error: there is no kind "partition"
  ! hint: "warpmem list" lists the kinds
  [2]
  $ warpmem explain nothing-like-it
  ! error: nothing is called "nothing-like-it"
  ! hint: "warpmem list KIND" lists what there is
  [2]
