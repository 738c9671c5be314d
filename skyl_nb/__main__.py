"""`python -m skyl_nb` is the command `skyl-nb`."""

from skyl_nb.cli import main

if __name__ == "__main__":
    main(prog_name="skyl-nb")
