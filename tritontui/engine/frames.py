"""Frames between the interface and a runner child: a 4-byte big-endian length, then msgpack of one tagged Struct.

Both directions use the same code: the engine encodes requests and decodes replies, the child the reverse.
"""

from __future__ import annotations

import struct
from typing import Any, Generic, TypeVar

import msgspec

from tritontui.engine.messages import Reply, Request

MAX_FRAME = 16 * 2**20
"""Bytes of the largest frame. The largest honest one, a listing of a long kernel, is well under 1 MiB."""

_LENGTH = struct.Struct(">I")
_T = TypeVar("_T")


class FrameError(Exception):
    """The other end sent something that is no frame; the stream can't be trusted any more."""


class FrameDecoder(Generic[_T]):
    """Turns a stream of bytes, cut anywhere, into messages of one union type."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[_T]) -> None:
        self._decoder = decoder
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[_T]:
        """The messages that ``data`` completes, in order. Raises FrameError."""
        self._buffer += data
        messages: list[_T] = []
        while (body := self._take()) is not None:
            messages.append(self._decode(body))
        return messages

    @property
    def partial(self) -> bool:
        """True when the stream stopped in the middle of a frame."""
        return bool(self._buffer)

    def _take(self) -> bytes | None:
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > MAX_FRAME:
            raise FrameError(f"a frame of {length} bytes, over the limit of {MAX_FRAME}")
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return body

    def _decode(self, body: bytes) -> _T:
        try:
            return self._decoder.decode(body)
        except msgspec.MsgspecError as error:
            raise FrameError(f"a frame that is no message: {error}") from error


def request_decoder() -> FrameDecoder[Request]:
    """For the child's end."""
    return FrameDecoder(msgspec.msgpack.Decoder(Request))


def reply_decoder() -> FrameDecoder[Reply]:
    """For the engine's end."""
    return FrameDecoder(msgspec.msgpack.Decoder(Reply))


def _plain(value: Any) -> Any:
    """A NumPy scalar among a finding's numbers as Python's own; TypeError for what has no such value."""
    if callable(item := getattr(value, "item", None)):
        return item()
    raise TypeError(f"{type(value).__name__} can't be put in a frame")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_plain)


def encode(message: Request | Reply) -> bytes:
    """One whole frame. Raises FrameError when the message is too long, TypeError when it holds what msgpack can't."""
    body = _ENCODER.encode(message)
    if len(body) > MAX_FRAME:
        raise FrameError(f"{type(message).__name__} makes a frame of {len(body)} bytes, over {MAX_FRAME}")
    return _LENGTH.pack(len(body)) + body
