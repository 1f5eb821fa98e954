"""Words about what a set-up costs."""

from typing import Any

from django.utils.translation import gettext_lazy as _

ASSUMPTION_NAMES: dict[str, Any] = {
    "depreciation_years": _("Depreciated over"),
    "residual_share": _("Worth after that"),
    "host_share": _("Server around the cards"),
    "spare_share": _("Spare cards"),
    "tariff_per_kwh": _("Electricity"),
    "pue": _("PUE, cooling included"),
    "busy_power_share": _("Power while decoding"),
    "idle_power_share": _("Power while idle"),
    "host_power_w": _("Power of the server"),
    "annual_failure_rate": _("Cards that fail in a year"),
    "failure_cost_share": _("Cost of a failed card"),
    "hosting_per_month": _("Hosting"),
    "licence_per_card_year": _("Licences"),
    "driver_hours": _("Driver and CUDA upkeep"),
    "engine_hours": _("Engine upgrades"),
    "monitoring_hours": _("Monitoring"),
    "weights_hours": _("Weight updates"),
    "hourly_rate": _("An hour of an engineer"),
}

# {currency} is that of the question.
UNITS: dict[str, Any] = {
    "years": _("years"),
    "share": _("of the purchase"),
    "share_of_cards": _("of the cards' price"),
    "money_per_kwh": _("{currency} per kWh"),
    "factor": "×",
    "share_of_board_power": _("of board power"),
    "w_per_card": _("W per card"),
    "share_per_year": _("of the cards"),
    "share_of_card": _("of a card's price"),
    "money_per_month": _("{currency} a month"),
    "money_per_card_year": _("{currency} a card a year"),
    "hours_per_month": _("hours a month"),
    "money_per_hour": _("{currency} an hour"),
}

ITEMS: dict[str, Any] = {
    "cards": _("Cards"),
    "host": _("Servers"),
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
    "licence": _("Licences"),
}

# Why a figure of an answer is null, or what it does not say.
REMARKS: dict[str, Any] = {
    "no_price": _(
        "{name} has no price here, so there is no purchase and no yearly cost. Add a quote, or give a price."
    ),
    "no_speed": _("The set-up does not decode as asked, so there are no tokens to divide by."),
    "no_load": _("No load was given, so there is nothing to divide by."),
    "power_unknown": _("The datasheet of {name} states no power, so electricity is not known."),
    "load_above_capacity": _("The requests of the day are more than the set-up can serve."),
    "utilization_dominates": _(
        "The cards work {percent} percent of the time. Utilization moves the cost of a token more than any price."
    ),
    "no_rent": _("No rent of {name} is quoted or given, so there is nothing to compare with."),
    "never_pays": _("Renting costs less than running what one owns: a purchase never pays for itself."),
    "host_assumed": _(
        "The servers are assumed at {percent} percent of the cards' price; choose a platform with a quote to replace it."
    ),
    "public_prices": _("Public prices, dated, not offers: {names}."),
}

PROBLEMS: dict[str, Any] = {
    "assumption_unknown": _("No assumption of this name. Known: {known}."),
    "rate_missing": _("There is no exchange rate for {found}. Set one under exchange rates."),
    "unknown_platform": _("No platform {found!r} in the catalog."),
    "not_a_short_list": _("Expected a list of at most {limit} entries."),
}
