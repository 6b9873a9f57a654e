"""Stage ``measure``: time and bandwidth on the GPU."""

from __future__ import annotations

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Measured
from tritontui.runner.explaining import verdicts
from tritontui.runner.measuring.hardware import sensors
from tritontui.runner.measuring.large import WrongAtScaleError
from tritontui.runner.measuring.measure import Bench
from tritontui.runner.stages.cases import tunings_seen
from tritontui.runner.stages.run import Run


def measure(run: Run) -> None:
    """The measured case: right at its size, and how fast."""
    assert run.session.gpu is not None
    bench = Bench(
        run.session.gpu,
        run.device,
        sensors(run.session.device),
        waiting=lambda: run.say("measure", [Finding(id="gpu-waiting", severity="note")]),
        check_cancelled=run.check_cancelled,
    )
    try:
        with tunings_seen(run, run.exercise.measure_case):
            run.send(Measured(run.number, bench.measure(run.exercise, run.function)))
    except WrongAtScaleError as error:
        run.say("measure", [verdicts.wrong_at_scale(error, run.session.device)])
    except Exception as error:
        case = run.exercise.measure_case.name if run.exercise.measure_case else ""
        fault = verdicts.machine_fault(error, case, run.session.device)
        run.say("measure", [fault or run.blame.of_error(error, "run", run.launches)])
