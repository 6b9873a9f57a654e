"""Residual and RMSNorm in one pass: the kernel and its wrapper, from a blank file."""

import torch

from tritontui.runner.host_code.wrappers import refusal
from tritontui.runner.spec import Case, Exercise, Sweep, Tolerance, Trial, Words, seen_as

ROWS_APART = {"residual_view": "sliced", "x_view": "sliced"}


def inputs(case, generator):
    rows, columns = case["rows"], case["columns"]
    dtype, scale = case.get("dtype", torch.float32), case.get("scale", 1.0)
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        residual = torch.randn(rows, columns, dtype=dtype, device=device)
        x = torch.zeros_like(residual)  # called over and over: so residual stays what it is
        return [residual, x, torch.ones(columns, dtype=dtype, device=device)]
    residual, x = (scale * torch.randn(rows, columns, generator=generator) for _ in range(2))
    if case.get("zeros"):
        residual[0], x[0] = 0.0, 0.0
    weight = 1 + 0.5 * torch.randn(columns, generator=generator)
    seen = (
        seen_as(case.get(f"{name}_view", "contiguous"), tensor.to(dtype))
        for name, tensor in (("residual", residual), ("x", x))
    )
    eps = [case["eps"]] if case.get("eps") else []
    return [*seen, weight.to(dtype), *eps]


def reference(residual, x, weight, eps=1e-6):
    total = residual + x
    wide = total.to(torch.promote_types(total.dtype, torch.float32))
    out = wide * torch.rsqrt(wide.square().mean(dim=1, keepdim=True) + eps) * weight
    return total, out.to(residual.dtype)


def ideal_bytes(residual, x, weight, eps=1e-6):
    return 4 * residual.numel() * residual.element_size() + weight.nbytes


# ---------------------------------------------------------------- what must be refused


def drawn(examiner, *shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(5)
    return torch.randn(shape, generator=generator).to(dtype).to(examiner.device)


def arguments(e, **others):
    given = {"residual": drawn(e, 4, 10), "x": drawn(e, 4, 10), "weight": drawn(e, 10), **others}
    return tuple(given.values())


NOT_ADJACENT = Words(
    "the contract leaves room between rows, not between the columns of a row",
    "il contratto ammette spazio fra le righe, non fra le colonne di una riga",
)

REFUSED = [
    (
        Words("x has a row less", "x ha una riga in meno"),
        lambda e: arguments(e, x=drawn(e, 3, 10)),
        Words("the last row of `residual` has no partner", "l'ultima riga di `residual` non ha compagna"),
    ),
    (
        Words("x has as many elements in another shape", "x ha altrettanti elementi in un'altra forma"),
        lambda e: arguments(e, x=drawn(e, 2, 20)),
        Words("its rows aren't those of `residual`", "le sue righe non sono quelle di `residual`"),
    ),
    (
        Words("weight is too short", "weight è troppo corto"),
        lambda e: arguments(e, weight=drawn(e, 9)),
        Words("the last column has no weight", "l'ultima colonna non ha peso"),
    ),
    (
        Words("x is float16, residual float32", "x è float16, residual float32"),
        lambda e: arguments(e, x=drawn(e, 4, 10, dtype=torch.float16)),
        Words("all three have one dtype", "tutti e tre hanno lo stesso dtype"),
    ),
    (
        Words("all are float64", "sono tutti float64"),
        lambda e: tuple(tensor.double() for tensor in arguments(e)),
        Words("float64 is none of its dtypes", "float64 non è fra i suoi dtype"),
    ),
    (
        Words("x is transposed", "x è trasposto"),
        lambda e: arguments(e, x=drawn(e, 10, 4).t()),
        NOT_ADJACENT,
    ),
    (
        Words("residual is every second column", "residual è una colonna sì e una no"),
        lambda e: arguments(e, residual=drawn(e, 4, 20)[:, ::2]),
        NOT_ADJACENT,
    ),
    (
        Words("residual is one row, expanded", "residual è una riga sola, espansa"),
        lambda e: arguments(e, residual=drawn(e, 1, 10).expand(4, 10)),
        Words(
            "four programs would write the one row there is",
            "quattro programmi scriverebbero nell'unica riga che c'è",
        ),
    ),
    (
        Words("weight on the CPU", "weight sulla CPU"),
        lambda e: arguments(e, weight=e.on_host(drawn(e, 10))),
        Words(
            "a kernel on the GPU can't follow an address in the CPU's memory",
            "un kernel sulla GPU non può seguire un indirizzo nella memoria della CPU",
        ),
    ),
]

WHY = "the sum is rounded to the dtype, and so is the result; squares are summed in float32, in any order"
PERCHÉ = "la somma si arrotonda al dtype, e così il risultato; i quadrati si sommano in float32, in qualsiasi ordine"

EXERCISE = Exercise(
    entry="rms_norm",
    inputs=inputs,
    reference=reference,
    written=(0,),
    cases=[
        *(
            Case(f"{rows} × {columns}", {"rows": rows, "columns": columns})
            for rows, columns in ((0, 8), (1, 1), (3, 64), (5, 65), (4, 1000), (2, 4097))
        ),
        Case("5 × 100, float16", {"rows": 5, "columns": 100, "dtype": torch.float16}),
        Case("5 × 100, bfloat16", {"rows": 5, "columns": 100, "dtype": torch.bfloat16}),
        Case("3 × 1000, float16, x ≈ ±30", {"rows": 3, "columns": 1000, "dtype": torch.float16, "scale": 30.0}),
        Case("3 × 100, x[0] = 0", {"rows": 3, "columns": 100, "zeros": True}),
        Case("3 × 100, x ≈ ±10⁻³", {"rows": 3, "columns": 100, "scale": 1e-3}),
        Case("eps = 0.5", {"rows": 3, "columns": 100, "eps": 0.5}),
        Case("5 × 100, stride(0) > 100", {"rows": 5, "columns": 100, **ROWS_APART}),
        Case("5 × 100, x.stride(0) > 100", {"rows": 5, "columns": 100, "x_view": "sliced"}),
        Case("5 × 100, x.stride(0) = 0", {"rows": 5, "columns": 100, "x_view": "expanded"}),
    ],
    trials=[Trial(name, refusal(("residual", "x", "weight"), make, why)) for name, make, why in REFUSED],
    trace_case=Case("5 × 60, stride(0) > 60", {"rows": 5, "columns": 60, **ROWS_APART}, seeds=(0,)),
    measure_case=Case("16384 × 4096, bfloat16", {"rows": 16384, "columns": 4096, "dtype": torch.bfloat16}),
    sweep=Sweep(
        launch={"num_warps": (1, 2, 4, 8, 16, 32)},
        sizes={"columns": (128, 256, 512, 1024, 2048, 4096, 8192)},
    ),
    tolerances={
        torch.float32: Tolerance(1e-5, 1e-6, WHY, PERCHÉ),
        torch.float16: Tolerance(2.0**-9, 2.0**-11, WHY, PERCHÉ),
        torch.bfloat16: Tolerance(2.0**-6, 2.0**-8, WHY, PERCHÉ),
    },
    must_not=("masked-load-without-other",),  # 0 by accident on the cards of today
    ideal_bytes=ideal_bytes,
)
