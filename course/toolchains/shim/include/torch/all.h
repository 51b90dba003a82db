#pragma once
#ifndef COURSE_WITHOUT_STRINGS
#include "torch/library.h"
#endif
#include "torch/types.h"
