import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritontui.diagnosis.finding import Finding
from tritontui.engine.frames import MAX_FRAME, FrameError, encode, reply_decoder, request_decoder
from tritontui.engine.messages import Cancel, Done, Found, Judge, Output, Probe

JUDGE = Judge(run=3, exercise="/lessons/è", source="π = 1\n", filename="k.py", stages=["trace", "legality"])


@given(st.lists(st.integers(1, 30), min_size=1))
def test_messages_survive_any_cut_of_the_stream(cuts):
    requests = [JUDGE, Cancel(3), Probe(), JUDGE]
    stream = b"".join(map(encode, requests))
    decoder, got, start = request_decoder(), [], 0
    for size in [*cuts, len(stream)]:
        got += decoder.feed(stream[start : start + size])
        start += size
    assert got == requests


def test_a_reply_is_not_taken_for_a_request():
    with pytest.raises(FrameError, match="no message"):
        request_decoder().feed(encode(Done(1)))


def test_a_length_over_the_limit_is_refused_before_its_body_comes():
    with pytest.raises(FrameError, match="over the limit"):
        reply_decoder().feed((MAX_FRAME + 1).to_bytes(4, "big"))


def test_text_on_the_wire_is_refused():
    with pytest.raises(FrameError):
        reply_decoder().feed(b"Traceback (most recent call last):\n" * 3)


def test_a_message_over_the_limit_is_not_sent():
    with pytest.raises(FrameError, match="Output"):
        encode(Output(1, "x" * (MAX_FRAME + 1)))


def test_numpy_scalars_in_findings_arrive_as_pythons_own():
    finding = Finding(id="no-work", severity="note", params={"idle": np.int64(3), "ratio": np.float32(0.5)})
    [found] = reply_decoder().feed(encode(Found(1, "trace", [finding])))
    assert found.findings[0].params == {"idle": 3, "ratio": 0.5}


def test_what_has_no_value_is_named():
    with pytest.raises(TypeError, match="object"):
        encode(Found(1, "trace", [Finding(id="no-work", severity="note", params={"idle": object()})]))
