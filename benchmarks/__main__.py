"""`python -m benchmarks [serial|chains|compile|peak|loops|all] [--quick] [--json FILE] [--page]`."""

import os
import sys

if __name__ == "__main__":
    for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[_variable] = "1"  # before numpy is imported

    from benchmarks.running import main

    sys.exit(main())
