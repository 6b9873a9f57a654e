"""Scripts written for a GPU, traced without one: what they ask of CUDA and of compiled kernels."""

from __future__ import annotations

import pytest

from tests.runner.scripts.ran import KERNEL, Run
from tritontui.engine.messages import Compiled


def test_triton_s_driver_counts_devices_and_compiles_for_the_target(run: Run) -> None:
    ran = run("""
        from triton.runtime import driver
        copy(torch.rand(8))
        device = driver.active.get_current_device()
        print(device, torch.empty(2, device=f"cuda:{device}").device, torch.cuda.get_device_name(device))
    """)
    assert (ran.output, ran.errors, ran.done.exit_code) == ("0 cuda:0 CPU, traced\n", "", 0)
    assert [reply.report.target for reply in ran.replies if isinstance(reply, Compiled)] == ["sm_90"]


CUDA = """
    DEVICE = "cuda"
    x = torch.rand(40, device=DEVICE)
    y = torch.rand(40).cuda()
    z = torch.zeros_like(x).to("cuda:0")
    assert torch.cuda.is_available() and x.is_cuda and y.device.type == "cuda" and z.device == torch.device("cuda:0")
    torch.testing.assert_close(copy(x), x)
    with torch.cuda.device(x.device):
        w = torch.empty(4, device=x.device)
    torch.cuda.synchronize()
    from triton.testing import do_bench
    print(w.is_cuda, do_bench(lambda: copy(x)), do_bench(lambda: copy(x), quantiles=[0.5, 0.2]))
"""


def test_cuda_is_answered_by_the_cpu(run: Run) -> None:
    import torch

    ran = run(CUDA)
    assert ran.errors == ""
    assert ran.output == "True nan [nan, nan]\n"
    assert [finding.id for launch, finding in ran.findings if launch is None] == ["cuda-on-cpu"]
    assert not torch.rand(1).is_cuda and torch.rand(1).device.type == "cpu"


MIXED = """
    import numpy, torch.nn
    here, there = torch.rand(40), torch.rand(40, device="cuda")
    assert there.is_cuda and not here.is_cuda and (here + 1).device.type == "cpu" and (here.cuda() + here[0]).is_cuda
    module = torch.nn.Module()
    module.register_buffer("weight", torch.rand(40))
    module.to("cuda")
    for x in (there, here.to(there), torch.from_numpy(numpy.ones(40)).cuda(), torch.tensor([1.0], device="cuda"),
              module.weight, torch.as_tensor(there)):
        assert x.is_cuda and x.get_device() == 0
        copy(x)
    copy_kernel[(2,)](here, torch.empty_like(here), 40, BLOCK=32)
    copy_kernel[(2,)](there, here, 40, BLOCK=32)
    print("never")
"""


def test_a_tensor_left_in_main_memory_is_refused_beside_one_that_is_not(run: Run) -> None:
    ran = run(MIXED)
    error = ran.done.error
    assert error is not None and (ran.done.exit_code, ran.output, len(ran.launches)) == (1, "", 7), ran.errors
    assert (error.id, error.line) == ("tensor-on-wrong-device", len((KERNEL + MIXED).splitlines()) - 1)
    assert error.params["argument"] == "out_ptr", error


def test_the_official_way_to_name_the_device(run: Run) -> None:
    ran = run("""
        DEVICE = triton.runtime.driver.active.get_active_torch_device()
        x = torch.rand(40, device=DEVICE)
        assert x.device == DEVICE
        copy(x)
    """)
    assert (ran.done.exit_code, ran.errors, ran.ids) == (0, "", [])


def test_a_kernel_compiled_beforehand_is_asked_and_launched(run: Run) -> None:
    """Host code that sizes its grid by the registers that the compiler took."""
    ran = run("""
        x, out = torch.rand(70), torch.empty(70)
        kernel = copy_kernel.warmup(x, out, 70, BLOCK=32, num_warps=2, grid=(1,))
        kernel._init_handles()
        print(0 < kernel.n_regs < 256, kernel.n_spills, kernel.metadata.num_warps)
        kernel[(3,)](x, out, 70, 32)
        assert torch.equal(x, out)
        kernel[(3,)](x, out, 70, 64)
    """)
    assert (ran.output, ran.errors, ran.ids) == ("True 0 2\n", "", [])
    assert [one.scalars["BLOCK"] for one in ran.launches] == [32, 32], "what it was compiled with counts"


def test_a_launch_answers_with_the_compiled_kernel(run: Run) -> None:
    ran = run("""
        x, out = torch.rand(70), torch.empty(70)
        kernel = copy_kernel[(3,)](x, out, 70, BLOCK=32)
        print(kernel.n_regs > 0, "st.global" in kernel.asm["ptx"], kernel.metadata.shared, hasattr(kernel, "base"))
        kernel[(3,)](x, out, 70, 32)
    """)
    assert (ran.output, ran.errors, len(ran.launches)) == ("True True 0 False\n", "", 2)


def test_each_specialisation_has_a_binary_of_its_own(run: Run) -> None:
    ran = run("""
        copy(torch.rand(64))
        copy(torch.rand(96))
        copy(torch.rand(64).half())
        copy(torch.rand(63))
        scale = torch.rand(32), torch.empty(32)
        copy_kernel[(1,)](*scale, 32, BLOCK=32, num_warps=1)
    """)
    compiled = [reply for reply in ran.replies if isinstance(reply, Compiled)]
    assert [reply.launches for reply in compiled] == [[0, 1], [2], [3], [4]]
    assert [(reply.report.build, reply.report.num_warps) for reply in compiled] == [(0, 4), (1, 4), (2, 4), (3, 1)]


def test_a_graph_is_refused_in_words(run: Run) -> None:
    ran = run("""
        try:
            torch.cuda.CUDAGraph()
        except RuntimeError as error:
            print(error)
    """)
    assert ran.output.startswith("a CUDA graph can't be captured on the CPU")


@pytest.mark.parametrize("place", ["", ", map_location='cuda:0'", ", map_location={'cuda:0': 'cuda:0'}"])
def test_what_was_saved_is_loaded_wherever_it_is_wanted(run: Run, place: str) -> None:
    ran = run(f"""
        import io
        file = io.BytesIO()
        torch.save({{"w": torch.ones(40, device="cuda")}}, file)
        file.seek(0)
        print(copy(torch.load(file{place})["w"]).sum().item())
    """)
    assert (ran.output, ran.errors, len(ran.launches)) == ("40.0\n", "", 1)


def test_what_is_compiled_by_torch_runs_as_it_is_written(run: Run) -> None:
    ran = run("""
        twice = torch.compile(lambda x: copy(x) * 2, fullgraph=True)
        model = torch.compile(torch.nn.Linear(4, 4).cuda())
        print(twice(torch.ones(40, device="cuda")).sum().item(), type(model).__name__, list(model.state_dict())[0])
    """)
    assert (ran.output, ran.errors, len(ran.launches)) == ("80.0 OptimizedModule _orig_mod.weight\n", "", 1)


def test_what_torch_compile_writes_finds_its_guard_and_stream(run: Run) -> None:
    import torch

    had = hasattr(torch._C, "_cuda_getCurrentRawStream")
    ran = run("""
        from torch._C import _cuda_getCurrentRawStream as stream
        with torch.cuda._DeviceGuard(0), torch.cuda.device_of(torch.rand(1, device="cuda")):
            copy(torch.rand(40, device="cuda"))
        print(stream(0), torch.cuda.get_arch_list(), torch.cuda._exchange_device(0))
    """)
    assert (ran.output, ran.errors, ran.ids) == ("0 ['sm_90'] 0\n", "", [])
    assert hasattr(torch._C, "_cuda_getCurrentRawStream") == had


def test_what_is_never_written_is_found_on_a_made_up_gpu_too(run: Run) -> None:
    ran = run("""
        x = torch.rand(100, device="cuda")
        out = torch.empty_like(x)
        copy_kernel[(100 // 32,)](x, out, 100, BLOCK=32)
        copy(x)
    """)
    assert ran.ids == [(0, "never-written")]
