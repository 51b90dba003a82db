#pragma once
#include "torch/library.h"
#include "torch/types.h"
