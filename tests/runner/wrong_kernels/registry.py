"""How a wrong kernel is registered, and what its launches are made of."""

import torch

LAUNCHES = []

EXCUSED = {
    "dot_accumulator_shape": lambda version: version < (3, 6),
    "dot_too_small": lambda version: version >= (3, 9),
    "dot_accumulator_dtype": lambda version: version >= (3, 9),
    "block_pointer": lambda version: version < (3, 9),
    "advance_of_pointer": lambda version: version < (3, 9),
    "too_many_indices": lambda version: version < (3, 9),
    "chained_comparison": lambda version: version >= (3, 9),
    "while_on_block": lambda version: version < (3, 6),  # 3.4 ends the whole process
    "ternary_on_block": lambda version: version < (3, 6),  # likewise
}


def launch(make_arguments, **options):
    """Register a kernel with what makes its arguments, in the order of its parameters, and with its constants."""

    def register(kernel):
        LAUNCHES.append((kernel, make_arguments, options))
        return kernel

    return register


def floats(n=64):
    return torch.empty(n)


def halves(n=4096):
    return torch.empty(n, dtype=torch.float16)


def ints(n=64):
    return torch.empty(n, dtype=torch.int32)
