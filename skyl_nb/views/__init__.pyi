from .compare import CompareWires as CompareWires
from .compare import compare_wires as compare_wires
from .play import PlayLoop as PlayLoop
from .play import play_loop as play_loop
from .survival import SurvivalTable as SurvivalTable
from .survival import survival_table as survival_table
