"""What a learner reads of slips that beginners really make, word for word, in both languages.

``said.toml`` beside this file holds the words. After a change to the texts, look at what
``python -m tests.runner.test_slips_said`` writes there before it is committed.
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.runner.judging import SPECIFICATION, Run
from tests.runner.test_rejected import LAUNCH, TEMPLATE, VERSION
from tritontui.diagnosis import explain, rank
from tritontui.diagnosis.finding import Finding
from tritontui.runner.explaining import repair
from tritontui.runner.process.unattended import unattended
from tritontui.runner.session import Session
from tritontui.toml import load_toml

SAID = Path(__file__).with_name("said.toml")

IN_KERNEL = {
    "max of two blocks": "    y = tl.max(y, x)",
    "max of a block and a number": "    y = tl.max(y, 0.0)",
    "max of a number and a block": "    y = tl.max(0, y)",
    "min of a block and a number": "    y = tl.min(y, 1000.0)",
    "sum of two blocks": "    y = tl.sum(x, x)",
    "sum of a list": "    y = tl.sum([x, x])",
    "Python's max of one block": "    y = max(y)",
    "Python's sum": "    y = sum(y)",
    "Python's abs": "    y = abs(y) * 1.0 * y / y",
    "Python's float": "    y = float(y)",
    "math.exp": "    y = math.exp(y)",
    "np.exp": "    y = np.exp(y)",
    "torch.exp": "    y = torch.exp(y)",
    "f-string": '    print(f"{y}")',
    "shape of a pointer": "    z = x_ptr.shape[0]",
    "item": "    z = y.item()",
    "len": "    z = len(x)",
    "comprehension": "    z = [i for i in range(4)]",
    "append": "    z = []\n    z.append(x)",
    "arange without tl": "    z = arange(0, 64)",
    "cdiv without tl": "    z = cdiv(n, BLOCK)",
    "a dtype as text": '    y = y.to("float32")',
    "astype": "    y = y.astype(tl.float32)",
    "relu": "    y = tl.relu(y)",
    "while True": "    while True:\n        y += 1.0",
    "arange of one number": "    z = tl.arange(64)",
    "zeros without a dtype": "    z = tl.zeros((64,))",
    "zeros of a number": "    z = tl.zeros(64, tl.float32)",
    "store without a value": "    tl.store(out_ptr + offs, mask=mask)",
    "threads of CUDA": "    z = blockIdx.x * blockDim.x + threadIdx.x",
    "infinity by its name": "    y = y + inf",
    "a loop over a block": "    for i in offs:\n        y += 1.0",
    "print of a block": "    print(y)",
    "offsets beside the pointer": "    z = tl.load(x_ptr, offs, mask=mask)",
    "offsets where the value stands": "    tl.store(out_ptr, offs, y, mask=mask)",
    "product of matrices": "    y = y @ y",
    "unsqueeze": "    z = y.unsqueeze(1)",
    "a size left open": "    z = tl.reshape(y, (-1, 1))",
    "one element of two axes": "    z = y[:, 0]",
    "a number as a mask": "    mask = n\n    z = tl.load(x_ptr + offs, mask=mask)",
    "a loop that nothing ends": "    while n > 0:\n        y += 0.0",
    "a number beyond float32": "    y = y * 1e38 * 1e3",
    "a choice by a block": "    y = x if offs < n else 0.0",
    "a choice of two types": "    y = y + tl.sum(x) * 0 if n > 2 else 1",
    "input": '    z = input("z? ")',
    "a breakpoint": "    breakpoint()",
    "a breakpoint of pdb": "    pdb.set_trace()",
    "mask twice": "    z = tl.load(x_ptr + offs, mask=mask, mask=mask)",
}
IN_HOST = {
    "cdiv the wrong way round": "double_kernel[(triton.cdiv(64, n),)](x, out, n, BLOCK=64)",
    "a program for each element": "double_kernel[(n,)](x, out, n, BLOCK=64)",
    "grid without a comma": "double_kernel[(triton.cdiv(n, 64))](x, out, n, BLOCK=64)",
    "grid divided with /": "double_kernel[(n / 64,)](x, out, n, BLOCK=64)",
    "grid asks for another name": 'double_kernel[lambda meta: (triton.cdiv(n, meta["BLOK"]),)](x, out, n, BLOCK=64)',
    "grid without a parameter": "double_kernel[lambda: (triton.cdiv(n, 64),)](x, out, n, BLOCK=64)",
    "no grid": "double_kernel(x, out, n, BLOCK=64)",
    "run": "double_kernel.run(x, out, n, BLOCK=64)",
    "data_ptr": "double_kernel[(triton.cdiv(n, 64),)](x.data_ptr(), out, n, BLOCK=64)",
    "an array of NumPy": "double_kernel[(triton.cdiv(n, 64),)](x.numpy(), out, n, BLOCK=64)",
    "no constant": "double_kernel[(triton.cdiv(n, 64),)](x, out, n)",
    "arguments exchanged": "double_kernel[(triton.cdiv(n, 64),)](x, n, out, BLOCK=64)",
    "a launch's result": "out = double_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)",
    "a shape as a number": "double_kernel[(triton.cdiv(x.shape, 64),)](x, out, n, BLOCK=64)",
    "numel without parentheses": "double_kernel[(triton.cdiv(x.numel, 64),)](x, out, n, BLOCK=64)",
    "an attribute that no tensor has": "double_kernel[(triton.cdiv(x.length, 64),)](x, out, n, BLOCK=64)",
    "an axis that isn't there": "double_kernel[(triton.cdiv(x.shape[1], 64),)](x, out, n, BLOCK=64)",
    "more names than axes": "rows, columns = x.shape",
    "math that isn't imported": "double_kernel[(math.ceil(n / 64),)](x, out, n, BLOCK=64)",
    "a launch of CUDA": "double_kernel<<<n, 64>>>(x, out, n)",
    "a launch returned": "return double_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)",
    "cdiv without triton": "double_kernel[(cdiv(n, 64),)](x, out, n, BLOCK=64)",
    "input on the host": "n = int(input())",
    "a breakpoint on the host": "breakpoint()",
    "a breakpoint of pdb on the host": "__import__('pdb').set_trace()",
    "a file at its end": "__import__('pickle').loads(b'')",
}
RIGHT = TEMPLATE.replace("BODY\n", "").replace("LAUNCH", LAUNCH)
REPLACED = {
    "no @triton.jit": ("@triton.jit\n", ""),
    "@triton.jit on the host function": ("def double(x)", "@triton.jit\ndef double(x)"),
    "@tl.jit": ("@triton.jit\n", "@tl.jit\n"),
    "@triton.autotune without arguments": ("@triton.jit\n", "@triton.autotune\n@triton.jit\n"),
    "@triton.autotune without a key": ("@triton.jit\n", "@triton.autotune(configs=[])\n@triton.jit\n"),
    "@triton.autotune below @triton.jit": ("@triton.jit\n", "@triton.jit\n@triton.autotune(configs=[], key=[])\n"),
    "a constant that is tuned and passed": (
        "@triton.jit\n",
        '@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])\n@triton.jit\n',
    ),
    "tl not imported": ("import triton.language as tl\n", ""),
    "tl of triton": ("import triton.language as tl", "from triton import tl"),
    "a module that isn't there": ("import triton.language as tl", "import triton.lang as tl"),
    "another decorator": ("@triton.jit\n", "@triton.kernel\n"),
    "no constexpr": ("BLOCK: tl.constexpr", "BLOCK"),
    "a range from the block's start": (
        "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "tl.arange(tl.program_id(0) * BLOCK, (tl.program_id(0) + 1) * BLOCK)",
    ),
    "a range with a step": ("tl.arange(0, BLOCK)", "tl.arange(0, BLOCK, 1)"),
    "the mask where the value stands": ("offs, y, mask=mask)", "offs, mask, y)"),
    "a condition stored": ("offs, y, mask=mask)", "offs, mask, mask=mask)"),
    "mask only at the load": ("y, mask=mask)", "y)"),
    "mask only at the store": ("x_ptr + offs, mask=mask)", "x_ptr + offs)"),
    "another kernel than the task's": ("double_kernel", "twice_kernel"),
    "grid asks for an axis that isn't there": ("tl.program_id(0)", "tl.program_id(1)"),
}


def sources() -> dict[str, str]:
    imports = "import math\nimport pdb\nimport numpy as np\n"
    found = {name: imports + TEMPLATE.replace("BODY", body) for name, body in IN_KERNEL.items()}
    found = {name: source.replace("LAUNCH", LAUNCH) for name, source in found.items()}
    found |= {name: TEMPLATE.replace("BODY\n", "").replace("LAUNCH", launch) for name, launch in IN_HOST.items()}
    found |= {name: RIGHT.replace(old, new) for name, (old, new) in REPLACED.items()}
    found["no kernel at all"] = "import torch\n\n\ndef double(x):\n    return 2 * x\n"
    found["a size as a constant"] = RIGHT.replace(" n, BLOCK: tl", " n: tl.constexpr, BLOCK: tl")
    return found


def first(session: Session, folder: Path, source: str) -> Finding:
    """As in the child, where nobody answers."""
    with unattended(), patch("sys.stdin", io.StringIO()):
        return rank(Run(session, folder, source, stages=["trace", "legality", "cases"]).findings)[0]


def as_read(source: str, finding: Finding) -> dict[str, str]:
    """Id, blamed line, and all words."""
    line = source.splitlines()[finding.line - 1].strip() if finding.line else ""
    words = {"id": finding.id, "line": line}
    for language in ("en", "it"):
        said = explain(finding, language)  # type: ignore[arg-type]
        words[language] = f"{said.title}\n{said.message}\n→ {said.fix}"
    return words


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(device="cpu", target="sm_90")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("double")
    (made / "exercise.py").write_text(SPECIFICATION)
    return made


@pytest.mark.parametrize("name", sources())
def test_a_slip_is_said_as_it_should_be(
    session: Session, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "SECONDS", 0.0)
    source, wanted = sources()[name], load_toml(SAID)[name]
    read = as_read(source, first(session, folder, source))
    assert (read["id"], read["line"]) == (wanted["id"], wanted["line"])
    if VERSION >= (3, 9):  # what an older Triton says may leave out a name or a number
        assert read == wanted


def test_every_slip_is_written_down() -> None:
    assert set(load_toml(SAID)) == set(sources())


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "exercise.py").write_text(SPECIFICATION)
        session = Session(device="cpu", target="sm_90")
        repair.SECONDS = 0.0
        with SAID.open("w", encoding="utf-8") as file:
            for name, source in sources().items():
                read = as_read(source, first(session, Path(made), source))
                lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in read.items()]
                file.write("\n".join([f"[{json.dumps(name)}]", *lines]) + "\n\n")


if __name__ == "__main__":
    main()
