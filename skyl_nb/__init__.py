"""skyl notebooks: what each provider's wire keeps of a tool's failure, to see and to try.

`import skyl_nb as skyl` gives every public name; `__init__.pyi` lists them. Each is loaded on first
use, so that the import is quick, also in a browser, and brings in neither httpx nor ipywidgets
before something needs them.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
