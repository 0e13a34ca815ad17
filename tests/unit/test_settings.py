"""What the settings say when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import USAGE, WhereinError
from wherein import settings
from wherein.schema import Settings
from wherein.workspace import Workspace


def load(folder: Path, text: str, *overrides: str, **environment: str) -> Settings:
    file = folder / settings.FILE
    file.write_text(text, encoding="utf-8")
    return settings.load(file, environment, overrides)


def refused(folder: Path, text: str, *overrides: str, **environment: str) -> str:
    with pytest.raises(WhereinError) as caught:
        load(folder, text, *overrides, **environment)
    assert caught.value.code == USAGE
    assert "\n" not in caught.value.message
    return caught.value.message


def test_an_empty_file_gives_every_default(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Settings()


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    text = "[retrieval]\nk = 5\npool_vector = 6\nper_source = 7\n"
    found = load(tmp_path, text, "retrieval.k=8", WHEREIN_RETRIEVAL__K="9", WHEREIN_RETRIEVAL__PER_SOURCE="10")
    assert (found.retrieval.k, found.retrieval.per_source, found.retrieval.pool_vector) == (8, 10, 6)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[retrieval]\nnosuch = 1\n", ("retrieval.nosuch", "1", "wherein.toml", "pool_vector")),
        ("[nosuch]\n", ("nosuch", "retrieval")),
        ("[collections.notes]\npath = '.'\nnosuch = 1\n", ("collections.notes.nosuch", "exclude")),
        ("[models.local]\nmodel = 'm'\nnosuch = 1\n", ("models.local.nosuch", "api_key_env")),
        ("[retrieval]\nk = 0\n", ("retrieval.k", "0", "1")),
        ("[retrieval]\nk = 'ten'\n", ("retrieval.k", "ten")),
        ("[retrieval]\nk = true\n", ("retrieval.k", "True")),
        ("[retrieval]\nfusion = 'sum'\n", ("retrieval.fusion", "sum", "minmax", "rrf", "union")),
        ("[synthesis]\ntemperature = 2.1\n", ("synthesis.temperature", "2.1", "2")),
        ("[rerank]\nweight = -0.1\n", ("rerank.weight", "-0.1", "0")),
        ("[rerank]\nenabled = 'yes'\n", ("rerank.enabled", "yes")),
        ("[chunking]\nsize = 100\noverlap = 60\n", ("chunking.overlap", "100")),
        ("[collections.notes]\n", ("collections.notes.path",)),
        ("[collections.'a b']\npath = '.'\n", ("a b", "letters")),
        ("[collections.notes]\npath = '.'\ndates = ['inode']\n", ("collections.notes.dates", "inode", "mtime")),
        ("k = 1\n[retrieval]\n", ("k", "1")),
        ("[retrieval\n", ("wherein.toml", "TOML")),
    ],
)
def test_a_wrong_file_is_told_by_key_value_and_what_is_allowed(
    tmp_path: Path, text: str, named: tuple[str, ...]
) -> None:
    message = refused(tmp_path, text)
    assert [part for part in named if part not in message] == []


def test_a_file_that_is_not_text_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / settings.FILE
    file.write_bytes(b"[retrieval]\n# \xff\n")
    with pytest.raises(WhereinError, match="UTF-8"):
        settings.load(file, {})


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    assert load(tmp_path, "\ufeff[retrieval]\nk = 4\n").retrieval.k == 4


def test_an_unknown_key_of_the_environment_is_told_with_where_it_came_from(tmp_path: Path) -> None:
    message = refused(tmp_path, "", WHEREIN_RETRIEVAL__NOSUCH="1")
    assert "retrieval.nosuch" in message
    assert "environment" in message


def test_other_variables_of_the_environment_are_left_alone(tmp_path: Path) -> None:
    assert load(tmp_path, "", WHEREIN_WORKSPACE="x", WHEREIN_TEST_DATA="y", OTHER__K="1") == Settings()


def test_an_environment_value_is_read_by_its_keys_type(tmp_path: Path) -> None:
    found = load(tmp_path, "", WHEREIN_RERANK__ENABLED="false", WHEREIN_EMBEDDING__MODEL="true")
    assert (found.rerank.enabled, found.embedding.model) == (False, "true")


@pytest.mark.parametrize("override", ["retrieval", "k=1", "=1", "retrieval.k"])
def test_a_flag_that_is_no_key_and_value_is_refused(tmp_path: Path, override: str) -> None:
    assert "--set" in refused(tmp_path, "", override)


def test_a_flag_takes_lists_and_text_with_equals_signs(tmp_path: Path) -> None:
    text = "[collections.notes]\npath = '.'\n"
    found = load(tmp_path, text, 'collections.notes.exclude=["a/**", "b"]', "synthesis.prompt=a=b")
    assert found.collections["notes"].exclude == ["a/**", "b"]
    assert found.synthesis.prompt == "a=b"


def test_a_flag_cannot_turn_a_value_into_a_section(tmp_path: Path) -> None:
    refused(tmp_path, "", "retrieval.k.deeper=1")


def test_flags_that_contradict_each_other_in_shape_are_one_sentence(tmp_path: Path) -> None:
    refused(tmp_path, "", "retrieval.k=1", "retrieval.k.deeper=1")


def test_a_folder_without_settings_is_told_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match="wherein init") as caught:
        Workspace.find(tmp_path)
    assert (caught.value.code, caught.value.kind) == (USAGE, "no-workspace")


def test_a_named_folder_is_not_searched_upward(tmp_path: Path) -> None:
    (tmp_path / settings.FILE).write_text("", encoding="utf-8")
    (tmp_path / "below").mkdir()
    with pytest.raises(WhereinError):
        Workspace.find(tmp_path / "below")


def test_the_workspace_is_found_upward_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / settings.FILE).write_text("", encoding="utf-8")
    below = tmp_path / "one" / "two"
    below.mkdir(parents=True)
    monkeypatch.delenv("WHEREIN_WORKSPACE", raising=False)
    monkeypatch.chdir(below)
    assert Workspace.find().folder == tmp_path


def test_an_unknown_zone_is_told_by_key_and_value(tmp_path: Path) -> None:
    (tmp_path / settings.FILE).write_text("[workspace]\ntimezone = 'Mars/Base'\n", encoding="utf-8")
    with pytest.raises(WhereinError, match=r"workspace\.timezone = 'Mars/Base'"):
        Workspace.find(tmp_path).day_of(0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[workspace]\ntimezone = 'Mars/Base'\n", ("workspace.timezone", "Mars/Base", "Europe/Berlin")),
        ("[workspace]\ntimezone = '../../etc/passwd'\n", ("workspace.timezone", "local")),
        ("[retrieval]\ntoday = 'soon'\n", ("retrieval.today", "soon", "2024-03-14")),
        ("[retrieval]\nweight_vector = inf\n", ("retrieval.weight_vector", "inf")),
        ("[retrieval]\nweight_vector = 1e308\n", ("retrieval.weight_vector", "1000000")),
        ("[synthesis]\ntimeout_seconds = inf\n", ("synthesis.timeout_seconds", "inf")),
        ("[collections.notes]\npath = '.'\nmax_file_mb = 1e308\n", ("collections.notes.max_file_mb", "1000000")),
        ("[collections.notes]\npath = '.'\nlanguage = 'klingon'\n", ("collections.notes.language", "klingon", "en")),
        ("[collections.'../x']\npath = '.'\n", ("Setting collections", "../x")),
        ("a = " + "[" * 5000 + "]" * 5000, ("wherein.toml", "nested")),
    ],
)
def test_what_would_fail_later_is_told_at_once(tmp_path: Path, text: str, named: tuple[str, ...]) -> None:
    message = refused(tmp_path, text)
    assert [part for part in named if part not in message] == []


def test_an_unknown_section_of_the_environment_is_told_with_where_it_came_from(tmp_path: Path) -> None:
    assert "in the environment" in refused(tmp_path, "", WHEREIN_NOSUCH__KEY="1")
    assert "in --set" in refused(tmp_path, "", "retrieval.k.deeper=1")


def test_a_value_that_is_nested_deeply_is_a_wrong_value(tmp_path: Path) -> None:
    assert "retrieval.k" in refused(tmp_path, "", "retrieval.k=" + "[" * 20_000)


@pytest.mark.parametrize("path", ["~no-such-person/notes", "a\0b"])
def test_a_path_that_cannot_be_one_is_a_wrong_setting(tmp_path: Path, path: str) -> None:
    load(tmp_path, "")
    with pytest.raises(WhereinError) as caught:
        Workspace.find(tmp_path).path(path)
    assert caught.value.code == USAGE


@pytest.mark.parametrize("start", ["~no-such-person", "x" * 5000, "a\0b"])
def test_a_workspace_that_cannot_be_one_is_wrong_usage(start: str) -> None:
    with pytest.raises(WhereinError) as caught:
        Workspace.find(start)
    assert caught.value.code == USAGE


def test_a_folder_with_the_name_of_the_settings_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / settings.FILE).mkdir()
    with pytest.raises(WhereinError, match="is not a file"):
        Workspace.find(tmp_path)
