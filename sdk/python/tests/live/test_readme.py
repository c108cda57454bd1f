"""Every example of the README, as it is printed there."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from live.control import reviewer
from test_webhooks import BODY, SECRET, sign

if TYPE_CHECKING:
    from countersign import Countersign

README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE))

EXPECTED = {
    "Review one answer": r"Refund 24\.9 for BM-20418",
    "Let people approve a tool call": r"Run it with \{'order': 'BM-20418', 'amount': 24\.9\}",
    "Submit now, use the decision later": r"[0-9a-f-]{36} queued None\napprove Yes, within 60 days of delivery\.",
    "Submit many": r"0 [0-9a-f-]{36} queued\n1 [0-9a-f-]{36} queued\n2 [0-9a-f-]{36} queued\n",
    "Follow what is decided": r"item\.decided [0-9a-f-]{36} approved",
    "Without blocking": r"([0-9a-f-]{36} approved\n){3}",
    "What can go wrong": r"\[\('#/confidence', '.+'\)\]",
}


def test_every_example_is_run() -> None:
    assert len(re.findall("^```python", README, re.MULTILINE)) == len(EXAMPLES)
    assert set(EXAMPLES) == {*EXPECTED, "Receive webhooks"}


@pytest.mark.parametrize("title", EXPECTED)
def test_an_example_does_what_it_says(title: str, api: Countersign, tmp_path: Path) -> None:
    with reviewer(api):
        program = [sys.executable, "-c", EXAMPLES[title]]
        done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(EXPECTED[title], done.stdout), done.stdout


def test_the_receiver_takes_genuine_webhooks_alone(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {**os.environ, "PORT": port, "COUNTERSIGN_WEBHOOK_SECRET": SECRET}
    program = [sys.executable, "-c", EXAMPLES["Receive webhooks"]]
    with subprocess.Popen(program, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            # Connections are repeated until the program listens.
            with httpx.Client(transport=httpx.HTTPTransport(retries=12)) as client:
                url = f"http://127.0.0.1:{port}"
                genuine = client.post(url, content=BODY, headers=sign(timestamp=int(time.time())))
                forged = client.post(url, content=BODY + b" ", headers=sign(timestamp=int(time.time())))
            assert (genuine.status_code, forged.status_code) == (204, 400)
        finally:
            process.terminate()
