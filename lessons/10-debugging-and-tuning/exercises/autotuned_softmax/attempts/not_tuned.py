import triton
import triton.language as tl

@triton.jit
def softmax_kernel(x_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        at = x_ptr + row * columns + column
        x = tl.load(at, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(at, e / tl.sum(e, axis=0), mask=mask)


def softmax_(x):  # expect: autotune-invalid-config
    rows, columns = x.shape
    softmax_kernel[(min(rows, 1024),)](x, rows, columns, BLOCK=triton.next_power_of_2(columns))
    return x
