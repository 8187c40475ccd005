// The main program of every unit test: gtest's, with one more rule. Under CI=true a skipped test is a failure, so that
// a suite cannot turn green by not running; tests that need another device live in tests/device and use their own main.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

class NoSkips : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Skipped()) skipped_ += std::string(" ") + info.test_suite_name() + "." + info.name();
  }
  const std::string& skipped() const { return skipped_; }

 private:
  std::string skipped_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto* no_skips = new NoSkips;  // owned by gtest
  testing::UnitTest::GetInstance()->listeners().Append(no_skips);
  const int failed = RUN_ALL_TESTS();
  const char* ci = std::getenv("CI");
  if (ci && std::string(ci) == "true" && !no_skips->skipped().empty()) {
    std::printf("skipped under CI, which counts as failed:%s\n", no_skips->skipped().c_str());
    return 1;
  }
  return failed;
}
