"""The notebooks here are made to be wrong; they are read by tests and never run as tests."""

collect_ignore_glob = ["*.ipynb"]
