// A CNN whose convolutions run on four devices and whose dense head runs once, in host memory, on the merged batch:
// each device sends its feature maps there and gets their gradient back. Writes a trace of the first batches.
#include <tandem/tandem.h>

#include <cstdio>

using namespace tandem;
using namespace tandem::layers;

int main() {
  try {
    set_random_seed(1);
    const auto x = Input({8, 8, 1});
    const auto maps = MaxPooling2D(2)(Conv2D(32, 3, {.padding = "same", .activation = "relu"})(x));
    KerasTensor y;
    {
      const DeviceScope host("cpu:0");
      y = Dropout(0.25)(Dense(64, {.activation = "relu"})(Flatten()(maps)));
      y = Dense(10, {.activation = "softmax"})(y);
    }
    Model model(x, y);
    model.compile({.optimizer = "adam",
                   .loss = "sparse_categorical_crossentropy",
                   .metrics = {"accuracy"},
                   .strategy = distribute::Mirrored({.devices = Devices::parse("cpu*4")})});
    const auto [train, test] = data::split(datasets::digits(), {0.8, 0.2});
    const auto history =
        model.fit(train.shuffle().batch(64), {.epochs = 3, .callbacks = {callbacks::Trace("trace.json")}});
    const auto result = model.evaluate(test, {.verbose = 0});
    std::printf("test accuracy %.3f; device 1 exchanged %lld bytes; trace.json shows who computed when\n",
                result["accuracy"], static_cast<long long>(history.bytes_sent(1)));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
