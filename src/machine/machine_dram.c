#include "machine/machine_dram.h"

#include "mem/dram_scheduler/dram_scheduler.h"

#include <string.h>

enum { PICOSECONDS = 1000000 }; // a cycle of 1 MHz

// A share in hundredths of a queue's entries, at least `least`.
static uint32_t share_of(uint32_t entries, uint32_t hundredths, uint32_t least)
{
    uint32_t share = (uint32_t)((uint64_t)entries * hundredths / 100);
    return share > least ? share : least;
}

static void take_controller(const struct wm_machine *machine, struct wm_dram_controller *controller)
{
    const struct wm_machine_dram *dram = &machine->dram;
    controller->queues = dram->bank_queue ? WM_DRAM_QUEUES_PER_BANK : WM_DRAM_QUEUES_SHARED;
    controller->read_queue = dram->read_queue;
    controller->write_queue = dram->write_queue;
    controller->bank_queue = dram->bank_queue;
    controller->drain_high = share_of(dram->write_queue, dram->drain_high, 1);
    controller->drain_low = share_of(dram->write_queue, dram->drain_low, 0);
    if (controller->drain_low >= controller->drain_high)
        controller->drain_low = controller->drain_high - 1;
    controller->scheduler = dram->scheduler;
    controller->hit_cap = dram->hit_cap;
    controller->page = dram->page;
    controller->page_timeout = dram->page_timeout;
    if (strcmp(dram->mapping, "device") != 0)
        memcpy(controller->mapping, dram->mapping, sizeof controller->mapping);
}

// A data bus that moves a request in one burst, whatever its clock.
static void take_bandwidth(const struct wm_machine *machine, struct wm_dram_channel_spec *spec)
{
    const struct wm_dram_spec *dram = &machine->memory.dram;
    uint64_t megahertz = machine->device.memory_clock_hz / 1000000;
    spec->form = WM_DRAM_BANDWIDTH;
    // Eight transfers of as many bits as the access has bytes.
    spec->organisation = (struct wm_dram_organisation){
        .channel_bits = dram->access_bytes,
        .ranks = 1,
        .bank_groups = 1,
        .banks = 1,
        .rows = 1,
        .columns = 8,
        .burst_length = 8,
        .transfers_a_cycle = 1,
    };
    spec->timing.clock_ps = megahertz < PICOSECONDS ? (uint32_t)(PICOSECONDS / megahertz) : 1;
    spec->controller.read_queue = spec->controller.write_queue = machine->dram.read_queue;
    spec->bytes_per_second = dram->bandwidth_bytes_per_second / dram->channels;
    memcpy(spec->name, "bandwidth", sizeof "bandwidth");
}

enum wm_status wm_machine_dram_channel(const struct wm_machine *machine,
                                       struct wm_dram_channel_spec *spec, struct wm_error *error)
{
    *spec = machine->dram.device;
    if (spec->timing.clock_ps != 0)
        take_controller(machine, &spec->controller);
    else
        take_bandwidth(machine, spec);
    uint64_t clock = spec->timing.clock_ps;
    spec->controller.latency = (uint32_t)((machine->dram.latency_ps + clock - 1) / clock);
    return wm_dram_spec_check(spec, error);
}
