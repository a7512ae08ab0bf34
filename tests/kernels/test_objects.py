"""Files of machine code: their folders, and the rejection of files that are incomplete or of other users or versions."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arrowjag._kernels.compiled import objects
from arrowjag._kernels.compiled.objects import Key

KEY = Key("source", "versions")
CODE = b"machine code"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three empty folders, the last of them the user's; nothing is in memory."""
    found = [tmp_path / "one", tmp_path / "two", tmp_path / "user" / "arrowjag" / "compiled"]
    for folder in found:
        folder.mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join(map(str, found[:2])))
    monkeypatch.setattr(objects, "_user_folder", lambda: found[2])
    monkeypatch.setattr(objects, "_memory", {})
    return found


def test_a_key_depends_on_each_fact_and_its_place() -> None:
    digests = {Key(*facts).digest for facts in ([], [""], ["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"], ["ab", "c", ""])}
    assert len(digests) == 7
    assert Key("ab", "ä").digest == Key(b"ab", "ä".encode()).digest
    assert KEY.name == f"{KEY.digest.hex()[:40]}.jagobj"
    assert len(KEY.name) == 47


def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    absolute = os.path.abspath("xdg")  # noqa: PTH100  # a value of the environment
    cases: list[tuple[str, dict[str, str], str | None]] = [
        ("win32", {"LOCALAPPDATA": "local", "XDG_CACHE_HOME": "xdg", "HOME": "home"}, "local/arrowjag/compiled"),
        ("win32", {"LOCALAPPDATA": "", "XDG_CACHE_HOME": "xdg", "HOME": "home"}, None),
        ("win32", {"HOME": "home"}, None),
        ("linux", {"LOCALAPPDATA": "local", "XDG_CACHE_HOME": absolute, "HOME": "home"}, f"{absolute}/arrowjag/compiled"),
        ("linux", {"LOCALAPPDATA": "local", "HOME": "home"}, "home/.cache/arrowjag/compiled"),
        ("linux", {"XDG_CACHE_HOME": "", "HOME": "home"}, "home/.cache/arrowjag/compiled"),
        ("linux", {"XDG_CACHE_HOME": "", "HOME": ""}, None),
        ("linux", {"XDG_CACHE_HOME": "xdg", "HOME": "home"}, "home/.cache/arrowjag/compiled"),
        ("linux", {"XDG_CACHE_HOME": "./xdg"}, None),
        ("linux", {}, None),
        ("darwin", {"XDG_CACHE_HOME": absolute, "HOME": "home"}, f"{absolute}/arrowjag/compiled"),
        ("darwin", {"HOME": "home"}, "home/Library/Caches/arrowjag/compiled"),
        ("darwin", {}, None),
    ]
    for platform, environment, expected in cases:
        with monkeypatch.context() as patch:
            patch.setattr(objects, "sys", SimpleNamespace(platform=platform))
            patch.setattr(objects, "os", SimpleNamespace(environ=environment, path=os.path))
            found = objects._user_folder()
        assert found == (None if expected is None else Path(expected)), (platform, environment)


def test_folders_are_those_that_are_named_and_then_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_user_folder", lambda: Path("user"))
    for named, expected in ((("a", "", "b"), ["a", "b", "user"]), (("",), ["user"]), (("b",), ["b", "user"])):
        monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join(named))
        assert [*objects.folders()] == [Path(one) for one in expected]
    monkeypatch.delenv("ARROWJAG_CACHE_DIR")
    assert [*objects.folders()] == [Path("user")]
    monkeypatch.setattr(objects, "_user_folder", lambda: None)
    assert [*objects.folders()] == []


@POSIX
def test_a_tilde_is_the_home_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", "~/xdg")
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join(["~/code", "~", "a/~", "~nobody of that name/code"]))
    expected = ["/home/me/code", "/home/me", "a/~", "~nobody of that name/code", "/home/me/xdg/arrowjag/compiled"]
    assert [*objects.folders()] == [Path(one) for one in expected]


def test_files_that_only_this_user_or_root_can_have_written(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        ("linux", 1000, 0o644, True),
        ("linux", 1000, 0o755, True),
        ("linux", 0, 0o600, True),
        ("linux", 1, 0o600, False),
        ("linux", 1001, 0o600, False),
        *(("linux", 1000, 0o600 | 1 << bit, bit not in (1, 4)) for bit in range(6)),
        ("darwin", 1000, 0o602, False),
        ("win32", 1001, 0o666, True),
    ]
    for platform, owner, mode, expected in cases:
        info: Any = SimpleNamespace(st_uid=owner, st_mode=stat.S_IFREG | mode)
        with monkeypatch.context() as patch:
            patch.setattr(objects, "sys", SimpleNamespace(platform=platform))
            patch.setattr(objects, "os", SimpleNamespace(getuid=lambda: 1000))
            assert objects._is_safe(info) is expected, (platform, owner, oct(mode))


@POSIX
def test_a_folder_that_takes_a_file(tmp_path: Path) -> None:
    shared, locked, new = tmp_path / "shared", tmp_path / "locked", tmp_path / "new" / "deeper"
    for folder, mode in ((shared, 0o777), (locked, 0o500)):
        folder.mkdir()
        folder.chmod(mode)
    assert not objects.is_writable(shared)
    assert objects.is_writable(locked) is (os.getuid() == 0)
    assert objects.is_writable(new)
    assert objects.is_writable(new)
    assert new.stat().st_mode & 0o777 == 0o755


@POSIX
def test_other_users_read_what_a_named_folder_holds(folders: list[Path]) -> None:
    """Root fills the folder of a container image, whose programs run as another user; the user's own cache stays private."""
    before = os.umask(0o002)
    try:
        for folder in folders:
            folder.rmdir()
            assert objects.write(KEY, CODE, folder) is False  # it isn't made
            assert objects.is_writable(folder)
            assert objects.write(KEY, CODE, folder)
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o755, 0o755, 0o700]
    assert {(folder / KEY.name).stat().st_mode & 0o777 for folder in folders} == {0o644}
    assert objects.read(KEY) == CODE


@POSIX
@pytest.mark.parametrize("permission", [os.W_OK, os.X_OK])
def test_a_folder_must_be_written_and_entered(permission: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects.os, "access", lambda path, asked: path == tmp_path and not asked & permission)
    assert not objects.is_writable(tmp_path)
    monkeypatch.setattr(objects.os, "access", lambda path, asked: path == tmp_path and asked in (1, 2, 3))
    assert objects.is_writable(tmp_path)


def test_code_goes_to_the_folder_that_is_named_or_the_first(folders: list[Path]) -> None:
    assert objects.write(KEY, CODE)
    assert [folder.joinpath(KEY.name).exists() for folder in folders] == [True, False, False]
    assert objects.write(Key("other"), CODE, folders[1])
    assert [one.name for one in folders[1].iterdir()] == [Key("other").name]
    assert objects._memory == {}
    assert objects.read(KEY) == CODE
    assert objects.read(KEY, folders[1:]) is None


@POSIX
@pytest.mark.parametrize("fault", ["absent", "shared", "damaged", "a folder"])
def test_code_is_read_from_the_first_folder_with_a_good_file(fault: str, folders: list[Path]) -> None:
    first, second = folders[0] / KEY.name, folders[1]
    objects.write(KEY, CODE, second)
    if fault == "shared":
        objects.write(KEY, b"other", folders[0])
        first.chmod(0o666)
    elif fault == "damaged":
        first.write_bytes(b"")
    elif fault == "a folder":
        first.mkdir()
    assert objects.read(KEY) == CODE
    (second / KEY.name).unlink()
    assert objects.read(KEY) is None


def test_every_damage_of_a_file_is_seen(folders: list[Path]) -> None:
    objects.write(KEY, CODE)
    data = folders[0].joinpath(KEY.name).read_bytes()
    assert data.startswith(b"arrowjag object 1\n")
    assert data.endswith(CODE)
    assert objects._checked(data, KEY) == CODE
    assert objects._checked(data, Key("other")) is None
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        assert objects._checked(bytes(changed), KEY) is None
        assert objects._checked(data[:place], KEY) is None
    assert objects._checked(data + b"\0", KEY) is None


def test_a_huge_file_is_not_read(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    objects.write(KEY, CODE)
    size = (folders[0] / KEY.name).stat().st_size
    for largest, expected in ((size, CODE), (size - 1, None)):
        monkeypatch.setattr(objects, "_LARGEST", largest)
        assert objects.read(KEY) == expected


def test_code_without_bytes_is_kept_too(folders: list[Path]) -> None:
    objects.write(KEY, b"")
    assert objects.read(KEY) == b""


@pytest.mark.parametrize("fault", ["no folder", "no temporary file", "a full disk", "no name"])
def test_code_that_no_folder_takes_stays_in_memory(fault: str, folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        if fault == "no folder":
            patch.setattr(objects, "is_writable", lambda _: False)
        elif fault == "no temporary file":
            patch.setattr(objects.tempfile, "mkstemp", refuse)
        elif fault == "a full disk":
            patch.setattr(objects, "os", SimpleNamespace(fdopen=_FullDisk, environ=os.environ, pathsep=os.pathsep, path=os.path))
            patch.setattr(objects, "is_writable", lambda _: True)
        else:
            patch.setattr(Path, "replace", refuse)
        assert not objects.write(KEY, CODE)
    assert not any(any(folder.iterdir()) for folder in folders)
    assert objects.read(KEY) == CODE
    assert objects.read(KEY, folders) is None
    assert objects.read(Key("other")) is None


class _FullDisk:
    """A file that takes no bytes."""

    def __init__(self, descriptor: int, mode: str) -> None:
        self.descriptor = descriptor

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def write(self, data: bytes) -> None:
        raise OSError("No space left on device")


def test_a_file_is_written_under_a_hidden_name_and_then_renamed(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    replace, seen = Path.replace, list[Path]()

    def watched(path: Path, target: Path) -> Path:
        assert target == folders[0] / KEY.name
        assert not target.exists()
        assert path.parent == folders[0]
        seen.append(path)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    assert objects.write(KEY, CODE)
    assert len(seen) == 1
    assert seen[0].name.startswith(".")
    assert seen[0].suffix == ".tmp"
    assert [one.name for one in folders[0].iterdir()] == [KEY.name]


def test_failures_are_marked_in_any_folder(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not objects.is_marked_failed(KEY)
    objects.mark_failed(KEY, "a" * 20_000)
    marked = (folders[0] / KEY.name).with_suffix(".failed")
    assert marked.read_text() == "a" * 10_000
    assert objects.is_marked_failed(KEY)
    assert not objects.is_marked_failed(Key("other"))
    marked.rename(folders[2] / marked.name)
    assert objects.is_marked_failed(KEY)
    monkeypatch.setattr(objects, "writable_folder", lambda: None)
    objects.mark_failed(Key("other"), "no folder")
    assert not objects.is_marked_failed(Key("other"))


@POSIX
def test_pipes_and_folders_in_place_of_files_are_skipped_and_closed(folders: list[Path]) -> None:
    """A pipe would wait for a writer, and a folder that is opened is no file."""
    objects.write(KEY, CODE, folders[2])
    os.mkfifo(folders[0] / KEY.name, 0o600)
    (folders[1] / KEY.name).mkdir()
    probe = os.open(os.devnull, os.O_RDONLY)
    os.close(probe)
    assert objects.read(KEY) == CODE
    again = os.open(os.devnull, os.O_RDONLY)
    os.close(again)
    assert again == probe


def test_a_folder_that_cannot_be_looked_into_holds_no_failure(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", os.pathsep.join([str(folders[0] / ("a" * 300)), str(folders[1])]))
    assert not objects.is_marked_failed(KEY)
    objects.mark_failed(KEY, "reason")
    assert (folders[1] / KEY.name).with_suffix(".failed").exists()
    assert objects.is_marked_failed(KEY)
