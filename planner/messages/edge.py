"""Words of power caps, long runs, edge machines and CPU serving; joined to the tables of `planner.messages`."""

from typing import Any

from django.utils.translation import gettext_lazy as _

PROBLEMS: dict[str, Any] = {
    "power_mode_or_limit": _("Give the power once: either power_mode or power_limit_w."),
    "power_needs_accelerator": _("A power mode or cap is one of a machine: name the accelerator."),
    "no_power_modes": _(
        "No power modes of {name} are known here. Give power_limit_w in watts instead, or leave it out."
    ),
    "unknown_power_mode": _("{name} has no power mode {found!r}. Known: {known}."),
    "power_unknown": _(
        "Nobody states the power of {name}, so what a cap leaves of its speed is not known. Leave power_limit_w out."
    ),
    "power_limit_below_known": _(
        "Speed of {name} below {lowest} W was not measured, and {found} W is less. Give {lowest} W or more."
    ),
}

# Why a machine does not keep its first speed, or why it does.
CAUSES: dict[str, Any] = {
    "phone_heat": _(
        "A phone heats up within a minute of steady decode and then runs slower, whatever its datasheet says."
    ),
    "board_with_fan": _("With its fan running this board kept its clock in long runs."),
    "board_with_heatsink": _(
        "With a heatsink this board kept its clock for half an hour; it slows from 80 °C."
    ),
    "board_needs_fan": _(
        "With active cooling it keeps its clock; with a small cooler it fell to two thirds of it."
    ),
    "board_cooling_unknown": _(
        "Whether it keeps its speed is a matter of its cooling, which nobody measured here."
    ),
    "box_power_setting": _(
        "A box runs at the power that its maker or BIOS sets: look it up, then measure an hour."
    ),
    "laptop_cooling": _(
        "A thin machine shares one small cooler between CPU and GPU and slows down within minutes."
    ),
    "mac_with_fan": _("Sold in machines with fans only, which are not known to slow down."),
    "mac_may_be_fanless": _(
        "Sold with a fan (Mac mini, MacBook Pro) and without (MacBook Air): without, it slows down within minutes."
    ),
    "cards_heat_each_other": _(
        "Cards without gaps breathe each other's air. Four of one kind ran steadily in one case at 80 percent of their "
        "power; open fans need more room than blowers."
    ),
}

ADVICE: dict[str, Any] = {
    "memory_shared_with_system": _(
        "{usable_gib} of {installed_gib} GiB are counted as usable: the operating system and other programs take the "
        "rest ({percent} percent usable). Give host_memory_gib where the machine has another size."
    ),
    "phone_app_memory_limit": _(
        "iOS and Android end an app that takes too much. On an iPad of 8 GB an app was allowed 6 GB up to iPadOS 26.3 "
        "and 3 GB from 26.4: try the release that your users have."
    ),
    "bandwidth_sets_the_pace": _(
        "Rule for one user: tokens/s ≈ bandwidth × efficiency ÷ bytes per token. Here {bandwidth_gb_s} GB/s × "
        "{efficiency} ÷ {gb_per_token} GB ≈ {tokens_per_s} tokens/s; halve the bytes and the speed doubles."
    ),
    "four_bit_halves_eight": _(
        "In 4 bits this model takes {four_gib} GiB and in 8 bits {eight_gib} GiB, and decodes about {ratio} times as "
        "fast: on a machine bound by bandwidth 4 bits are the place to start."
    ),
    "context_is_cheap_when_short": _(
        "The KV cache of {tokens} tokens takes {mib} MiB here. A context of 512 to 1,024 tokens is what small machines "
        "answer quickly; each further 1,000 tokens also cost {seconds} s of prompt."
    ),
    "load_time": _(
        "{gib} GiB must come from storage at each start: about {ssd_s} s from an NVMe drive at 3 GB/s, {flash_s} s "
        "from a phone's or board's flash at 0.5 GB/s, {card_s} s from an SD card at 0.08 GB/s."
    ),
    "first_speed_does_not_last": _(
        "Expect {percent} percent of this speed once the machine is warm. See how fast it is for hours."
    ),
    "two_sockets_need_numa": _(
        "Two sockets decode little faster than one, and this speed says so: half of the weights lies behind the link "
        "between them. With --numa distribute one machine reached 1.8 times as much, another was half as fast as on "
        "one socket alone. One copy per socket under numactl serves twice the users safely."
    ),
    "prompts_are_slow_on_cores": _(
        "A CPU computes prompts slowly: {input_tokens} tokens take about {seconds} s before the first word. Keep "
        "prompts short, or let llama-server keep their cache."
    ),
    "threads_are_physical_cores": _(
        "Set --threads to the number of physical cores, not of hardware threads: decode waits for memory, and more "
        "threads slow it down."
    ),
    "sparse_models_suit_cores": _(
        "This model reads {active_percent} percent of its weights per token, which suits a machine with much memory and "
        "little bandwidth: it decodes like a model of {active_gb} GB."
    ),
    "dense_on_cores": _(
        "All {gb} GB of weights are read for each token. A mixture of experts of the same size reads a fraction of "
        "that and decodes several times as fast on such a machine."
    ),
    "vllm_on_mac_needs_plugin": _(
        "vLLM itself computes on the CPU of a Mac. The plugin vllm-metal uses its GPU with formats of its own, which is "
        "not sized here; llama.cpp uses the GPU as it is."
    ),
    "memory_of_machine_assumed": _(
        "{memory_gib} GiB is what such a machine is often sold with. Give host_memory_gib to count with yours."
    ),
}
