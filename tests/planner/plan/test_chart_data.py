"""The data of the plan's charts as CSV."""

import re

from django.test import Client

from tests.access.people import person, signed_in


def test_plan_gives_the_data_of_a_chart_as_csv(db: None) -> None:
    client: Client = signed_in(person())
    response = client.get("/plan/curve.csv?tpot=20")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    head, first, *rest = response.content.decode().splitlines()
    assert head == 'Users,"TPOT, ms","TTFT, ms",tok/s per user,tok/s per card,"MBU, %",Targets'
    assert re.fullmatch(r"1,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9]+,met", first)
    # throughput of the last level is above a thousand: no separator may stand in a number
    assert re.fullmatch(r"93,[0-9.]+,[0-9]+,[0-9.]+,[0-9]{4},[0-9]+,missed", rest[-1])
    assert client.get("/plan/roofline.csv").content.decode().startswith("Work,FLOP per byte,")
    assert client.get("/plan/nonsense.csv").status_code == 404
    assert client.get("/plan/curve.csv?a=").status_code == 404
    assert 'href="/plan/curve.csv?tpot=20" download' in client.get("/plan/?tpot=20").content.decode()
