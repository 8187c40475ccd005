#pragma once
#include <cstdint>
#include <functional>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Functions to call, each where Callback's hook of that name is: the six of keras.callbacks.LambdaCallback in Keras's
/// order, then the others. One that takes `const Logs&` sees the logs, one that takes `Logs&` may set them.
struct LambdaCallbackOptions {
  std::function<void(int64_t epoch, Logs&)> on_epoch_begin = {}, on_epoch_end = {};
  std::function<void(Logs&)> on_train_begin = {}, on_train_end = {};
  std::function<void(int64_t batch, Logs&)> on_train_batch_begin = {}, on_train_batch_end = {};
  std::function<void(Logs&)> on_test_begin = {}, on_test_end = {};
  std::function<void(int64_t batch, Logs&)> on_test_batch_begin = {}, on_test_batch_end = {};
  std::function<void(Logs&)> on_predict_begin = {}, on_predict_end = {};
  std::function<void(int64_t batch, Logs&)> on_predict_batch_begin = {}, on_predict_batch_end = {};
};

/// A callback made of functions: `LambdaCallback({.on_epoch_end = [&](int, const Logs& logs) { ... }})`. What a
/// function refers to must live as long as the training.
class LambdaCallback : public Handle<Callback> {
 public:
  explicit LambdaCallback(LambdaCallbackOptions functions);
};

}  // namespace tandem::callbacks
