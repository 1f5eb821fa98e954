"""Words about what a set-up costs."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy

ASSUMPTION_NAMES: dict[str, Any] = {
    "depreciation_years": _("Depreciated over"),
    "residual_share": _("Worth after that"),
    "busy_hours_per_day": _("Hours a day at this load"),
    "host_share": _("Servers around the cards"),
    "network_share": _("Network and storage"),
    "spare_share": _("Spare cards"),
    "tariff_per_kwh": _("Electricity"),
    "pue": _("PUE, cooling included"),
    "busy_power_share": _("Power while decoding"),
    "idle_power_share": _("Power while idle"),
    "host_power_w": _("Power of the server"),
    "annual_failure_rate": _("Cards that fail in a year"),
    "failure_cost_share": _("Cost of a failed card"),
    "hosting_per_month": _("Room"),
    "hosting_per_kw_month": _("Hosting by power"),
    "hosting_per_unit_month": _("Hosting by rack unit"),
    "rack_units_per_card": _("Rack units"),
    "licence_per_card_year": _("Licences"),
    "driver_hours": _("Driver and CUDA upkeep"),
    "engine_hours": _("Engine upgrades"),
    "monitoring_hours": _("Monitoring"),
    "weights_hours": _("Weight updates"),
    "oncall_hours": _("On call"),
    "hourly_rate": _("An hour of an engineer"),
}

# Where each default comes from.
SOURCES: dict[str, Any] = {
    "busy_hours_per_day": _(
        "Users at once are there for a working day; a load in requests a day needs no hours"
    ),
    "depreciation_years": _(
        "Annual reports of cloud companies write servers off over 5 to 6 years; accelerators age faster"
    ),
    "residual_share": _("What it still brings when it is written off"),
    "host_share": _(
        "Chassis, processors, memory and disks around the cards; the price of a platform replaces it"
    ),
    "network_share": _("Switches, cables and shared storage; set it to nothing where they are there already"),
    "spare_share": _("Cards kept in the cupboard, spread over the fleet"),
    "tariff_per_kwh": _("Electricity for a business; it is on the bill"),
    "pue": _(
        "Uptime Institute, global surveys 2020 to 2024: 1.55 to 1.6 on average. Cooling is in it and nowhere else"
    ),
    "busy_power_share": _("Decode waits for memory, so a card that decodes draws less than its limit"),
    "idle_power_share": _("A card with a model loaded and no request"),
    "host_power_w": _("Processors, memory, fans and network, for each card"),
    "hosting_per_month": _("A room of one's own"),
    "hosting_per_kw_month": _(
        "Colocation by the kilowatt, of board power and the server's; set electricity to nothing where it is in it"
    ),
    "hosting_per_unit_month": _("Colocation by the rack unit"),
    "rack_units_per_card": _("A server of eight cards in four units"),
    "licence_per_card_year": _("The four engines are free software"),
    "annual_failure_rate": _(
        "The Llama 3 Herd of Models (arXiv 2407.21783), table 5: 148 GPU and 72 HBM failures of 16,384 cards in 54 days"
    ),
    "failure_cost_share": _(
        "What a failed card costs beyond its warranty, shipping and standing still included"
    ),
    "driver_hours": _("A small team that does it by hand"),
    "engine_hours": _("A small team that does it by hand"),
    "monitoring_hours": _("A small team that does it by hand"),
    "weights_hours": _("A small team that does it by hand"),
    "oncall_hours": _("Nobody is woken at night"),
    "hourly_rate": _("An engineer with everything on top of the wage"),
}

# {currency} is that of the question.
UNITS: dict[str, Any] = {
    "years": _("years"),
    "share": _("of the purchase"),
    "share_of_cards": _("of the cards' price"),
    "hours_per_day": _("hours a day"),
    "money_per_kwh": _("{currency} per kWh"),
    "factor": "×",
    "share_of_board_power": _("of board power"),
    "w_per_card": _("W per card"),
    "share_per_year": _("of the cards"),
    "share_of_card": _("of a card's price"),
    "money_per_month": _("{currency} a month"),
    "money_per_kw_month": _("{currency} a kW a month"),
    "money_per_unit_month": _("{currency} a rack unit a month"),
    "units_per_card": _("rack units per card"),
    "money_per_card_year": _("{currency} a card a year"),
    "hours_per_month": _("hours a month"),
    "money_per_hour": _("{currency} an hour"),
}

ITEMS: dict[str, Any] = {
    "cards": _("Cards"),
    "host": _("Servers"),
    "network": _("Network and storage"),
    "spares": _("Spare cards"),
    "extras": _("Other items"),
    "depreciation": _("Depreciation"),
    "power": _("Electricity and cooling"),
    "hosting": _("Hosting"),
    "failures": _("Failures"),
    "driver_hours": _("Driver and CUDA upkeep"),
    "engine_hours": _("Engine upgrades"),
    "monitoring_hours": _("Monitoring"),
    "weights_hours": _("Weight updates"),
    "oncall_hours": _("On call"),
    "licence": _("Licences"),
}

# Names in the working of a term that are no assumptions.
VALUES: dict[str, Any] = {
    "unit_price": _("Price of one"),
    "platform_price": _("Price of the platform"),
    "count": _("Cards"),
    "cards": _("Price of all cards"),
    "purchase": _("Purchase"),
    "board_power_w": _("Board power of one card, W"),
    "duty": _("Share of time at work"),
    "kwh": _("kWh in a year"),
}

FORMULAS = frozenset(
    {
        gettext_noop("price of one × count"),
        gettext_noop("price of the platform"),
        gettext_noop("other items of the bill"),
        gettext_noop("cards × share"),
        gettext_noop("licence of one × count"),
        gettext_noop("purchase × (1 − residual share) ÷ years"),
        gettext_noop("cards × (board power × (idle + (busy − idle) × duty) + host) × 8,760 h × PUE × tariff"),
        gettext_noop("(room + kW × price of one + rack units × price of one) × 12"),
        gettext_noop("cards × failures a year × cost of one, as a share of a card × price of one"),
        gettext_noop("hours a month × 12 × hourly rate"),
    }
)

GROUPS: dict[str, Any] = {
    "load": _("Load"),
    "purchase": _("Purchase"),
    "power": _("Power and cooling"),
    "hosting": _("Hosting and licences"),
    "failures": _("Failures"),
    "work": pgettext_lazy("people", "Work"),
}

# Why a figure of an answer is null, or what it does not say.
REMARKS: dict[str, Any] = {
    "no_accelerator": _("No accelerator is chosen, so there is nothing to buy."),
    "no_price": _(
        "{name} has no price here, so there is no purchase and no yearly cost. Add a quote, or give a price."
    ),
    "no_speed": _("The set-up does not decode as asked, so there are no tokens to divide by."),
    "no_load": _("No load was given, so there is nothing to divide by."),
    "idle": _("Nothing is asked of it all day, so there are no tokens to divide by."),
    "power_unknown": _("The datasheet of {name} states no power, so electricity is not known."),
    "load_above_capacity": _(
        "The load is more than the set-up can serve: {percent} percent of it. What is served is counted."
    ),
    "utilization_dominates": _(
        "It makes {percent} percent of the tokens that it could. Utilization moves the cost of a token more than any price."
    ),
    "no_rent": _("No rent of {name} is quoted or given, so there is nothing to compare with."),
    "never_pays": _("Renting costs less than running what one owns: a purchase never pays for itself."),
    "pays_late": _("A purchase pays for itself only after it is written off over {years} years."),
    "host_assumed": _(
        "The servers are assumed at {percent} percent of the cards' price; choose a platform with a quote to replace it."
    ),
    "public_prices": _("Public prices, dated, not offers: {names}."),
}

PROBLEMS: dict[str, Any] = {
    "assumption_unknown": _("No assumption of this name. Known: {known}."),
    "rate_missing": _("There is no exchange rate for {found}. Set one under exchange rates."),
    "unknown_platform": _("No platform {found!r} in the catalog."),
    "two_currencies": _("The bill is in {found} and the question in {asked}. Give one currency."),
    "budget_reversed": _("The lower end, {low}, is above the upper end, {high}."),
    "load_twice": _(
        "The load is given twice. Requests a day say it already; else give hours a day or a utilization, not both."
    ),
    "rent_twice": _("Give the rent by the hour or by the month, not both."),
    "not_a_short_list": _("Expected a list of at most {limit} entries."),
}
