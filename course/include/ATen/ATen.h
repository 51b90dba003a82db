#pragma once
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ATen/Dispatch.h"
#include "ATen/Functions.h"
#include "ATen/core/Tensor.h"
