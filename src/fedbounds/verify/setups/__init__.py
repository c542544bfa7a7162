"""Set-ups that are data: what they show as cases, how they are planned, proof steps and scripts."""

from . import choices as choices
from . import found as found
from . import rungs_script as rungs_script
from . import script as script
from . import sides_script as sides_script
from . import slack as slack
