"""How many planted errors of citation are caught, and how many right answers raise a false alarm."""

from __future__ import annotations

from tests.planted.errors import PLANTED
from tests.planted.right import RIGHT
from tests.planted.verdicts import counts


def main() -> None:
    for title, cases in (("planted errors caught", PLANTED), ("right answers without an alarm", RIGHT)):
        found = counts(cases)
        print(f"{title}: {sum(good for good, _ in found.values())} of {len(cases)}")
        for kind in sorted(found):
            print(f"  {kind}: {found[kind][0]} of {found[kind][1]}")


if __name__ == "__main__":
    main()
