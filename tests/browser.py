"""A real browser for the tests of the pages: the Chromium or Chrome of the system, driven by Playwright."""

import shutil

NAMES = ("chromium", "google-chrome", "chrome", "chromium-browser")


def path():
    """Where it is; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def why_none():
    """Why no page can be opened; empty if it can."""
    try:
        import axe_playwright_python  # noqa: F401
        import playwright  # noqa: F401
    except ImportError as error:
        return f"the extra browser is not installed: no {error.name}"
    return "" if path() else f"no browser is found: none of {', '.join(NAMES)}"


class Visit:
    """A page that is open, and all that it asked for and complained of."""

    def __init__(self, page):
        self.page, self.requests, self.complaints = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.complaints.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))

    def to(self, path, place=""):
        """The page of a file, at an anchor."""
        self.page.goto(path.as_uri() + place)
        return self.page


def opened(browser, width, scheme):
    """A new window of some width, light or dark."""
    size = {"width": width, "height": 844 if width < 600 else 900}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    context.set_default_timeout(5_000)  # milliseconds
    return Visit(context.new_page())
