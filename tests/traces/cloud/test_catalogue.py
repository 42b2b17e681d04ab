# SPDX-License-Identifier: Apache-2.0
from surefoot.traces.cloud.catalogue import LEFT_OUT, PERSISTENT, SOURCE_COUNT, TRANSIENT, Law, drawn_count, source_count
from surefoot.traces.cloud.uncertainty import PersistentUncertainty, TransientUncertainty


def test_the_configuration_has_a_key_for_all_that_is_not_stated_elsewhere() -> None:
    for table, settings in ((PERSISTENT, PersistentUncertainty), (TRANSIENT, TransientUncertainty)):
        names = [parameter.name for parameter in table]
        assert len(set(names)) == len(names)
        assert set(settings.model_fields) == {parameter.name for parameter in table if parameter.law is not Law.STATED}


def test_parameters_are_counted() -> None:
    assert (drawn_count(PERSISTENT), drawn_count(TRANSIENT)) == (211, 53)
    assert drawn_count(PERSISTENT) + drawn_count(TRANSIENT) >= SOURCE_COUNT


def test_every_parameter_of_the_source_is_drawn_or_left_out_with_a_reason() -> None:
    left_out = sum(count for _, count, _ in LEFT_OUT)
    assert source_count(PERSISTENT) + source_count(TRANSIENT) + left_out == SOURCE_COUNT
    assert all(why for _, _, why in LEFT_OUT)
    # As in the source's own table: links, contact and servos; start; encoders; the estimate; torque and lag.
    groups: dict[str, int] = {}
    for parameter in PERSISTENT:
        groups[parameter.group] = groups.get(parameter.group, 0) + parameter.source
    assert groups == {"links": 17 + 12 + 16 + 12, "contact": 3, "servos": 1, "start": 36, "pushes": 0}
