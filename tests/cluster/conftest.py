"""What tests of clusters share with those of workers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "workers"))
