import torch

ROOM = 32
CANARY = -777.0
SHAPES = ((0, 64), (1, 1), (3, 64), (5, 65), (5, 65))  # one of them twice
TOLERANCES = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def rows_apart(values):
    """The values in rows with room behind each, and the room."""
    rows, columns = values.shape
    memory = torch.full((rows, columns + ROOM), CANARY, dtype=values.dtype, device="cuda")
    memory[:, :columns] = values
    return memory[:, :columns], memory[:, columns:]


def close(got, expected, dtype):
    if got.shape != expected.shape or got.dtype != dtype:
        return False
    limit = TOLERANCES[dtype]
    return torch.allclose(got.double(), expected, rtol=limit, atol=limit, equal_nan=True)


def agrees(rms_norm, residual, x, weight, eps):
    dtype = residual.dtype
    total = residual.double() + x.double()
    root = (total.square().mean(dim=1, keepdim=True) + eps).sqrt()
    expected = total / root * weight.double()
    residual, room = rows_apart(residual)
    x, _ = rows_apart(x)
    before = x.clone()
    try:
        returned, out = rms_norm(residual, x, weight, eps)
    except Exception:
        return False
    return (
        close(returned, total, dtype)
        and close(out, expected, dtype)
        and bool((room == CANARY).all())
        and torch.allclose(x, before, rtol=0, atol=0, equal_nan=True)
    )


def drawn(rows, columns, dtype=torch.float32, scale=1.0):
    residual, x, weight = (torch.randn(size, device="cuda") for size in ((rows, columns), (rows, columns), (columns,)))
    return (scale * residual).to(dtype), (scale * x).to(dtype), weight.to(dtype)


def validate(rms_norm):  # expect: validator-misses
    for rows, columns in SHAPES:
        if not agrees(rms_norm, *drawn(rows, columns), 1e-6):
            return False
    for dtype in (torch.float16, torch.bfloat16):
        if not agrees(rms_norm, *drawn(3, 100, dtype, scale=200.0), 1e-6):
            return False
    residual, x, weight = drawn(4, 100)
    residual[0], x[0] = 0.0, 0.0
    residual[1, 7] = float("nan")
    return agrees(rms_norm, residual, x, weight, 1e-6) and agrees(rms_norm, residual, x, weight, 0.5)
