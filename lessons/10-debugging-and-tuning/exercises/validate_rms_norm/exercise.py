"""A validator of residual + RMSNorm: ``validate(rms_norm)`` must tell wrong functions from right ones."""

from dataclasses import dataclass, field

import torch
import triton
import triton.language as tl

from tritontui.runner.host_code.trials import Examiner, described
from tritontui.runner.host_code.validators import Kind
from tritontui.runner.spec import Exercise, Words

# ---------------------------------------------------------------- the functions


@triton.jit
def norm_kernel(
    r_ptr,
    x_ptr,
    w_ptr,
    out_ptr,
    rows,
    r_stride,
    x_stride,
    columns,
    end,
    r_end,
    eps,
    MODE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Rows p, p + P, p + 2P … by program p of P. Columns up to ``end`` are seen, up to ``r_end`` are stored."""
    c = tl.arange(0, BLOCK)
    seen = c < end
    weight = tl.load(w_ptr + c, mask=seen, other=0.0).to(tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_stride + c, mask=seen, other=0.0).to(tl.float32)
        r = tl.load(r_ptr + row * r_stride + c, mask=seen, other=0.0).to(tl.float32) + x
        if MODE == "added twice":
            r += x
        if MODE == "in float16":
            r = r.to(tl.float16).to(tl.float32)
        if MODE != "residual as it was":
            tl.store(r_ptr + row * r_stride + c, r, mask=c < r_end)
        if MODE == "rounded sum":
            r = r.to(r_ptr.dtype.element_ty).to(tl.float32)
        if MODE == "x alone":
            r = x
        if MODE == "mean subtracted":
            r = tl.where(seen, r - tl.sum(r, axis=0) / columns, 0.0)
        squares = r * r
        if MODE == "squares in the dtype":
            squares = (r.to(r_ptr.dtype.element_ty) * r.to(r_ptr.dtype.element_ty)).to(tl.float32)
        mean = tl.sum(squares, axis=0) / columns
        if MODE == "mean over the block":
            mean = tl.sum(squares, axis=0) / BLOCK
        if MODE == "no eps":
            scale = tl.rsqrt(mean)
        elif MODE == "eps of its own":
            scale = tl.rsqrt(mean + 1e-6)
        elif MODE == "eps outside the root":
            scale = 1.0 / (tl.sqrt(mean) + eps)
        else:
            scale = tl.rsqrt(mean + eps)
        out = r * scale
        if MODE != "no weight":
            out = out * weight
        if MODE == "no NaN":
            out = tl.where(out == out, out, 0.0)
        tl.store(out_ptr + row * columns + c, out, mask=seen)


def launch(residual, x, weight, eps, mode="exact", programs=None, end=None, r_end=None, strides=None):
    rows, columns = residual.shape
    out = torch.zeros((rows, columns), dtype=residual.dtype, device=residual.device)
    if out.numel():
        end = columns if end is None else end
        r_stride, x_stride = strides or (residual.stride(0), x.stride(0))
        norm_kernel[(programs or rows,)](
            residual,
            x,
            weight,
            out,
            rows,
            r_stride,
            x_stride,
            columns,
            end,
            r_end or end,
            eps,
            MODE=mode,
            BLOCK=triton.next_power_of_2(columns),
        )
    return residual, out


def mode(name):
    """The function in which that much is otherwise."""
    return lambda subject, *arguments: launch(*arguments, mode=name)


def in_turns(subject, *arguments):
    return launch(*arguments, programs=3)


def not_in_place(subject, residual, *others):
    return launch(residual.clone(), *others)


def last_column(subject, residual, x, weight, eps):
    return launch(residual, x, weight, eps, end=residual.shape[1] - 1)


def rows_adjacent(subject, residual, x, weight, eps):
    columns = residual.shape[1]
    return launch(residual, x, weight, eps, strides=(columns, columns))


def between_rows(subject, residual, x, weight, eps):
    """Stores whole blocks as far as the memory of a row goes."""
    rows, columns = residual.shape
    if residual.stride(0) <= columns:
        return launch(residual, x, weight, eps)
    room = residual.untyped_storage().nbytes() // residual.element_size() - residual.storage_offset()
    last = room - (rows - 1) * residual.stride(0)
    return launch(residual, x, weight, eps, r_end=min(triton.next_power_of_2(columns), residual.stride(0), last))


def first_call_twice(subject, residual, x, weight, eps):
    """As a tuner does that tries a configuration on the learner's own tensors, and puts nothing back."""
    first = subject.is_first_of(residual.shape)
    return launch(residual, x, weight, eps, mode="added twice" if first else "exact")


def keeps_counting(subject, residual, x, weight, eps):
    """As with a buffer of sums that is set to zero once, when it is made."""
    residual, out = launch(residual, x, weight, eps)
    if not subject.is_first_of(residual.shape):
        out *= 0.5**0.5
    return residual, out


def changes_x(subject, residual, x, weight, eps):
    result = launch(residual, x, weight, eps)
    x.mul_(0.5)
    return result


def result_in_float32(subject, *arguments):
    residual, out = launch(*arguments)
    return residual, out.float()


def result_with_an_axis_more(subject, *arguments):
    residual, out = launch(*arguments)
    return residual, out[None]


def fails_without_rows(subject, residual, x, weight, eps):
    _ = 4096 // residual.shape[0]  # rows a program
    return launch(residual, x, weight, eps)


# ---------------------------------------------------------------- what the learner's validator gets


@dataclass
class RmsNorm:
    """One function under trial; notes what it was called with."""

    examiner: Examiner
    work: object
    calls: list = field(default_factory=list)

    def __call__(self, residual, x, weight, eps=1e-6):
        for name, tensor, axes in (("residual", residual, 2), ("x", x, 2), ("weight", weight, 1)):
            if not isinstance(tensor, torch.Tensor) or tensor.dim() != axes or not tensor.is_floating_point():
                raise TypeError(
                    f"rms_norm: {name} should be a tensor of floats with {axes} axes, and is {described(tensor)}"
                )
            if tensor.dtype != residual.dtype:
                raise TypeError(f"rms_norm: {name} is {tensor.dtype}, residual {residual.dtype}")
            if tensor.numel() and tensor.shape[-1] > 1 and tensor.stride(-1) != 1:
                raise ValueError(f"rms_norm: the columns of {name} aren't adjacent")
        if x.shape != residual.shape or weight.shape != residual.shape[1:]:
            raise ValueError(
                f"rms_norm: x is {described(x)}, weight {described(weight)}, residual {described(residual)}"
            )
        self.calls.append(residual)
        return self.work(self, residual, x, weight, eps)

    def is_first_of(self, shape):
        """Whether no call before this one had that shape."""
        return all(before.shape != shape for before in self.calls[:-1])

    def tried(self):
        if not self.calls:
            return Words("You never called it.", "Non l'hai mai chiamata.")
        seen = list(dict.fromkeys(described(residual) for residual in self.calls))
        shown = ", ".join(seen[:6]) + (" …" if len(seen) > 6 else "")
        return Words(f"You tried {shown}.", f"L'hai provata con {shown}.")

    def excuse(self):
        return None


trial = Kind(
    Words(
        "This function keeps the whole contract: every shape, dtype and eps, rows apart or not, NaN included.",
        "Questa funzione rispetta tutto il contratto: ogni forma, dtype ed eps, righe staccate o no, NaN compresi.",
    ),
    RmsNorm,
).trial

EXERCISE = Exercise(
    entry="validate",
    trials_in_lockstep=True,
    trials=[
        trial(Words("right: one program a row", "giusta: un programma per riga"), mode("exact")),
        trial(Words("right: programs take turns", "giusta: i programmi a turno"), in_turns),
        trial(
            Words("right: normalises the rounded sum", "giusta: normalizza la somma arrotondata"), mode("rounded sum")
        ),
        trial(
            Words("the residual isn't updated", "il residuo non è aggiornato"),
            mode("residual as it was"),
            Words(
                "`out` is right, but `residual` is left as it was.",
                "`out` è giusto, ma `residual` resta com'era.",
            ),
        ),
        trial(
            Words("not in place", "non sul posto"),
            not_in_place,
            Words(
                "The right sum is returned, but in new memory: the caller's `residual` is left as it was.",
                "La somma restituita è giusta, ma in memoria nuova: il `residual` di chi chiama resta com'era.",
            ),
        ),
        trial(
            Words("the last column is missing", "manca l'ultima colonna"),
            last_column,
            Words(
                "The last column of every row is left out.",
                "L'ultima colonna di ogni riga resta fuori.",
            ),
        ),
        trial(
            Words("mean over the block", "media sul blocco"),
            mode("mean over the block"),
            Words(
                "The mean is the sum over the padded block: right only when the columns are a power of two.",
                "La media divide per il blocco, padding compreso: giusta solo se le colonne sono una potenza di due.",
            ),
        ),
        trial(
            Words("no eps", "senza eps"),
            mode("no eps"),
            Words(
                "eps is left out: a row of zeros becomes 0 · inf, NaN.",
                "eps manca: una riga di zeri diventa 0 · inf, cioè NaN.",
            ),
        ),
        trial(
            Words("eps of its own", "eps suo"),
            mode("eps of its own"),
            Words(
                "The `eps` that is passed is never read: it is always 1e-6.",
                "L'`eps` passato non viene mai letto: è sempre 1e-6.",
            ),
        ),
        trial(
            Words("eps outside the root", "eps fuori dalla radice"),
            mode("eps outside the root"),
            Words(
                "eps is added to the root instead of the mean. With 1e-6 and numbers around 1 nobody sees it.",
                "eps è sommato alla radice e non alla media. Con 1e-6 e numeri intorno a 1 non lo vede nessuno.",
            ),
        ),
        trial(
            Words("no weight", "senza weight"),
            mode("no weight"),
            Words("`weight` is never applied.", "`weight` non viene mai applicato."),
        ),
        trial(
            Words("subtracts the mean", "sottrae la media"),
            mode("mean subtracted"),
            Words(
                "The mean of the row is subtracted first. That is LayerNorm.",
                "Prima viene sottratta la media della riga. Questa è una LayerNorm.",
            ),
        ),
        trial(
            Words("normalises x alone", "normalizza solo x"),
            mode("x alone"),
            Words(
                "`residual` is updated, but `out` is made of `x` alone.",
                "`residual` è aggiornato, ma `out` è fatto con il solo `x`.",
            ),
        ),
        trial(
            Words("rows taken for adjacent", "righe credute adiacenti"),
            rows_adjacent,
            Words(
                "Row i is looked for at i · columns, wherever it lies.",
                "La riga i è cercata a i · colonne, dovunque stia.",
            ),
        ),
        trial(
            Words("writes between the rows", "scrive fra le righe"),
            between_rows,
            Words(
                "Whole blocks of `residual` are stored: zeros land on what lies between its rows.",
                "Di `residual` scrive blocchi interi: degli zeri finiscono su quello che c'è fra una riga e l'altra.",
            ),
        ),
        trial(
            Words("squares in the dtype", "quadrati nel dtype"),
            mode("squares in the dtype"),
            Words(
                "The squares are made in the dtype of `residual`: in float16 256² is infinite, and `out` 0.",
                "I quadrati sono fatti nel dtype di `residual`: in float16 256² è infinito, e `out` 0.",
            ),
        ),
        trial(
            Words("computed in float16", "calcolata in float16"),
            mode("in float16"),
            Words(
                "The sum goes through float16, whatever the dtype: 11 significant bits out of 24.",
                "La somma passa per float16, qualunque sia il dtype: 11 bit significativi su 24.",
            ),
        ),
        trial(
            Words("NaN becomes 0", "NaN diventa 0"),
            mode("no NaN"),
            Words(
                "Where `out` should be NaN it is 0, which hides that something went wrong before.",
                "Dove `out` dovrebbe essere NaN è 0, e così nasconde che qualcosa è andato storto prima.",
            ),
        ),
        trial(
            Words("the first call adds twice", "la prima chiamata somma due volte"),
            first_call_twice,
            Words(
                "The first call with each shape adds `x` twice, as a tuner does that tries its configurations on your "
                "own tensors. Every later call is right.",
                "La prima chiamata con ogni forma somma `x` due volte, come fa un autotuner che prova le sue "
                "configurazioni sui tuoi tensori. Tutte le altre sono giuste.",
            ),
        ),
        trial(
            Words("right once", "giusta una volta"),
            keeps_counting,
            Words(
                "The first call with each shape is right. Later ones add to the sums that the call before has left.",
                "La prima chiamata con ogni forma è giusta. Le altre sommano a quello che la precedente ha lasciato.",
            ),
        ),
        trial(
            Words("changes x", "modifica x"),
            changes_x,
            Words("`x` is halved on the way out.", "Alla fine `x` risulta dimezzato."),
        ),
        trial(
            Words("the result is float32", "il risultato è float32"),
            result_in_float32,
            Words(
                "The numbers are right, but `out` is float32 whatever the dtype of `residual`: twice the bytes for "
                "what follows.",
                "I numeri sono giusti, ma `out` è float32 qualunque sia il dtype di `residual`: il doppio dei byte "
                "per ciò che segue.",
            ),
        ),
        trial(
            Words("the result has an axis more", "il risultato ha un asse in più"),
            result_with_an_axis_more,
            Words(
                "The numbers are right, but `out` has three axes, `(1, rows, columns)`. A comparison broadcasts, and "
                "doesn't see it.",
                "I numeri sono giusti, ma `out` ha tre assi, `(1, righe, colonne)`. Un confronto fa broadcast, e non "
                "se ne accorge.",
            ),
        ),
        trial(
            Words("no rows", "nessuna riga"),
            fails_without_rows,
            Words(
                "With 0 rows it divides by zero.",
                "Con 0 righe divide per zero.",
            ),
        ),
    ],
)
