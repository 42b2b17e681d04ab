# SPDX-License-Identifier: Apache-2.0
"""Frames into files: an MP4 of everything where ffmpeg is there, and a GIF that is small enough to be mailed."""

import importlib.util
from collections.abc import Generator
from pathlib import Path
from types import TracebackType

import numpy as np
from PIL import Image, ImageColor

from surefoot.viewer import style

RATE = 10
"""Frames a second, simulated and shown."""
MP4, GIF, STILL = "run.mp4", "run.gif", "snapshot.png"
_GIF_WIDTH, _GIF_COLOURS = 480, 64
_GIF_FRAMES = 150
_ENCODING = ["-crf", "23", "-preset", "veryfast"]


def _with_own_colours(quantized: Image.Image) -> Image.Image:
    """A palette that also has the colours which mean something; thin lines are too small to be found by counting."""
    colours = [ImageColor.getrgb(colour) for colour in (style.SURVIVED, style.FAILED, style.UNFINISHED, style.INK)]
    whiter = [tuple((part + 255) // 2 for part in colour) for colour in colours]
    values = (quantized.getpalette() or [])[: 3 * _GIF_COLOURS] + [part for colour in (*colours, *whiter) for part in colour]
    palette = Image.new("P", (1, 1))
    palette.putpalette(values)
    return palette


class FilmWriter:
    """Takes frames in the order of time. With ffmpeg, the GIF holds the highlights only; without, all of the run at a lower rate.

    Args:
        directory: where run.mp4 and run.gif go.
        width, height: of the frames, pixels.
    """

    def __init__(self, directory: Path, width: int, height: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory, self._gif_size = directory, (_GIF_WIDTH, round(_GIF_WIDTH * height / width))
        self._frames: list[tuple[Image.Image, float]] = []
        self._stream: Generator[None, bytes, None] | None = None
        if importlib.util.find_spec("imageio_ffmpeg") is not None:
            from imageio_ffmpeg import write_frames  # optional: without it there is still a GIF

            path = str(directory / MP4)
            self._stream = write_frames(path, (width, height), fps=RATE, codec="libx264", macro_block_size=8, output_params=_ENCODING)
            next(self._stream)

    def add(self, picture: Image.Image, seconds: float, highlight: bool) -> None:
        """Add a frame that stays for some time, s, and say whether the GIF must have it."""
        if self._stream is not None:
            for _ in range(max(1, round(seconds * RATE))):
                self._stream.send(np.ascontiguousarray(np.asarray(picture)).tobytes())
        if highlight or self._stream is None:
            self._frames.append((picture.resize(self._gif_size, Image.Resampling.LANCZOS), seconds))

    def _write_gif(self) -> None:
        if not self._frames:
            return
        # Fewer frames that stay for longer, where there are too many.
        stride = -(-len(self._frames) // _GIF_FRAMES)
        groups = [self._frames[i : i + stride] for i in range(0, len(self._frames), stride)]
        pictures = [max(group, key=lambda frame: frame[1])[0] for group in groups]
        durations = [round(1000.0 * sum(seconds for _, seconds in group)) for group in groups]
        # One palette for all, from frames all over the film, and no dithering: what does not move is then not stored again.
        samples = pictures[:: max(1, len(pictures) // 8)]
        width, height = self._gif_size
        montage = Image.new("RGB", (width, height * len(samples)))
        for number, sample in enumerate(samples):
            montage.paste(sample, (0, number * height))
        palette = _with_own_colours(montage.quantize(_GIF_COLOURS, Image.Quantize.MEDIANCUT))
        flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
        flat[0].save(self._directory / GIF, save_all=True, append_images=flat[1:], duration=durations, loop=0, optimize=False)

    def __enter__(self) -> "FilmWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._stream is not None:
            self._stream.close()
        if error is None:
            self._write_gif()
