"""A validator: ``validate_add(add)`` must tell wrong additions from right ones."""

from dataclasses import dataclass, field

import torch
import triton
import triton.language as tl

from tritontui.runner.host_code.trials import Examiner, described
from tritontui.runner.host_code.validators import Kind
from tritontui.runner.spec import Exercise, Words

BLOCK = 256

# ---------------------------------------------------------------- the additions


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, first, end, store_end, MODE: tl.constexpr, BLOCK: tl.constexpr):
    """Adds elements first … end − 1, and stores as far as store_end."""
    offs = first + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (offs >= 0) & (offs < end)
    x = tl.load(x_ptr + offs, mask=inside, other=0.0)
    y = tl.load(y_ptr + offs, mask=inside, other=0.0)
    total = x + y
    if MODE == "in float16":
        total = (x.to(tl.float16) + y.to(tl.float16)).to(tl.float32)
    if MODE == "off by 1e-3":
        total = total * 1.001
    if MODE == "no NaN":
        total = tl.where(total == total, total, 0.0)
    tl.store(out_ptr + offs, total, mask=offs < store_end)


@triton.jit
def add_in_turns(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Program p of P takes blocks p, p + P, p + 2P …"""
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        y = tl.load(y_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, x + y, mask=offs < n)


def launch(x, y, out, first=0, end=None, store_end=None, mode="exact"):
    end = x.numel() if end is None else end
    store_end = end if store_end is None else store_end
    if end > first:
        grid = (triton.cdiv(end - first, BLOCK),)
        add_kernel[grid](x, y, out, first, end, store_end, MODE=mode, BLOCK=BLOCK)
    return out


def in_turns(examiner, x, y, out):
    if x.numel():
        add_in_turns[(3,)](x, y, out, x.numel(), BLOCK=BLOCK)
    return out


def writes_nothing(examiner, x, y, out):
    """What nobody initialised may hold the right sums of a tensor that was freed: here it does."""
    stale = examiner.is_unwritten(out)
    out.copy_(torch.where(stale, x + y, out))
    return out


def past_the_end(examiner, x, y, out):
    """The last program stores its whole block, as far as the memory behind ``out`` goes."""
    n = x.numel()
    room = out.untyped_storage().nbytes() // out.element_size() - out.storage_offset()
    return launch(x, y, out, store_end=min(triton.cdiv(n, BLOCK) * BLOCK, room))


def before_the_beginning(examiner, x, y, out):
    """The first program begins one element too early, if there is memory in front of ``out``."""
    return launch(x, y, out, first=-min(1, out.storage_offset()))


def ends_exchanged(examiner, x, y, out):
    launch(x, y, out)
    if x.numel() > 1:
        first, last = out[0].clone(), out[-1].clone()
        out[0], out[-1] = last, first
    return out


def fails_on_nothing(examiner, x, y, out):
    block = min(BLOCK, triton.next_power_of_2(x.numel()))
    triton.cdiv(x.numel(), block)  # next_power_of_2(0) is 0
    return launch(x, y, out)


# ---------------------------------------------------------------- what the learner's validator gets


@dataclass
class Add:
    """One addition under trial; notes what it was called with."""

    examiner: Examiner
    work: object
    sizes: list = field(default_factory=list)
    was_unwritten: bool = False

    def __call__(self, x, y, out):
        for name, tensor in (("x", x), ("y", y), ("out", out)):
            if not isinstance(tensor, torch.Tensor) or tensor.dtype != torch.float32 or tensor.dim() != 1:
                raise TypeError(f"add: {name} should be a float32 vector, and is {described(tensor)}")
            if tensor.numel() != x.numel():
                raise ValueError(f"add: {name} has {tensor.numel()} elements, x has {x.numel()}")
            if not tensor.is_contiguous():
                raise ValueError(f"add: {name} isn't contiguous")
        self.sizes.append(x.numel())
        self.was_unwritten = self.was_unwritten or bool(self.examiner.is_unwritten(out).any())
        return self.work(self.examiner, x, y, out)

    def tried(self):
        if not self.sizes:
            return Words("You never called it.", "Non l'hai mai chiamata.")
        sizes = list(dict.fromkeys(self.sizes))
        shown = ", ".join(map(str, sizes[:8])) + (" …" if len(sizes) > 8 else "")
        return Words(f"You tried n = {shown}.", f"L'hai provata con n = {shown}.")

    def excuse(self):
        if not self.was_unwritten or self.work is not writes_nothing:
            return None
        return Words(
            "Yet `out` held the right sums: it came from `torch.empty`, and its memory still had what a freed tensor "
            "left there. It happens. Put something into `out` that no sum gives.",
            "Eppure `out` conteneva le somme giuste: veniva da `torch.empty`, e nella sua memoria c'era ancora quello "
            "che aveva lasciato un tensore liberato. Succede. Metti in `out` qualcosa che nessuna somma dà.",
        )


trial = Kind(
    Words(
        "This addition is right for every n, NaN included, and writes nowhere but in `out`.",
        "Questa somma è giusta per ogni n, NaN compresi, e non scrive altro che `out`.",
    ),
    Add,
).trial


EXERCISE = Exercise(
    entry="validate_add",
    trials_in_lockstep=True,
    trials=[
        trial(Words("right: block by block", "giusta: un blocco dopo l'altro"), lambda e, x, y, out: launch(x, y, out)),
        trial(Words("right: programs take turns", "giusta: i programmi a turno"), in_turns),
        trial(
            Words("writes nothing", "non scrive niente"),
            writes_nothing,
            Words("This addition does nothing at all.", "Questa somma non fa assolutamente niente."),
        ),
        trial(
            Words("wrong shape", "forma sbagliata"),
            lambda e, x, y, out: launch(x, y, out)[None, :],
            Words(
                "This addition returns its sums in the shape (1, n). `torch.allclose` broadcasts, and sees no "
                "difference.",
                "Questa somma restituisce la forma (1, n). `torch.allclose` fa il broadcast, e non vede differenze.",
            ),
        ),
        trial(
            Words("the last element is missing", "manca l'ultimo elemento"),
            lambda e, x, y, out: launch(x, y, out, end=x.numel() - 1),
            Words(
                "This addition leaves the last element of `out` as it was.",
                "Questa somma lascia l'ultimo elemento di `out` com'era.",
            ),
        ),
        trial(
            Words("the first element is missing", "manca il primo elemento"),
            lambda e, x, y, out: launch(x, y, out, first=1),
            Words(
                "This addition leaves the first element of `out` as it was.",
                "Questa somma lascia il primo elemento di `out` com'era.",
            ),
        ),
        trial(
            Words("only full blocks", "solo i blocchi pieni"),
            lambda e, x, y, out: launch(x, y, out, end=x.numel() // BLOCK * BLOCK),
            Words(
                "This addition is right when n is a multiple of 256, and drops the rest when it isn't.",
                "Questa somma è giusta quando n è un multiplo di 256, e altrimenti perde il resto.",
            ),
        ),
        trial(
            Words("the ends exchanged", "gli estremi scambiati"),
            ends_exchanged,
            Words(
                "The first and the last sum of this addition stand in each other's place.",
                "La prima e l'ultima somma stanno l'una al posto dell'altra.",
            ),
        ),
        trial(
            Words("computed in float16", "calcolata in float16"),
            lambda e, x, y, out: launch(x, y, out, mode="in float16"),
            Words(
                "This addition computes in float16: 11 significant bits out of 24.",
                "Questa somma calcola in float16: 11 bit significativi su 24.",
            ),
        ),
        trial(
            Words("off by 1e-3", "sbaglia di 1e-3"),
            lambda e, x, y, out: launch(x, y, out, mode="off by 1e-3"),
            Words(
                "Every sum of this addition is 0.1% too large.",
                "Ogni risultato di questa somma è dello 0,1% troppo grande.",
            ),
        ),
        trial(
            Words("past the end", "oltre la fine"),
            past_the_end,
            Words(
                "This addition stores whole blocks: behind `out`, zeros land on whatever is there.",
                "Questa somma scrive blocchi interi: dietro `out`, degli zeri finiscono su quello che c'è.",
            ),
        ),
        trial(
            Words("before the beginning", "prima dell'inizio"),
            before_the_beginning,
            Words(
                "This addition also stores a zero in the element in front of `out`.",
                "Questa somma scrive uno zero anche nell'elemento davanti a `out`.",
            ),
        ),
        trial(
            Words("NaN becomes 0", "NaN diventa 0"),
            lambda e, x, y, out: launch(x, y, out, mode="no NaN"),
            Words(
                "This addition gives 0 where the sum is NaN, and so hides that something went wrong before.",
                "Questa somma dà 0 dove il risultato è NaN, e così nasconde che qualcosa è andato storto prima.",
            ),
        ),
        trial(
            Words("n = 0", "n = 0"),
            fails_on_nothing,
            Words(
                "This addition divides by zero when n is 0.",
                "Questa somma divide per zero quando n è 0.",
            ),
        ),
    ],
)
