from pathlib import Path

from tritontui.engine.environment import child_environment


def test_a_child_can_compile_and_its_prints_are_utf8():
    environment = child_environment("cpu", Path("/scratch"), {"TRITON_INTERPRET": "1", "HOME": "/h"})
    assert "TRITON_INTERPRET" not in environment
    assert environment["TRITON_DEFAULT_FP_FUSION"] == "1"
    assert environment["PYTHONUTF8"] == "1"
    assert environment["TMPDIR"] == "/scratch"
    assert environment["HOME"] == "/h"


def test_what_the_learner_chose_for_triton_stays():
    assert child_environment("cpu", Path("/s"), {"TRITON_DEFAULT_FP_FUSION": "0"})["TRITON_DEFAULT_FP_FUSION"] == "0"


def test_only_the_gpu_child_sees_gpus():
    assert child_environment("cpu", Path("/s"), {"CUDA_VISIBLE_DEVICES": "3"})["CUDA_VISIBLE_DEVICES"] == ""
    assert child_environment("cuda:0", Path("/s"), {"CUDA_VISIBLE_DEVICES": "3"})["CUDA_VISIBLE_DEVICES"] == "3"


def test_a_source_tree_is_found_after_what_the_user_put_first():
    paths = child_environment("cpu", Path("/s"), {"PYTHONPATH": "/mine"})["PYTHONPATH"].split(":")
    assert paths[0] == "/mine"
