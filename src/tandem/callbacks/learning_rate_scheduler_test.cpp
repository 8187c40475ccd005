// LearningRateScheduler against what keras 3.15.1 recorded (tests/fixtures/keras/schedules/scheduler_*).
#include "tandem/callbacks/learning_rate_scheduler.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

// Runs epochs [first, last) and returns what the history records.
std::vector<double> rates(const callbacks::LearningRateScheduler& scheduler, double start, int64_t first,
                          int64_t last) {
  FakeModel model(start);
  const auto callback = scheduler.get();
  callback->set_model(&model);
  std::vector<double> recorded;
  for (int64_t epoch = first; epoch < last; ++epoch) {
    Logs logs;
    callback->on_epoch_begin(epoch, logs);
    callback->on_epoch_end(epoch, logs);
    recorded.push_back(logs["learning_rate"]);
  }
  return recorded;
}

// The case's schedule, which notes what it was asked, must be asked and give what Keras recorded.
template <class Schedule>
void expect_case(const std::string& name, const Schedule& schedule) {
  SCOPED_TRACE(name);
  std::ifstream file(testing::fixture("keras/schedules/scheduler_" + name + "/case.json"));
  const Config about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
  std::vector<std::vector<double>> asked;
  const auto got =
      rates(callbacks::LearningRateScheduler(schedule(asked)), about.at("initial_learning_rate").as_double(),
            about.at("fit").get("initial_epoch", 0).as_int(), about.at("fit").at("epochs").as_int());
  const auto& want = about.at("history_learning_rate").as_list();
  ASSERT_EQ(got.size(), want.size());
  const auto& wanted_questions = about.at("asked").as_list();
  ASSERT_EQ(asked.size(), wanted_questions.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want[i].as_double(), 1e-7);
    const auto& question = wanted_questions[i].as_list();
    ASSERT_EQ(asked[i].size(), question.size());
    for (std::size_t j = 0; j < question.size(); ++j) EXPECT_NEAR(asked[i][j], question[j].as_double(), 1e-7);
  }
}

TEST(LearningRateScheduler, AsksAndRecordsWhatKerasDoes) {
  using Asked = std::vector<std::vector<double>>;
  expect_case("one_argument", [](Asked& asked) {
    return [&asked](int epoch) {
      asked.push_back({static_cast<double>(epoch)});
      return 0.1 / (epoch + 1);
    };
  });
  expect_case("two_arguments", [](Asked& asked) {
    return [&asked](int epoch, double rate) {
      asked.push_back({static_cast<double>(epoch), rate});
      return rate * 0.5;
    };
  });
  expect_case("initial_epoch", [](Asked& asked) {
    return [&asked](int epoch, double rate) {
      asked.push_back({static_cast<double>(epoch), rate});
      return 0.1 / (epoch + 1);
    };
  });
}

TEST(LearningRateScheduler, VerboseSaysTheRate) {
  const testing::CapturedLog log;
  rates(callbacks::LearningRateScheduler([](int) { return 0.05; }, {.verbose = 1}), 0.1, 3, 4);
  EXPECT_EQ(log.infos(), std::vector<std::string>{"Epoch 4: LearningRateScheduler setting learning rate to 0.05."});
}

TEST(LearningRateScheduler, RefusesWhatIsNoRate) {
  for (const double wrong : {-0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const callbacks::LearningRateScheduler scheduler([wrong](int) { return wrong; });
    EXPECT_NE(testing::message_of([&] { rates(scheduler, 0.1, 0, 1); }).find("must return a finite rate >= 0"),
              std::string::npos)
        << wrong;
  }
}

}  // namespace
}  // namespace tandem
