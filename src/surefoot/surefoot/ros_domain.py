# SPDX-License-Identifier: Apache-2.0
"""The number of a ROS domain, read as ROS 2 reads it: one domain has many spellings."""

import os
import re

from surefoot.errors import ConfigurationError

VARIABLE = "ROS_DOMAIN_ID"
MOST_DOMAIN = 232
"""Beyond it there are no ports left."""

_NUMBER = re.compile(r"\s*\+?(?:0[xX](?P<sixteen>[0-9a-fA-F]+)|(?P<eight>0[0-7]*)|(?P<ten>[1-9][0-9]*))\s*", re.ASCII)
_BASES = {"sixteen": 16, "eight": 8, "ten": 10}


def domain_number(text: str | None = None) -> int:
    """The number that a text names, as rcl reads it with strtoul: also 0x2a and 052 are 42, and nothing is 0.

    Args:
        text: value of ROS_DOMAIN_ID; None: that of this process.

    Raises:
        ConfigurationError: it is no number, or none of a domain. rcl takes some of these for one ("5abc" for 5, "-1" for 0): whoever wrote
            them meant something else.
    """
    given = os.environ.get(VARIABLE, "") if text is None else text
    if not given:
        return 0
    found = _NUMBER.fullmatch(given)
    number = -1 if found is None else next(int(digits, _BASES[base]) for base, digits in found.groupdict().items() if digits is not None)
    if not 0 <= number <= MOST_DOMAIN:
        raise ConfigurationError(f"{VARIABLE} is '{given}', and a ROS domain is a number from 0 to {MOST_DOMAIN}; set it anew, or unset it")
    return number
