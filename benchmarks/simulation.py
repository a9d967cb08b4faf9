"""Motion in time beside other engines: `python -m benchmarks.simulation [--quick] [--page]`."""

import os
import sys

if __name__ == "__main__":
    for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[_variable] = "1"  # before numpy is imported

    from benchmarks.sim_page import main

    main(sys.argv[1:])
