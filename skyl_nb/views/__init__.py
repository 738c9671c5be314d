"""How it is shown: views that are live in JupyterLab and read the same everywhere else.

| module | holds |
|---|---|
| `compare`, `play`, `survival` | what the views show, as plain data: tested without a browser |
| `html`, `markdown`, `text` | that data, written three ways |
| `live` | the same with ipywidgets, loaded only when a notebook shows it |
| `view`, `controls` | what every view can do, and every view with controls |
| `visible` | untrusted text made safe to look at |

`__init__.pyi` lists the names. Each is loaded on first use: the log of the sandbox needs `visible`,
and no view.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
