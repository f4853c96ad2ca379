"""Draws lines.png, the demo's picture, from the lines of lines.txt. Needs Pillow and the DejaVu fonts."""
import pathlib

from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).parent
FONTS = "/usr/share/fonts/truetype/dejavu/"

# Font, size, left edge, top edge, colour of the text; the fourth line stands on a coloured panel.
STYLES = [
    ("DejaVuSans-Bold.ttf", 34, 24, 16, "black"),
    ("DejaVuSans.ttf", 24, 24, 72, (40, 40, 40)),
    ("DejaVuSerif.ttf", 24, 24, 114, (20, 30, 90)),
    ("DejaVuSans-Bold.ttf", 24, 36, 166, "white"),
    ("DejaVuSansMono.ttf", 20, 360, 170, "black"),
]


def main():
    image = Image.new("RGB", (640, 224), "white")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((20, 158, 330, 206), radius=10, fill=(24, 96, 160))
    for text, (font, size, left, top, colour) in zip((HERE / "lines.txt").read_text().splitlines(), STYLES, strict=True):
        draw.text((left, top), text, font=ImageFont.truetype(FONTS + font, size), fill=colour)
    image.save(HERE / "lines.png", optimize=True)


main()
