"""The host wrapper of an addition: which arguments it takes, which it refuses, and what it gives back."""

import torch

from tritontui.runner.host_code import wrappers
from tritontui.runner.host_code.trials import described, happened
from tritontui.runner.spec import Case, Exercise, Tolerance, Trial, Words, Wrong

NAMES = ("x", "y", "out")


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    dtype = case.get("dtype", torch.float32)
    return [torch.randn(case["shape"], generator=generator).to(dtype) for _ in range(2)]


# ---------------------------------------------------------------- what must be refused


def drawn(examiner, *shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(5)
    return torch.randn(shape, generator=generator).to(dtype).to(examiner.device)


def call_of(arguments):
    return wrappers.call_of("add_wrapper", NAMES, arguments)


def out_on_x(examiner):
    memory = drawn(examiner, 1001)
    return memory[:-1], drawn(examiner, 1000), memory[1:]


def out_on_y(examiner):
    memory = drawn(examiner, 1001)
    return drawn(examiner, 1000), memory[1:], memory[:-1]


def out_on_the_end_of_x(examiner):
    memory = drawn(examiner, 1999)
    return memory[:1000], drawn(examiner, 1000), memory[999:]


def out_on_the_beginning_of_x(examiner):
    memory = drawn(examiner, 1999)
    return memory[999:], drawn(examiner, 1000), memory[:1000]


def out_in_y(examiner):
    memory = drawn(examiner, 1001)
    return drawn(examiner, 1000), memory[:-1], memory[1:]


def out_is_x_and_on_y(examiner):
    memory = drawn(examiner, 1001)
    return memory[:-1], memory[1:], memory[:-1]


UNREACHABLE = Words(
    "a kernel on the GPU can't follow an address in the CPU's memory",
    "un kernel sulla GPU non può seguire un indirizzo nella memoria della CPU",
)

OUT_OF_LINE = Words(
    "the kernel takes one element behind the other, and here they don't lie so",
    "il kernel prende un elemento dietro l'altro, e qui non stanno così",
)
OVERWRITTEN = Words(
    "a program may load an element after another program has overwritten it",
    "un programma può caricare un elemento che un altro ha già sovrascritto",
)

REFUSED = [
    (
        Words("shapes (5,) and (7,)", "forme (5,) e (7,)"),
        lambda e: (drawn(e, 5), drawn(e, 7)),
        Words("two elements of `y` would be left out in silence", "due elementi di `y` resterebbero fuori in silenzio"),
    ),
    (
        Words("shapes (4, 1) and (1, 4)", "forme (4, 1) e (1, 4)"),
        lambda e: (drawn(e, 4, 1), drawn(e, 1, 4)),
        Words("PyTorch makes 16 sums of this, and the kernel 4", "PyTorch ne fa 16 somme, e il kernel 4"),
    ),
    (
        Words("float32 and float16", "float32 e float16"),
        lambda e: (drawn(e, 5), drawn(e, 5, dtype=torch.float16)),
        Words("the dtype of the sum would depend on who comes first", "il dtype della somma dipenderebbe dall'ordine"),
    ),
    (
        Words("float32 and int32", "float32 e int32"),
        lambda e: (drawn(e, 5), drawn(e, 5, dtype=torch.int32)),
        Words("as many bytes, but they don't mean the same", "i byte sono altrettanti, ma vogliono dire altro"),
    ),
    (
        Words("shapes (0,) and (5,)", "forme (0,) e (5,)"),
        lambda e: (drawn(e, 0), drawn(e, 5)),
        Words("five elements of `y` would be left out in silence", "cinque elementi di `y` resterebbero fuori"),
    ),
    (
        Words("x is a list", "x è una lista"),
        lambda e: ([1.0, 2.0, 3.0], drawn(e, 3)),
        Words("a list has no address to load from", "una lista non ha un indirizzo da cui caricare"),
    ),
    (
        Words("y is a number", "y è un numero"),
        lambda e: (drawn(e, 5), 3.0),
        Words("a number has no address to load from", "un numero non ha un indirizzo da cui caricare"),
    ),
    (
        Words("y on the CPU", "y sulla CPU"),
        lambda e: (drawn(e, 5), e.on_host(drawn(e, 5))),
        UNREACHABLE,
    ),
    (
        Words("x and y on the CPU", "x e y sulla CPU"),
        lambda e: (e.on_host(drawn(e, 5)), e.on_host(drawn(e, 5))),
        UNREACHABLE,
    ),
    (
        Words("x is every second element", "x è un elemento sì e uno no"),
        lambda e: (drawn(e, 10)[::2], drawn(e, 5)),
        OUT_OF_LINE,
    ),
    (
        Words("y is transposed", "y è trasposto"),
        lambda e: (drawn(e, 4, 3), drawn(e, 3, 4).t()),
        OUT_OF_LINE,
    ),
    (
        Words("out is too short", "out è troppo corto"),
        lambda e: (drawn(e, 7), drawn(e, 7), drawn(e, 5)),
        Words("two sums have no place in `out`", "due somme non hanno posto in `out`"),
    ),
    (
        Words("out is too long", "out è troppo lungo"),
        lambda e: (drawn(e, 5), drawn(e, 5), drawn(e, 7)),
        Words("two elements of `out` would be no sums", "due elementi di `out` non sarebbero somme"),
    ),
    (
        Words("out is a number", "out è un numero"),
        lambda e: (drawn(e, 5), drawn(e, 5), 0.0),
        Words("a number has no place for the sums", "in un numero non c'è posto per le somme"),
    ),
    (
        Words("out is float16", "out è float16"),
        lambda e: (drawn(e, 5), drawn(e, 5), drawn(e, 5, dtype=torch.float16)),
        Words("the sums would be rounded in silence", "le somme verrebbero arrotondate in silenzio"),
    ),
    (
        Words("out on the CPU", "out sulla CPU"),
        lambda e: (drawn(e, 5), drawn(e, 5), e.on_host(drawn(e, 5))),
        UNREACHABLE,
    ),
    (
        Words("out is one element, expanded", "out è un elemento solo, espanso"),
        lambda e: (drawn(e, 5), drawn(e, 5), drawn(e, 1).expand(5)),
        Words("all five sums would want the one element there is", "cinque somme vorrebbero l'unico elemento che c'è"),
    ),
    (
        Words("out is x, shifted by one", "out è x, spostato di uno"),
        out_on_x,
        OVERWRITTEN,
    ),
    (
        Words("out is y, shifted by one", "out è y, spostato di uno"),
        out_on_y,
        OVERWRITTEN,
    ),
    (
        Words("out begins on the second element of y", "out comincia sul secondo elemento di y"),
        out_in_y,
        OVERWRITTEN,
    ),
    (
        Words("out is x, and y is x shifted by one", "out è proprio x, e y è x spostato di uno"),
        out_is_x_and_on_y,
        OVERWRITTEN,
    ),
    (
        Words("out begins on the last element of x", "out comincia sull'ultimo elemento di x"),
        out_on_the_end_of_x,
        OVERWRITTEN,
    ),
    (
        Words("out ends on the first element of x", "out finisce sul primo elemento di x"),
        out_on_the_beginning_of_x,
        OVERWRITTEN,
    ),
]

# ---------------------------------------------------------------- what must be taken


def accepted(make, why):
    """``make(examiner)`` gives ``x``, ``y`` and ``out`` that the contract allows, and ``why``."""

    def run(examiner):
        x, y, out = make(examiner)
        expected = x + y
        answer = examiner.call(x, y, out)
        called = call_of((x, y, out))
        if answer.error is not None:
            if not answer.own_error:
                return answer.error
            return Wrong(
                Words(
                    f"{called} was refused with `{happened(answer)}`. The contract allows it: {why.en}.",
                    f"{called} è stata rifiutata con `{happened(answer)}`. Il contratto la permette: {why.it}.",
                ),
                line=answer.line,
            )
        result = answer.result
        if not isinstance(result, torch.Tensor) or result.data_ptr() != out.data_ptr() or result.shape != out.shape:
            return Wrong(
                Words(
                    f"{called} returned {described(result)}, which isn't the `out` that was passed. A caller who gives "
                    "`out` wants the sum there.",
                    f"{called} ha restituito {described(result)}, che non è l'`out` passato. Chi dà `out` vuole la "
                    "somma lì.",
                ),
                line=answer.line,
            )
        if not torch.equal(out, expected):
            return Wrong(
                Words(
                    f"After {called}, `out` doesn't hold the sum of `x` and `y` as they were before the call.",
                    f"Dopo {called}, `out` non contiene la somma di `x` e `y` com'erano prima della chiamata.",
                ),
                line=answer.line,
            )
        return None

    return run


def in_place(examiner):
    x = drawn(examiner, 1000)
    return x, drawn(examiner, 1000), x


def in_place_of_y(examiner):
    y = drawn(examiner, 1000)
    return drawn(examiner, 1000), y, y


def added_to_itself(examiner):
    x = drawn(examiner, 1000)
    return x, x, torch.zeros(1000, device=examiner.device)


def two_halves(examiner):
    memory = drawn(examiner, 2000)
    return memory[:1000], drawn(examiner, 1000), memory[1000:]


def two_halves_exchanged(examiner):
    memory = drawn(examiner, 2000)
    return memory[1000:], drawn(examiner, 1000), memory[:1000]


def nothing(examiner):
    return drawn(examiner, 0, 3), drawn(examiner, 0, 3), drawn(examiner, 0, 3)


OWN_ELEMENTS = Words(
    "each program reads its own elements before it writes them, and no other program touches them",
    "ogni programma legge i propri elementi prima di scriverli, e nessun altro programma li tocca",
)

ACCEPTED = [
    (
        Words("out of its own", "out a parte"),
        lambda e: (drawn(e, 1000), drawn(e, 1000), torch.zeros(1000, device=e.device)),
        Words("`out` agrees with `x` in everything", "`out` va d'accordo con `x` in tutto"),
    ),
    (
        Words("out is x itself", "out è proprio x"),
        in_place,
        OWN_ELEMENTS,
    ),
    (
        Words("out is y itself", "out è proprio y"),
        in_place_of_y,
        OWN_ELEMENTS,
    ),
    (
        Words("x and y are one tensor", "x e y sono lo stesso tensore"),
        added_to_itself,
        Words("both are only read", "tutti e due si leggono soltanto"),
    ),
    (
        Words("x and out: two halves of one tensor", "x e out: due metà di un tensore"),
        two_halves,
        Words(
            "they share a storage, but not one element",
            "hanno in comune l'area di memoria, ma nemmeno un elemento",
        ),
    ),
    (
        Words("x and out: the halves exchanged", "x e out: le metà scambiate"),
        two_halves_exchanged,
        Words(
            "they share a storage, but not one element",
            "hanno in comune l'area di memoria, ma nemmeno un elemento",
        ),
    ),
    (
        Words("shape (0, 3), with out", "forma (0, 3), con out"),
        nothing,
        Words("there is nothing to do, and that is no mistake", "non c'è niente da fare, e non è un errore"),
    ),
]

EXACT_SUM = "one addition, rounded once to the nearest number of this dtype"
EXACT_SUM_IT = "una sola somma, arrotondata una volta al numero più vicino di questo dtype"

EXERCISE = Exercise(
    entry="add_wrapper",
    kernel="add_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, y: x + y,
    cases=[
        *(Case(f"n = {n}", {"shape": (n,)}) for n in (0, 1, 257, 1000)),
        Case("(3, 5)", {"shape": (3, 5)}),
        Case("n = 1000, float16", {"shape": (1000,), "dtype": torch.float16}),
    ],
    trials=[
        *(Trial(name, wrappers.refusal(NAMES, make, why)) for name, make, why in REFUSED),
        *(Trial(name, accepted(make, why)) for name, make, why in ACCEPTED),
    ],
    trace_case=Case("n = 1000", {"shape": (1000,)}, seeds=(0,)),
    tolerances={
        torch.float32: Tolerance(2.0**-24, 1e-12, EXACT_SUM, EXACT_SUM_IT),
        torch.float16: Tolerance(2.0**-11, 2.0**-25, EXACT_SUM, EXACT_SUM_IT),
    },
)
