#include <gtest/gtest.h>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

TEST(Help, EveryCommandShowsAnExample) {
  for (const Arguments& command : {Arguments{},
                                   {"train"},
                                   {"summary"},
                                   {"bench"},
                                   {"bench", "train"},
                                   {"convert"},
                                   {"info"},
                                   {"serve-parameters"}}) {
    auto arguments = command;
    arguments.push_back("--help");
    std::string name = "tandem";
    for (const auto& word : command) name += " " + word;
    const auto ended = run_tandem(arguments);
    EXPECT_EQ(ended.status, 0) << name;
    EXPECT_EQ(ended.err, "") << name;
    EXPECT_NE(ended.out.find("Usage: " + name + " "), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("\nExample: " + name + " "), std::string::npos) << ended.out;
  }
}

TEST(Help, HoldsAlsoBesideAMistake) { EXPECT_EQ(run_tandem({"train", "--help", "nonsense", "more"}).status, 0); }

TEST(Help, NamesNoFlagThatIsNotBuilt) {
  const auto help = run_tandem({"train", "--help"}).out;
  for (const char* flag : {"--resume", "--checkpoint-dir"}) {
    EXPECT_EQ(help.find(flag), std::string::npos) << flag;
  }
  expect_refused({"train", "minigooglenet", "--resume"}, 2, "--resume is not known; see 'tandem train --help'");
}

}  // namespace
}  // namespace tandem::testing
