import sys
from types import SimpleNamespace

import pytest

from tritontui.engine import gpus
from tritontui.engine.gpus import Gpu, find_gpu, short_name


class NvmlError(Exception):
    pass


def nvml(cards, *, broken=False):
    """NVIDIA's library as it answers on a machine with ``cards``: (uuid, name, capability)."""

    def init():
        if broken:
            raise NvmlError("driver/library version mismatch")

    return SimpleNamespace(
        NVMLError=NvmlError,
        nvmlInit=init,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetCount=lambda: len(cards),
        nvmlDeviceGetHandleByIndex=lambda index: cards[index],
        nvmlDeviceGetHandleByUUID=lambda uuid: next(card for card in cards if card[0] == uuid),
        nvmlDeviceGetName=lambda card: card[1],
        nvmlDeviceGetCudaComputeCapability=lambda card: card[2],
    )


CARDS = [("GPU-a", "NVIDIA H200", (9, 0)), ("GPU-b", "NVIDIA GeForce RTX 4090", (8, 9))]


@pytest.fixture
def node(tmp_path, monkeypatch):
    control = tmp_path / "nvidiactl"
    control.touch()
    monkeypatch.setattr(gpus, "_CONTROL_NODE", control)


@pytest.mark.parametrize(
    ("device", "visible", "expected"),
    [
        ("auto", None, Gpu("cuda:0", "H200", "sm_90")),
        ("cuda:1", None, Gpu("cuda:1", "RTX 4090", "sm_89")),
        ("auto", "1", Gpu("cuda:0", "RTX 4090", "sm_89")),
        ("auto", "GPU-b,GPU-a", Gpu("cuda:0", "RTX 4090", "sm_89")),
        ("auto", "", None),
        ("auto", "-1", None),
        ("cpu", None, None),
        ("cuda:5", None, Gpu("cuda:5", "GPU 5", None)),
    ],
)
def test_devices_are_numbered_as_cuda_numbers_them(node, monkeypatch, device, visible, expected):
    monkeypatch.setitem(sys.modules, "pynvml", nvml(CARDS))
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert find_gpu(device, environment) == expected


def test_a_broken_driver_means_no_gpu_unless_one_was_asked_for(node, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", nvml(CARDS, broken=True))
    assert find_gpu("auto", {}) is None
    assert find_gpu("cuda:0", {}) == Gpu("cuda:0", "GPU 0", None)


def test_without_a_device_node_the_library_is_not_even_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(gpus, "_CONTROL_NODE", tmp_path / "absent")
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert find_gpu("auto", {}) is None


def test_names_are_short():
    assert short_name("NVIDIA H100 80GB HBM3") == "H100 80GB HBM3"
