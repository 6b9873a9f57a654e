from tritontui.engine.clock import TICK_SECONDS, AwakeClock


class Time:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def ticks_until_late(clock, time, step):
    ticks = 0
    while True:
        time.now += step
        ticks += 1
        if clock.tick():
            return ticks


def test_a_deadline_passes_after_its_seconds():
    time = Time()
    clock = AwakeClock(time)
    clock.restart(2.0)
    assert ticks_until_late(clock, time, TICK_SECONDS) == 2.0 / TICK_SECONDS


def test_a_suspension_counts_as_two_ticks():
    time = Time()
    clock = AwakeClock(time)
    clock.restart(2.0)
    time.now += 3600
    assert not clock.tick()
    assert ticks_until_late(clock, time, TICK_SECONDS) == (2.0 - 2 * TICK_SECONDS) / TICK_SECONDS


def test_a_new_stage_starts_afresh():
    time = Time()
    clock = AwakeClock(time)
    clock.restart(0.5)
    time.now += 0.4
    assert not clock.tick()
    clock.restart(0.5)
    time.now += 0.4
    assert not clock.tick()


def test_no_limit_never_passes():
    clock = AwakeClock(Time())
    clock.restart(float("inf"))
    assert not clock.tick()
