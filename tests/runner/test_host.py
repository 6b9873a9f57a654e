"""What is seen of the host code's own tensor work, and of memory that nobody wrote or should have written."""

from __future__ import annotations

import ctypes

import pytest
import torch

from tritontui.runner.cases.host import HostWatch, storage_of
from tritontui.runner.cases.memory import Fence, GuardedAllocations, poison


def watched(work, allowed=()):
    watch = HostWatch(lambda file: file == __file__, allowed)
    with watch:
        result = work()
    return watch.computed.get(storage_of(result))


class TestHostWatch:
    x = torch.arange(6.0).reshape(2, 3)

    @pytest.mark.parametrize(
        ("work", "name"),
        [
            (lambda: TestHostWatch.x + 1, "torch.add"),
            (lambda: torch.add(TestHostWatch.x, 1), "torch.add"),
            (lambda: TestHostWatch.x.clone(), "torch.clone"),
            (lambda: TestHostWatch.x.t().contiguous(), "contiguous"),
            (lambda: TestHostWatch.x.to(torch.float64), "to"),
            (lambda: torch.empty(2, 3).copy_(TestHostWatch.x), "copy_"),
            (lambda: torch.cat([TestHostWatch.x, TestHostWatch.x]), "torch.cat"),
        ],
    )
    def test_work_is_seen_with_its_line(self, work, name):
        call = watched(work)
        assert call is not None
        assert call.name == name
        assert call.line == work.__code__.co_firstlineno

    @pytest.mark.parametrize(
        "work",
        [
            lambda: TestHostWatch.x,
            lambda: TestHostWatch.x.contiguous(),
            lambda: TestHostWatch.x.t(),
            lambda: TestHostWatch.x.view(-1)[2:],
            lambda: torch.empty_like(TestHostWatch.x),
            lambda: torch.zeros(3).zero_(),
            lambda: TestHostWatch.x.new_empty(4),
        ],
    )
    def test_views_and_allocations_are_no_work(self, work):
        assert watched(work) is None

    def test_element_assignment(self):
        def work():
            out = torch.zeros(3)
            out[0] = torch.ones(())
            return out

        assert watched(work).name == "__setitem__"

    def test_what_the_contract_allows(self):
        assert watched(lambda: self.x.t().contiguous(), allowed=("contiguous",)) is None

    def test_calls_from_elsewhere_are_not_the_learners(self):
        watch = HostWatch(lambda file: False)
        with watch:
            result = self.x + 1
        assert storage_of(result) not in watch.computed


class TestPoison:
    def test_unwritten_memory_is_no_answer(self):
        with HostWatch(lambda file: False, (), GuardedAllocations()):
            floats, integers = torch.empty(4), torch.empty(4, dtype=torch.int32)
            zeros, flags = torch.zeros(4), torch.empty(4, dtype=torch.bool)
        assert floats.isnan().all()
        assert (integers == 0x5A5A5A5A).all()
        assert (zeros == 0).all()
        assert flags.all()

    def test_nothing_to_poison(self):
        assert poison(torch.empty(0)).numel() == 0


class TestFence:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool])
    def test_values_sizes_and_strides_stay(self, dtype):
        tensor = torch.arange(12).reshape(3, 4).t().to(dtype)
        fence = Fence()
        inside = fence.enclose(tensor)
        assert torch.equal(inside, tensor)
        assert inside.stride() == tensor.stride()
        assert fence.overwritten() == []

    @pytest.mark.parametrize(
        "view",
        [
            torch.arange(40.0).view(5, 8)[1:, 2:5],
            torch.arange(5.0).expand(3, 5),
            torch.arange(40.0)[1::3],
            torch.arange(6.0)[:0],
            torch.tensor(3.0),
        ],
        ids=["slice", "expanded", "every-third", "empty", "scalar"],
    )
    def test_views_stay_the_views_they_are(self, view):
        fence = Fence()
        inside = fence.enclose(view)
        assert torch.equal(inside, view)
        assert inside.stride() == view.stride()
        assert fence.overwritten() == []

    @pytest.mark.parametrize(("offset", "index", "count"), [(10, 10, 2), (-3, -3, 2), (10 + 1000, 1010, 2)])
    def test_a_write_outside_is_seen(self, offset, index, count):
        fence = Fence()
        tensor = fence.enclose(torch.arange(10.0))
        ctypes.memset(tensor.data_ptr() + 4 * offset, 0, 4 * count)
        found = fence.overwritten()
        assert [(f.index, f.count, f.size) for f in found] == [(index, count, 10)]

    def test_a_write_inside_is_not(self):
        fence = Fence()
        fence.enclose(torch.arange(10.0)).zero_()
        assert fence.overwritten() == []

    def test_a_copy_past_two_ends_is_seen(self):
        fence = Fence()
        source, target = (fence.enclose(torch.arange(10.0)) for _ in range(2))
        ctypes.memmove(target.data_ptr(), source.data_ptr(), 4 * 16)
        assert [(found.index, found.count) for found in fence.overwritten()] == [(10, 6)]
