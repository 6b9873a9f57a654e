"""The application as ``textual serve`` runs it for a browser: packets over pipes instead of a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

WEB = {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver", "COLUMNS": "100", "ROWS": "30"}


def packet(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


def shown_until(out: IO[bytes], words: bytes) -> bool:
    """Read packets until one draws ``words``; False where the stream ends before."""
    seen = b""
    while kind := out.read(1):
        payload = out.read(int.from_bytes(out.read(4), "big"))
        seen += payload if kind == b"D" else b""
        if words in seen:
            return True
    return False


def test_it_opens_in_a_browser_and_leaves_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tritontui", "--lang", "en", "--device", "cpu"]
    environ = {**os.environ, **WEB, "TRITONTUI_HOME": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"__GANGLION__\n"
        assert shown_until(process.stdout, b"Welcome to tritontui")
        process.stdin.write(packet(b"M", json.dumps({"type": "quit"}).encode()))
        process.stdin.flush()
        process.stdout.read()
        assert process.wait(timeout=30) == 0
