# SPDX-License-Identifier: Apache-2.0
"""Words over a picture of the run: time, mode, gait, what the operator does, and what a rehearsal showed."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import matplotlib
from PIL import Image, ImageDraw, ImageFont

from surefoot.viewer import style

SPOKEN_FOR = 2.5
"""s that what the operator does stays in the picture."""
_HALO = "#e6eaee"


@dataclass(frozen=True)
class Words:
    """What is written over a picture.

    Attributes:
        time: simulated, s.
        mode: of the servo bridge.
        gait: in force.
        said: what the operator does; empty for nothing.
        headline, headline_colour: about the rehearsal or the verdict; empty for nothing.
        fan: whether traces are in the picture, so that their colours must be explained.
    """

    time: float
    mode: str
    gait: str
    said: str = ""
    headline: str = ""
    headline_colour: str = style.INK
    fan: bool = False


@lru_cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    # The fonts that come with matplotlib are on every machine that this runs on.
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)


def write_words(picture: Image.Image, words: Words) -> Image.Image:
    """The picture with words in its corners."""
    unit = picture.height / 400.0
    pen = ImageDraw.Draw(picture, "RGBA")
    margin, line = round(14 * unit), round(20 * unit)
    plain, bold, small = _font(round(13 * unit), False), _font(round(14 * unit), True), _font(round(11 * unit), False)

    def write(x: float, y: float, text: str, font: ImageFont.FreeTypeFont, colour: str = style.INK) -> None:
        pen.text((x, y), text, font=font, fill=colour, stroke_width=round(2 * unit), stroke_fill=_HALO)

    write(margin, margin, f"{words.time:5.1f} s", bold)
    write(margin + 66 * unit, margin, f"{style.mode_words(words.mode)} · {words.gait}", plain)
    if words.fan:
        _explain_colours(pen, picture.width - margin, margin, unit, small)
    bottom = picture.height - margin - line
    if words.headline:
        lines = _wrapped(words.headline, bold, picture.width - 2 * margin)
        for number, text in enumerate(lines):
            write(margin, bottom - (len(lines) - 1 - number) * line, text, bold, words.headline_colour)
        bottom -= len(lines) * line
    if words.said:
        write(margin, bottom, f"the operator {words.said}", plain)
    return picture


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Lines that are not wider than a width in pixels, where words allow it."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _explain_colours(pen: ImageDraw.ImageDraw, right: float, top: float, unit: float, font: ImageFont.FreeTypeFont) -> None:
    for number, (text, colour) in enumerate((("trace survives", style.SURVIVED), ("trace fails", style.FAILED))):
        y = top + (4 + 16 * number) * unit
        begin, end = right - 130 * unit, right - 104 * unit
        if colour == style.SURVIVED:
            pen.line((begin, y + 4 * unit, end, y + 4 * unit), fill=colour, width=round(2 * unit))
        else:
            for dot in range(5):
                x = begin + dot * (end - begin) / 4.0
                pen.ellipse((x - 1.4 * unit, y + 2.6 * unit, x + 1.4 * unit, y + 5.4 * unit), fill=colour)
        pen.text((end + 8 * unit, y - 3 * unit), text, font=font, fill=style.INK)
