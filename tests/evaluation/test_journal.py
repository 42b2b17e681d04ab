# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation import journal as module
from surefoot.evaluation.journal import FORMAT, Journal, digest_of_code

KIND = "things"
RUN = {"robot": "hyq", "limits": {"roll": 1.0}, "feet": ("LF", "RF")}


def test_what_was_written_is_there_the_next_time_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    path = tmp_path / "new" / "things.jsonl"
    first = Journal(path, KIND, RUN)
    assert first.kept == []
    for number in (3, 4):
        first.add({"number": number})
    path.write_text(path.read_text()[:-4])
    again = Journal(path, KIND, RUN)
    assert again.kept == [{"number": 3}]
    again.add({"number": 5})
    assert Journal(path, KIND, RUN).kept == [{"number": 3}, {"number": 5}]


def test_of_other_code_it_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "things.jsonl"
    Journal(path, KIND, RUN)
    monkeypatch.setattr(module, "digest_of_code", lambda: "0123")
    with pytest.raises(ConfigurationError) as refused:
        Journal(path, KIND, RUN)
    assert str(refused.value).startswith(f"{path} is of other code or settings: it was begun by {digest_of_code()}, and this is 0123.")


def test_of_another_run_kind_or_format_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "things.jsonl"
    Journal(path, KIND, RUN)
    with pytest.raises(ConfigurationError, match=r"is of a run with limits.roll 1.0, and this one has 2.0; give this one another file"):
        Journal(path, KIND, RUN | {"limits": {"roll": 2.0}})
    with pytest.raises(ConfigurationError, match="is a journal of things, and what is to be kept is words"):
        Journal(path, "words", RUN)
    heading = json.loads(path.read_text()) | {"format": FORMAT + 1}
    path.write_text(json.dumps(heading) + "\n")
    with pytest.raises(ConfigurationError, match=f"has format {FORMAT + 1}, and this one writes {FORMAT}"):
        Journal(path, KIND, RUN)
    path.write_bytes(b"\xff\x00 no journal at all")
    with pytest.raises(ConfigurationError, match="is no journal, and what is to be kept is things"):
        Journal(path, KIND, RUN)


def test_every_source_and_every_setting_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, shared = tmp_path / "code", tmp_path / "shared"
    for path in (code / "a" / "law.py", shared / "config" / "gait.yaml", shared / "launch" / "sim.launch.xml"):
        path.parent.mkdir(parents=True)
        path.write_text("1")
    monkeypatch.setattr(module, "PACKAGE", code)
    monkeypatch.setattr(module, "shared_directory", lambda: shared)
    seen = set()
    for path in (None, code / "a" / "law.py", shared / "config" / "gait.yaml", shared / "launch" / "sim.launch.xml", code / "new.py"):
        if path is not None:
            path.write_text("2")
        seen.add(digest_of_code.__wrapped__())
    assert len(seen) == 5
    (code / "a" / "__pycache__").mkdir()
    (code / "a" / "__pycache__" / "law.py").write_text("x")
    assert digest_of_code.__wrapped__() in seen
