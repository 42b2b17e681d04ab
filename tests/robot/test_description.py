# SPDX-License-Identifier: Apache-2.0
import pytest
import yaml

from surefoot.errors import ConfigurationError
from surefoot.robot.description import read_robot
from surefoot.robot.locate import find_robot


def test_names_of_legs_are_said_in_words(tmp_path):
    values = yaml.safe_load(find_robot("hyq").read_text())
    values["legs"]["FL"] = values["legs"].pop("LF")
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(values))
    words = r"legs\.FL\.\[key\]: a leg is LF \(left front\), RF \(right front\), LH \(left hind\) or RH \(right hind\), not 'FL'"
    with pytest.raises(ConfigurationError, match=words):
        read_robot(file)
