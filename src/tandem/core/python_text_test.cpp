#include "tandem/core/python_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace tandem {
namespace {

TEST(PythonText, IsWhatReprGives) {
  for (const char* text : {"0.0", "-0.0", "1.0", "0.1", "100000.0", "1000000000000000.0", "1e+16", "1.5e+16", "0.0001",
                           "1e-05", "1e-07", "1.5e-07", "0.0010000000474974513", "5e-324", "1.7976931348623157e+308"}) {
    EXPECT_EQ(python_text(std::strtod(text, nullptr)), text);
  }
  EXPECT_EQ(python_text(-std::nan("")), "nan");
  EXPECT_EQ(python_text(INFINITY), "inf");
  EXPECT_EQ(python_text(-INFINITY), "-inf");
}

}  // namespace
}  // namespace tandem
