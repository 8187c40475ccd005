#include "tandem/callbacks/file_pattern.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

std::string filled(const std::string& pattern) {
  const Logs logs({{"val_loss", 0.7049},
                   {"acc", 100},
                   {"tiny", 3.2e-7},
                   {"neg", -1.5},
                   {"nan", std::numeric_limits<double>::quiet_NaN()},
                   {"inf", std::numeric_limits<double>::infinity()},
                   {"big", 1e16}});
  return FilePattern("test", pattern).fill(7, 12, logs);
}

TEST(FilePattern, WritesWhatPythonsFormatWrites) {  // recorded from Python 3.12's str.format
  for (const auto& [pattern, want] : std::vector<std::pair<std::string, std::string>>{
           {"{epoch:02d}-{val_loss:.2f}", "07-0.70"},
           {"{epoch}", "7"},
           {"{epoch:d}", "7"},
           {"{epoch:03d}-{batch:5d}", "007-   12"},
           {"{epoch:04}", "0007"},
           {"{epoch:.2f}", "7.00"},
           {"{epoch:08.2f}", "00007.00"},
           {"{val_loss}", "0.7049"},
           {"{acc}", "100.0"},
           {"{tiny}", "3.2e-07"},
           {"{neg}", "-1.5"},
           {"{nan}", "nan"},
           {"{inf}", "inf"},
           {"{big}", "1e+16"},
           {"{val_loss:g}", "0.7049"},
           {"{acc:g}", "100"},
           {"{tiny:g}", "3.2e-07"},
           {"{tiny:.3g}", "3.2e-07"},
           {"{val_loss:.3e}", "7.049e-01"},
           {"{neg:08.2f}", "-0001.50"},
           {"{nan:06.2f}", "000nan"},
           {"{inf:.1f}", "inf"},
           {"{neg:e}", "-1.500000e+00"},
           {"{val_loss:f}", "0.704900"},
           {"{{x}}-{epoch}", "{x}-7"},
           {"{val_loss:010}", "00000.7049"},
           {"{epoch:g}", "7"},
           {"{epoch:12.1e}", "     7.0e+00"},
           {"{val_loss:.0f}", "1"},
           {"{big:.0e}", "1e+16"},
           {"{neg:.0g}", "-2"},
           {"no field", "no field"},
       }) {
    EXPECT_EQ(filled(pattern), want) << pattern;
  }
}

TEST(FilePattern, UnknownFieldsNameWhatIsThere) {
  EXPECT_EQ(message_of([] { filled("{val_los:.2f}.h5"); }),
            "test: file name '{val_los:.2f}.h5': field 'val_los' is not known; did you mean 'val_loss'?");
  EXPECT_EQ(message_of([] {
              FilePattern("test", "{batch}").fill(1, std::nullopt, Logs({{"loss", 1}}));
            }),
            "test: file name '{batch}': field 'batch' is not known; known: 'epoch', 'loss'");
}

TEST(FilePattern, MalformedPatternsAreRefusedBeforeTraining) {
  const auto why = [](const std::string& pattern) { return message_of([&] { FilePattern("test", pattern); }); };
  EXPECT_EQ(why("{epoch"), "test: file name '{epoch': a '{' must be closed by a '}', or doubled");
  EXPECT_EQ(why("{a{b}}"), "test: file name '{a{b}}': a '{' must be closed by a '}', or doubled");
  EXPECT_EQ(why("epoch}"), "test: file name 'epoch}': a '}' must follow a '{', or be doubled");
  EXPECT_EQ(why("{:02d}"), "test: file name '{:02d}': a field must have a name, got '{:02d}'");
  for (const char* spec : {"x", "+d", ".f", "2d3", "<5", ",", "0.2%", "-5f"}) {
    EXPECT_NE(why(std::string("{loss:") + spec + "}")
                  .find("a format must be [0][width][.digits][d, f, e or g], got '" + std::string(spec)),
              std::string::npos)
        << why(std::string("{loss:") + spec + "}");
  }
  EXPECT_EQ(why("{loss:02d}"),
            "test: file name '{loss:02d}': format d is for epoch and batch, field 'loss' is a real: use f, e or g");
  EXPECT_EQ(why("{epoch:.2d}"),
            "test: file name '{epoch:.2d}': digits after the point need f, e or g, got '.2d' of field 'epoch'");
  EXPECT_NE(why("{loss:99999999999999999999f}").find("at most 255 wide"), std::string::npos);
  EXPECT_NE(why("{loss:256f}").find("at most 255 wide"), std::string::npos);
  EXPECT_NE(why("{loss:.101f}").find("100 digits"), std::string::npos);
}

}  // namespace
}  // namespace tandem
