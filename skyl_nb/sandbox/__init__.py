"""Who answers, offline: reads a wire as its provider would, then refuses, or replies.

The sandbox shares no code with our encoders: an encoder with a wrong field name has to fail here.
Facts (texts of refusals, paths, models, the sheet of the model) are rows in `sandbox_data/`; the
code holds the mechanisms alone.
"""

from skyl_nb.sandbox.core import Sandbox
from skyl_nb.sandbox.reply import Reply

__all__ = ["Reply", "Sandbox"]
