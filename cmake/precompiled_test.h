// As precompiled.h, with GoogleTest.
#pragma once
#include <gtest/gtest.h>

#include "precompiled.h"
