// Loads that go ahead of what waits for earlier ones: by hand, and random code beside the obvious
// account, which knows of each instruction what it reads and when that is there.
#include "base/numbers/random.h"
#include "one_scheduler.h"

#include <criterion/criterion.h>

enum { MOST = 400, REGISTERS = 12, LOADED = 6 };

static uint16_t registers[MOST * 4];
static struct wm_issue_facts facts[MOST];
static struct one_scheduler sm;

static void add(enum wm_unit unit, uint32_t destinations, uint32_t sources, const uint16_t *names)
{
    uint32_t at = sm.table.instruction_count++;
    facts[at] = (struct wm_issue_facts){.first_register = at * 4,
                                        .destinations = (uint8_t)destinations,
                                        .sources = (uint8_t)sources,
                                        .unit = (uint8_t)unit,
                                        .passes = 1,
                                        .slots = 1};
    for (uint32_t i = 0; i < destinations + sources; i++)
        registers[at * 4 + i] = names[i];
}

static void load(uint16_t to)
{
    add(WM_UNIT_MEMORY, 1, 0, &to);
}

static void sum(uint16_t to, uint16_t one, uint16_t other)
{
    add(WM_UNIT_INTEGER, 1, 2, (uint16_t[]){to, one, other});
}

static void store_shared(uint16_t from)
{
    add(WM_UNIT_MEMORY, 0, 1, &from);
    facts[sm.table.instruction_count - 1].shared = WM_SHARED_STORE;
}

static void load_shared(uint16_t to)
{
    load(to);
    facts[sm.table.instruction_count - 1].shared = WM_SHARED_OTHER;
}

static void branch(void)
{
    add(WM_UNIT_CONTROL, 0, 0, NULL);
}

static void begin_code(void)
{
    sm.table = (struct wm_issue_table){
        .facts = facts, .registers = registers, .register_count = REGISTERS};
}

static bool can_issue(uint64_t cycle)
{
    return one_scheduler_can_issue(&sm, 0, cycle);
}

static void issue(uint64_t cycle)
{
    uint32_t pc = sm.core.warps[0].pc;
    bool loads = facts[pc].unit == WM_UNIT_MEMORY;
    cr_assert(can_issue(cycle), "pc %u in cycle %llu", pc, (unsigned long long)cycle);
    sm.core.warps[0].accesses += loads;
    wm_issue_core_issue_next(&sm.core, 0, cycle, loads, pc + 1, cycle + 1);
}

static void come(uint32_t pc, uint64_t cycle)
{
    wm_issue_core_write_back(&sm.core, 0, pc, cycle, true);
}

static bool stores(uint32_t pc)
{
    return facts[pc].shared == WM_SHARED_STORE;
}

static uint32_t there(uint32_t name)
{
    return wm_issue_row_of(&sm.core, 0)[WM_ISSUE_SPARE + name];
}

// Two loads and a sum behind each: all issue one after the other, the branch when both have come.
Test(scheduled_ahead, loads_do_not_wait_for_sums_of_earlier_ones)
{
    begin_code();
    load(0);
    sum(2, 2, 0);
    load(1);
    sum(2, 2, 1);
    branch();
    one_scheduler_begin(&sm, 1);
    for (uint64_t cycle = 0; cycle < 4; cycle++)
        issue(cycle);
    cr_expect_not(can_issue(4), "the branch ends the block");
    come(2, 30); // the second load first
    cr_expect_eq(there(2), WM_ISSUE_UNKNOWN, "a sum waits for the sum before it");
    cr_expect_not(can_issue(30));
    come(0, 40);
    cr_expect_eq(there(2), 40 + 2 * RESULT_LATENCY, "one sum behind the other");
    cr_expect(can_issue(40));
    one_scheduler_end(&sm);
}

// A load whose address is waited for stays where it is, and what is behind it too.
Test(scheduled_ahead, an_address_that_is_loaded_is_waited_for)
{
    begin_code();
    load(0);
    sum(2, 0, 0);
    add(WM_UNIT_MEMORY, 1, 1, (uint16_t[]){1, 2});
    branch();
    one_scheduler_begin(&sm, 1);
    issue(0);
    issue(1);
    cr_expect_not(can_issue(2));
    come(0, 20);
    cr_expect_not(can_issue(20 + RESULT_LATENCY - 1));
    issue(20 + RESULT_LATENCY);
    one_scheduler_end(&sm);
}

// A register is loaded again while a sum waits for another: it has the first value.
Test(scheduled_ahead, a_register_may_be_loaded_again)
{
    begin_code();
    load(0);
    load(1);
    sum(2, 0, 1);
    load(0);
    branch();
    one_scheduler_begin(&sm, 1);
    for (uint64_t cycle = 0; cycle < 4; cycle++)
        issue(cycle);
    come(3, 10);
    cr_expect_eq(there(0), 10);
    come(0, 12);
    cr_expect_eq(there(0), 10, "a later load has written it");
    cr_expect_eq(there(2), WM_ISSUE_UNKNOWN);
    come(1, 15);
    cr_expect_eq(there(2), 15 + RESULT_LATENCY);
    cr_expect(can_issue(15));
    one_scheduler_end(&sm);
}

// A folded copy of what is loaded takes no slot, and waits for no more than the load.
Test(scheduled_ahead, a_copy_is_passed_behind_a_load)
{
    begin_code();
    load(0);
    add(WM_UNIT_INTEGER, 1, 1, (uint16_t[]){1, 0});
    facts[1].is_folded = true;
    sum(2, 1, 1);
    branch();
    one_scheduler_begin(&sm, 1);
    issue(0);
    wm_issue_core_pass(&sm.core, 0, 2, 1);
    cr_expect_eq(there(1), WM_ISSUE_UNKNOWN);
    issue(1);
    cr_expect_not(can_issue(2), "the branch");
    come(0, 20);
    cr_expect_eq(there(1), 20);
    cr_expect_eq(there(2), 20 + RESULT_LATENCY);
    cr_expect(can_issue(20));
    one_scheduler_end(&sm);
}

// A tile is filled: the loads of its rows are under way at once, and its reader waits for all.
Test(scheduled_ahead, stores_to_shared_memory_let_loads_of_global_memory_pass)
{
    begin_code();
    load(0);
    store_shared(0);
    load(1);
    sum(3, 1, 1);
    store_shared(3);
    load_shared(2);
    branch();
    one_scheduler_begin(&sm, 1);
    for (uint64_t cycle = 0; cycle < 5; cycle++)
        issue(cycle);
    cr_expect_not(can_issue(5), "what is stored may be what is loaded");
    come(0, 20);
    come(1, 4); // its result has a store behind it
    come(4, 5);
    cr_expect_not(can_issue(20), "a store still waits");
    come(2, 30);
    cr_expect(can_issue(30));
    issue(30);
    one_scheduler_end(&sm);
}

// Two rounds of a loop are one basic block: the branch of the first lets the second's load go, that
// of the second does not. The sum of each reads its own round's load, though both are of one pc.
Test(scheduled_ahead, rounds_of_a_loop_are_under_way_at_once)
{
    begin_code();
    load(0);
    sum(2, 2, 0);
    branch();
    facts[2].unrolled = 2;
    one_scheduler_begin(&sm, 1);
    issue(0);
    issue(1);
    cr_assert(can_issue(2));
    wm_issue_core_issue_next(&sm.core, 0, 2, false, 0, 3); // back to the first
    issue(3);
    issue(4);
    cr_expect_not(can_issue(5), "the end of the second round");
    come(0, 20);
    cr_expect_not(can_issue(20));
    cr_expect_eq(there(0), WM_ISSUE_UNKNOWN, "the second round's is on its way");
    come(0, 30);
    cr_expect_eq(there(0), 30);
    cr_expect_eq(there(2), 30 + RESULT_LATENCY);
    cr_expect(can_issue(30));
    wm_issue_core_issue_next(&sm.core, 0, 30, false, 0, 31);
    issue(31);
    issue(32);
    cr_expect(can_issue(33), "a third round begins another block");
    one_scheduler_end(&sm);
}

// No more than so many wait.
Test(scheduled_ahead, waiting_instructions_are_limited)
{
    begin_code();
    load(0);
    for (int i = 0; i < WM_MOST_WAITING + 1; i++)
        sum((uint16_t)(1 + i % 8), 0, 0);
    branch();
    one_scheduler_begin(&sm, 1);
    for (uint64_t cycle = 0; cycle < WM_MOST_WAITING + 1; cycle++)
        issue(cycle);
    cr_expect_not(can_issue(WM_MOST_WAITING + 1));
    come(0, 100);
    issue(100 + RESULT_LATENCY); // its register has been written
    one_scheduler_end(&sm);
}

// --- Random code ---

// Of each instruction: when its result is there; 0: a load has not come.
struct account {
    uint64_t done[MOST], issued[MOST];
    uint32_t reads[MOST][2]; // which instruction wrote each source, plus one; 0: none did
    uint32_t writer[REGISTERS];
};

// Loads write the lower registers, sums the others.
static void draw_code(struct wm_random *random)
{
    begin_code();
    uint32_t count = 20 + (uint32_t)wm_random_below(random, 200);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t names[3] = {(uint16_t)(LOADED + wm_random_below(random, REGISTERS - LOADED)),
                             (uint16_t)wm_random_below(random, REGISTERS),
                             (uint16_t)wm_random_below(random, REGISTERS)};
        uint64_t kind = wm_random_below(random, 10);
        if (kind < 3)
            load((uint16_t)wm_random_below(random, LOADED));
        else if (kind < 4 && wm_random_below(random, 3) != 0)
            store_shared(names[1]);
        else if (kind < 4)
            load_shared((uint16_t)wm_random_below(random, LOADED));
        else if (kind < 9)
            add(WM_UNIT_INTEGER, 1, 2, names);
        else
            branch();
    }
    branch();
}

static void account_for(struct account *account, uint32_t pc, uint64_t cycle)
{
    const uint16_t *names = registers + facts[pc].first_register;
    account->issued[pc] = cycle;
    for (uint32_t i = 0; i < facts[pc].sources; i++)
        account->reads[pc][i] = account->writer[names[facts[pc].destinations + i]];
    if (facts[pc].destinations != 0)
        account->writer[names[0]] = pc + 1;
}

// When it is known; else 0.
static uint64_t done(const struct account *account, uint32_t pc)
{
    if (facts[pc].unit == WM_UNIT_MEMORY && !stores(pc))
        return account->done[pc];
    uint64_t when = account->issued[pc];
    for (uint32_t i = 0; i < facts[pc].sources; i++) {
        uint32_t writer = account->reads[pc][i];
        uint64_t read = writer != 0 ? done(account, writer - 1) : 1;
        if (read == 0)
            return 0;
        when = read > when ? read : when;
    }
    return when + RESULT_LATENCY;
}

static void compare(const struct account *account, uint64_t cycle)
{
    for (uint32_t name = 0; name < REGISTERS; name++) {
        uint32_t writer = account->writer[name];
        if (writer == 0)
            continue;
        uint64_t when = done(account, writer - 1);
        cr_assert_eq(there(name), when != 0 ? when : WM_ISSUE_UNKNOWN,
                     "register %u in cycle %llu: %u for %llu", name, (unsigned long long)cycle,
                     there(name), (unsigned long long)when);
    }
}

// A load that is under way comes with a probability of one in `rarely`, a cycle.
static void let_come(struct account *account, struct wm_random *random, uint64_t rarely,
                     uint64_t cycle)
{
    for (uint32_t pc = 0; pc < sm.table.instruction_count; pc++)
        if (facts[pc].unit == WM_UNIT_MEMORY && account->issued[pc] != 0 &&
            account->done[pc] == 0 && wm_random_below(random, rarely) == 0) {
            account->done[pc] = cycle;
            come(pc, cycle);
        }
}

static bool all_known(const struct account *account, uint32_t count)
{
    for (uint32_t pc = 0; pc < count; pc++)
        if (facts[pc].destinations != 0 && done(account, pc) == 0)
            return false;
    return true;
}

// What earlier stores bring to shared memory.
static bool stores_known(const struct account *account, uint32_t count)
{
    for (uint32_t pc = 0; pc < count; pc++)
        if (stores(pc) && done(account, pc) == 0)
            return false;
    return true;
}

Test(scheduled_ahead, random_code_has_its_results_when_all_that_it_reads_is_there)
{
    struct wm_random random;
    wm_random_init(&random, 77, "scheduled ahead");
    for (int round = 0; round < 300; round++) {
        static struct account account;
        account = (struct account){0};
        draw_code(&random);
        one_scheduler_begin(&sm, 1);
        uint64_t cycle = 1, rarely = 2 + wm_random_below(&random, 60);
        for (uint32_t pc = 0; (pc = sm.core.warps[0].pc) + 1 < sm.table.instruction_count;
             cycle++) {
            cr_assert_lt(cycle, 1000000, "no instruction issues any more");
            let_come(&account, &random, rarely, cycle);
            if (can_issue(cycle)) {
                cr_assert(facts[pc].unit != WM_UNIT_CONTROL || all_known(&account, pc) ||
                          sm.core.warps[0].accesses != 0);
                cr_assert(facts[pc].shared != WM_SHARED_OTHER || stores_known(&account, pc));
                issue(cycle);
                account_for(&account, pc, cycle);
            }
            compare(&account, cycle);
        }
        one_scheduler_end(&sm);
    }
}
