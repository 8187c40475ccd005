// Built only where Cairo is missing.
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/report/diagram.h"
#include "tandem/report/training_plot.h"
#include "tandem/testing/message_of.h"

namespace tandem::report {
namespace {

TEST(DrawingMissing, PlotsAreRefusedByName) {
  const auto path = std::filesystem::temp_directory_path() / "tandem_no_cairo.png";
  EXPECT_EQ(testing::message_of([&] {
              plot_history({{0, Logs({{"loss", 1}})}}, path.string());
            }),
            "plots cannot be drawn: Tandem was built without Cairo");
  EXPECT_EQ(testing::message_of([&] { write_diagram({.nodes = {{"a"}}, .edges = {}}, path.string()); }),
            "plots cannot be drawn: Tandem was built without Cairo");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tandem::report
