# SPDX-License-Identifier: Apache-2.0
import socket
from pathlib import Path

import pytest
import yaml

from surefoot.errors import SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos import lock
from surefoot.servos.buses import check_bus, devices_of
from surefoot.servos.lock import BridgeLock
from surefoot.servos.unitree.network import URI, absent_networks, networks_of

NAMED = "<CycloneDDS><Domain{}><General><Interfaces><NetworkInterface {}/></Interfaces></General></Domain></CycloneDDS>"
OLD = "<General><NetworkInterfaceAddress>lo</NetworkInterfaceAddress></General>"
ALL = tuple(sorted(name for _, name in socket.if_nameindex()))


@pytest.mark.parametrize(
    "configuration",
    [
        NAMED.format("", 'name="lo"'),
        NAMED.format(' Id="any"', "NAME='lo' multicast='false'"),
        NAMED.format(' id="3"', 'address="127.0.0.1"'),
        '<?xml version="1.0" encoding="UTF-8" ?>' + NAMED.format(' xmlns="https://cdds.io/config"', 'name=" lo "'),
        f"<Domain>{OLD}</Domain>",
        NAMED.format(' id="7"', 'name="eth9"') + NAMED.format("", 'name="lo"'),
    ],
)
def test_a_network_has_many_spellings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, configuration: str) -> None:
    monkeypatch.delenv(URI, raising=False)
    assert networks_of(configuration, 3) == ("lo",)
    file = tmp_path / "cyclone file.xml"
    file.write_text(configuration)
    for place in (str(file), f"file://{file}".replace(" ", "%20")):
        assert networks_of(place, 3) == ("lo",)
        monkeypatch.setenv(URI, place)
        assert networks_of("", 3) == ("lo",)


ELSEWHERE = NAMED.format(' id="7"', 'name="lo"')


@pytest.mark.parametrize("configuration", ["", "<Domain><General/></Domain>", "<Domain", "file:///not/there", ELSEWHERE])
def test_where_none_is_named_it_may_be_any(monkeypatch: pytest.MonkeyPatch, configuration: str) -> None:
    monkeypatch.delenv(URI, raising=False)
    assert networks_of(configuration, 3) == ALL
    assert networks_of(NAMED.format("", 'autodetermine="true"'), 3) == ALL


def test_two_files_for_the_robot_on_one_network_are_one_robot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    monkeypatch.delenv(URI, raising=False)
    motors = "motors: {a: 0}\n"
    said = {"named": 'name="lo"', "addressed": 'address="127.0.0.1"', "away": 'name="eth9"'}
    texts = {name: NAMED.format("", words) for name, words in said.items()} | {"free": ""}
    for name, configuration in texts.items():
        (tmp_path / f"{name}.yaml").write_text(f"configuration: '{configuration}'\n{motors}")
    held = [BridgeLock(device, patience=0.0) for device in devices_of("unitree", str(tmp_path / "named.yaml"))]
    for other in ("addressed", "free"):
        devices = devices_of("unitree", str(tmp_path / f"{other}.yaml"))
        assert "DDS domain 0 on lo" in devices
        with pytest.raises(SurefootError, match="drives DDS domain 0 on lo already"):
            BridgeLock("DDS domain 0 on lo", patience=0.0)
    for device in devices_of("unitree", str(tmp_path / "away.yaml")):
        BridgeLock(device, patience=0.0).release()
    for one in held:
        one.release()


def test_an_interface_that_this_machine_does_not_have_is_known_beforehand(
    monkeypatch: pytest.MonkeyPatch, hyq: RobotModel, tmp_path: Path
) -> None:
    monkeypatch.delenv(URI, raising=False)
    assert absent_networks("", 0) == absent_networks(NAMED.format("", 'name="lo"'), 0) == ()
    assert absent_networks(NAMED.format("", 'address="192.168.123.0"'), 0) == (), "Cyclone knows networks by their addresses as well"
    assert absent_networks(NAMED.format("", 'name="eth9" presence_required="false"'), 0) == ()
    configuration = NAMED.format("", 'name="eth9"')
    assert absent_networks(configuration, 0) == ("eth9",)
    file = tmp_path / "bus.yaml"
    motors = {name: place for place, name in enumerate(hyq.joint_names)}
    file.write_text(yaml.safe_dump({"configuration": configuration, "motors": motors}))
    with pytest.raises(SurefootError, match=r"there is no network interface eth9 here.* there are .*lo"):
        check_bus("unitree", hyq, str(file))
