"""Names of this paper alone."""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()

NAMES = _draft.closed()
