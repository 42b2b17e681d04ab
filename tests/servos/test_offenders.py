# SPDX-License-Identifier: Apache-2.0
from surefoot.servos.offenders import first_of


def test_one_is_named_and_the_others_are_counted() -> None:
    assert first_of([]) == ""
    assert first_of(["LF_KFE is silent"]) == "LF_KFE is silent"
    assert first_of(["LF_KFE is silent", "RF_KFE is silent", "LH_KFE is silent"]) == "LF_KFE is silent; and 2 more"
