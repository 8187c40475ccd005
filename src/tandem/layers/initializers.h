#pragma once
// Every initializer: keras.initializers.
#include "tandem/layers/constant_initializers.h"
#include "tandem/layers/random_initializers.h"
#include "tandem/layers/variance_scaling.h"
