# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a bag."""

from surefoot.errors import SurefootError


class BagError(SurefootError):
    """A bag that cannot be used as it is, and what could be done."""


class RecordingStopped(BagError):
    """The bag takes no more: the disk is full or its reserve is reached. What was written before stays readable."""


class OtherTypeError(BagError):
    """What is in a bag is of another type, or of another version of it, than what is needed here."""
