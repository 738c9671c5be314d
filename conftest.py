"""What holds for every test here, those of the notebooks included."""

import os

# A notebook shows what a learner has solved; as a test it has to show the same on every machine.
os.environ["SKYL_NB_PROGRESS"] = "off"
