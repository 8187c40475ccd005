#include "tandem/model/multi_gpu.h"

#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

TEST(MultiGpuModel, SaysWhatIsVisible) {  // U09
  Sequential model({layers::Input({3}), layers::Dense(1)}, "template");
  EXPECT_EQ(testing::message_of([&] { multi_gpu_model(model, 0); }), "multi_gpu_model: must get at least 1 GPU, got 0");
  EXPECT_EQ(testing::message_of([&] { multi_gpu_model(model, Devices{}); }),
            "multi_gpu_model: must get at least one device, got none");
  const int64_t too_many = visible_gpus() + 2;
  const auto message = testing::message_of([&] { multi_gpu_model(model, too_many); });
  EXPECT_NE(message.find(std::to_string(too_many)), std::string::npos) << message;
  EXPECT_NE(message.find("visible"), std::string::npos) << message;
  const testing::CapturedLog log;
  EXPECT_TRUE(multi_gpu_model(model, 1) == model);
  EXPECT_EQ(log.infos().size(), 1U);
  EXPECT_THROW(multi_gpu_model(model, Devices{"cpu:0", "cpu:0"}), InvalidArgument);
}

}  // namespace
}  // namespace tandem
