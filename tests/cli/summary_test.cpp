#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/zoo/catalog.h"

namespace tandem::testing {
namespace {

// The first cell's text of each row of the table, up to the type or to where it is cut.
std::vector<std::string> names_in(const std::string& table) {
  std::vector<std::string> names;
  bool begins = false;  // the line after a rule
  for (const auto& line : lines_of(table)) {
    const std::string bar = "│ ";
    if (begins && line.starts_with(bar)) {
      const auto cell = line.substr(bar.size(), line.find("│", bar.size()) - bar.size());
      names.push_back(cell.substr(0, std::min(cell.find(' '), cell.find("…"))));
    }
    begins = line.starts_with("┡") || line.starts_with("├");
  }
  return names;
}

TEST(Summary, ListsTheLayersInOrder) {
  const auto ended = run_tandem({"summary", "minigooglenet"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto model = zoo::make("minigooglenet", 10).model;
  const auto layers = model.layers();
  const auto names = names_in(ended.out);
  ASSERT_EQ(names.size(), layers.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_FALSE(names[i].empty()) << i;
    EXPECT_TRUE(layers[i].name().starts_with(names[i])) << i << ": " << layers[i].name() << ", shown as " << names[i];
  }
  EXPECT_NE(ended.out.find(" Total params: 1,656,250 (6.32 MB)\n"), std::string::npos);
}

TEST(Summary, TakesTheNumberOfClasses) {
  const auto ended = run_tandem({"summary", "minigooglenet", "--classes", "7"});
  // The dense layer loses three columns of 336 weights and a bias.
  EXPECT_NE(ended.out.find(" Total params: 1,655,239 "), std::string::npos);
}

// The picture is written beside the table, in each format.
TEST(Summary, PlotsTheLayers) {
  const TemporaryFolder folder;
  for (const auto& [file, begin] : {std::pair{"m.svg", "<?xml"}, {"m.png", "\x89PNG"}, {"m.pdf", "%PDF"}}) {
    const auto ended = run_tandem({"summary", "resnet20", "--plot", file}, folder.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find(" Total params: 274,442 "), std::string::npos);
    EXPECT_TRUE(ended.out.ends_with(std::string("[INFO] wrote ") + file + "\n")) << ended.out;
    EXPECT_TRUE(read_file(folder.file(file)).starts_with(begin)) << file;
  }
}

TEST(Summary, RefusesAPlotThatCannotBeWritten) {
  expect_refused({"summary", "cnn", "--plot", "m.gif"}, 2,
                 "a plot's file name must end in .png, .svg or .pdf; received 'm.gif'");
  const auto ended = run_tandem({"summary", "cnn", "--plot", "nowhere/m.svg"});
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.out, "");
}

// Files that real Keras wrote.
TEST(Summary, TakesAModelFile) {
  const TemporaryFolder folder;
  for (const std::string file : {"model.keras", "whole.h5"}) {
    const auto path = std::string(TANDEM_FIXTURES) + "/keras/networks/files/" + file;
    const auto ended = run_tandem({"summary", path, "--plot", "m.svg"}, folder.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("Model: \"two\""), std::string::npos) << ended.out;
    EXPECT_TRUE(read_file(folder.file("m.svg")).starts_with("<?xml"));
    expect_refused({"summary", path, "--classes", "3"}, 2, "--classes: the outputs of " + path + " are its own");
  }
}

}  // namespace
}  // namespace tandem::testing
