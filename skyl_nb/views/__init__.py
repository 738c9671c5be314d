"""How it is shown: views that are live in JupyterLab and read the same everywhere else.

| module | holds |
|---|---|
| `compare`, `play`, `survival` | what the views show, as plain data: tested without a browser |
| `html`, `markdown`, `text` | that data, written three ways |
| `live` | the same with ipywidgets, loaded only when a notebook shows it |
| `view`, `controls` | what every view can do, and every view with controls |
| `visible` | untrusted text made safe to look at |
"""

from skyl_nb.views.compare import CompareWires, compare_wires
from skyl_nb.views.play import PlayLoop, play_loop
from skyl_nb.views.survival import SurvivalTable, survival_table

__all__ = [
    "CompareWires",
    "PlayLoop",
    "SurvivalTable",
    "compare_wires",
    "play_loop",
    "survival_table",
]
