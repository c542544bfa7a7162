"""Re-checks certificates of proof steps: exact arithmetic, no search, no computer algebra system.

What a verdict on a proof rests on is in this folder, and listed in ``docs/trusted_base.md``.
"""
