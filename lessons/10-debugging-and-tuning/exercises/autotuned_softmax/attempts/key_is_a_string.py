import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 256, 1024, 4096) for warps in (1, 4, 8)]


def just_holds_a_row(configs, named_args, **kwargs):
    columns = named_args["columns"]
    sizes = [config.kwargs["BLOCK"] for config in configs]
    least = min(size for size in sizes if size >= columns)
    return [config for config in configs if config.kwargs["BLOCK"] == least]


@triton.autotune(  # expect: autotune-key
    configs=CONFIGS,
    key="columns",
    prune_configs_by={"early_config_prune": just_holds_a_row},
    restore_value=["x_ptr"],
)
@triton.jit
def softmax_kernel(x_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        at = x_ptr + row * columns + column
        x = tl.load(at, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(at, e / tl.sum(e, axis=0), mask=mask)


def softmax_(x):
    rows, columns = x.shape
    softmax_kernel[(min(rows, 1024),)](x, rows, columns)
    return x
