"""Tables of lengths as CSV files, written so that no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a CSV file."""
    for row in (head, *rows):
        line = io.StringIO()
        csv.writer(line).writerow([f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in row])
        yield line.getvalue()
