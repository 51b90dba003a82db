// Sources often include it without a use: see "cuBLAS" in ../nvcc_rules.py for the others.
#pragma once
