#pragma once
#include <cmath>
#include <cstring>

#include "ATen/Dispatch.h"
#include "ATen/Functions.h"
#include "ATen/core/Tensor.h"
