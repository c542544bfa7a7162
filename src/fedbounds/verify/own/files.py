"""Files of one's own for other processes: light, since every process imports it."""


def load_every(paths: tuple[str, ...]) -> None:
    """Load users' files that were named on the command line."""
    if paths:
        from .load import load

        for path in paths:
            load(path)
