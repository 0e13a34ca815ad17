"""One small model through two protocols, at three temperatures, three times each, on ten questions.

python -m bench.compare_models [--dir .venv-models] [--out docs/examples/compare]

Starts both servers, indexes data/sample elsewhere, runs `wherein compare`, and shows by a recording proxy that every
answer to a question came from the same messages. Then asks once more at the highest temperature with the same seeds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.model_servers import MODEL, hfl_server, llama_server
from bench.recording_proxy import RecordingProxy, recording
from bench.sent import checked

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "data" / "sample"
QUESTIONS = ("q002", "q008", "q019", "q029", "q040", "q047", "q053", "q062", "q074", "q086")
"""Of data/sample/golden.jsonl, one of each kind and two facts; the last has no answer in the files."""
MODELS = ("smollm2-openai", "smollm2-ollama")
TEMPERATURES = (0.0, 0.3, 0.8)
REPEATS = 3
PASSAGES = 6
MAX_TOKENS = 160
KEPT = ("report.html", "report.json", "requests.json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit 0 if all was asked as it should be."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare_models", description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", type=Path, default=Path(".venv-models"), help="the servers' environment: %(default)s")
    parser.add_argument("--out", type=Path, default=Path("docs/examples/compare"), help="default: %(default)s")
    parser.add_argument("--limit", type=int, default=len(QUESTIONS), metavar="N", help="only the first N questions")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        openai = stack.enter_context(recording(stack.enter_context(llama_server(options.dir))))
        ollama = stack.enter_context(recording(stack.enter_context(hfl_server(options.dir))))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="compare-models-")))
        _workspace(folder, openai.url, ollama.url, options.limit)
        _wherein("ingest", "--workspace", str(folder))
        found = _compared(folder, options.out, [openai, ollama], options.limit)
        found["same_seed"] = _again(folder, options.out)
    (options.out / "requests.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    _keep_reports(options.out)
    print(json.dumps(found, ensure_ascii=False, indent=1))
    return 0 if found["identical_messages"] else 1


def _workspace(folder: Path, openai_url: str, ollama_url: str, limit: int) -> None:
    """Settings, and the questions as JSON lines."""
    settings = [
        f"[collections.sample]\npath = {json.dumps(str(SAMPLE))}\ninclude = ['**/*.md', '**/*.txt']\n",
        f"[retrieval]\nk = {PASSAGES}\n[synthesis]\nmodel = '{MODELS[0]}'\nmax_tokens = {MAX_TOKENS}\n",
    ]
    for name, provider, url in zip(MODELS, ("openai-compatible", "ollama"), (openai_url, ollama_url), strict=True):
        settings.append(f"[models.{name}]\nprovider = '{provider}'\nbase_url = '{url}'\nmodel = '{MODEL}'\n")
    (folder / "wherein.toml").write_text("".join(settings), encoding="utf-8")
    rows = map(json.loads, (SAMPLE / "golden.jsonl").read_text(encoding="utf-8").splitlines())
    by_id = {row["id"]: row["question"] for row in rows}
    asked = "".join(f"{by_id[name]}\n" for name in QUESTIONS[:limit])
    (folder / "questions.txt").write_text(asked, encoding="utf-8")


def _compared(folder: Path, out: Path, proxies: Sequence[RecordingProxy], questions: int) -> dict[str, Any]:
    """Seconds of the run, and what the proxies saw of it."""
    started = time.monotonic()
    temperatures = [part for value in TEMPERATURES for part in ("--temperature", str(value))]
    _compare(folder, out, *temperatures, "--repeat", str(REPEATS))
    seconds = round(time.monotonic() - started, 1)
    bodies = [body for proxy in proxies for body in proxy.bodies]
    return {"wall_seconds": seconds, **checked(bodies, questions, len(MODELS) * len(TEMPERATURES) * REPEATS)}


def _again(folder: Path, out: Path) -> dict[str, Any]:
    """How many answers come back word by word when the same seed is sent again, at the highest temperature."""
    highest = max(TEMPERATURES)
    _compare(folder, folder / "again", "--temperature", str(highest))
    first, second = _first_repeats(out, highest), _first_repeats(folder / "again", highest)
    equal = {model: sum(first[key] == second[key] for key in second if key[0] == model) for model in MODELS}
    return {"temperature": highest, "questions": len(second) // len(MODELS), "equal_text": equal}


def _first_repeats(folder: Path, temperature: float) -> dict[tuple[str, str], str]:
    """Texts by model and question."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    asked = report.get("questions") or [report]
    return {
        (answer["model"], one["question"]): " ".join(answer["answer"].split())
        for one in asked
        for answer in one["answers"]
        if (answer["temperature"], answer["repeat"]) == (temperature, 1)
    }


def _compare(folder: Path, out: Path, *flags: str) -> None:
    models = [part for name in MODELS for part in ("--model", name)]
    asked = ("--questions", str(folder / "questions.txt"))
    _wherein("compare", *asked, *models, *flags, "--workspace", str(folder), "--out", str(out))


def _wherein(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "wherein", *arguments], check=True, stdout=subprocess.DEVNULL)


def _keep_reports(out: Path) -> None:
    """The text of each answer stands in the reports as well."""
    for file in sorted(out.glob("results_*.txt")):
        if file.name not in KEPT:
            file.unlink()


if __name__ == "__main__":
    sys.exit(main())
