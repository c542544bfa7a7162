"""Take the pictures of these pages, in Chromium: `python docs/screenshots.py`.

It needs the extra browser. A quick run of one paper is judged, which takes a minute or two, and its
pages are opened as a reader opens them: on a screen and on a phone, light and dark.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from fedbounds.verify.commands.command_line import status

FOLDER = Path(__file__).parent / "pictures"
PAPER = "fedplt"
INDEX, REFUTED = "index.html", "claims/claim-fedplt-jensen-distance.html"
PROVED = "claims/claim-fedplt-jensen-distance+corrected.html"
COLOURS = 64  # of a picture: text, lines and their soft edges need no more
SIZES = {"screen": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
PICTURES = (  # name of the file: of which page, at which place, how wide, light or dark
    ("index", INDEX, "", "screen", "light"),
    ("index_phone", INDEX, "", "phone", "dark"),
    ("claims", INDEX, "#claims", "screen", "dark"),
    ("refuted", REFUTED, "", "screen", "light"),
    ("refuted_dark", REFUTED, "", "screen", "dark"),
    ("refuted_phone", REFUTED, "", "phone", "light"),
    ("proved", PROVED, "", "screen", "light"),
    ("proved_phone", PROVED, "", "phone", "dark"),
)


def main() -> None:
    """Judge, open, and write every picture."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium is found")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as site, sync_playwright() as driver:
        if code := status(["verify", PAPER, "--quick", "--out", site]):
            sys.exit(code)
        browser = driver.chromium.launch(executable_path=chromium)
        for name, page, place, size, scheme in PICTURES:
            seen = picture(browser, Path(site, page).as_uri() + place, size, scheme)
            (FOLDER / f"{name}.png").write_bytes(seen)
        browser.close()


def picture(browser: Browser, address: str, size: str, scheme: str) -> bytes:
    """What a window shows first, as a PNG of few colours."""
    page = browser.new_page(viewport=SIZES[size], color_scheme=scheme)
    page.goto(address)
    if address.endswith("#claims"):
        page.get_by_role("searchbox").fill("refuted")
    seen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    out = io.BytesIO()
    seen.quantize(COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
