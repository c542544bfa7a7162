"""What is not exported."""


class Withheld(Exception):
    """A step that is not written for Coq; the message is the reason, the same for all alike."""
