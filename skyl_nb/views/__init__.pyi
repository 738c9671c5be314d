from .compare import CompareWires as CompareWires
from .compare import compare_wires as compare_wires
from .survival import SurvivalTable as SurvivalTable
from .survival import survival_table as survival_table
