#include "tandem/callbacks/lambda_callback.h"

namespace tandem::callbacks {
namespace {

template <class Function, class... Arguments>
void call(const Function& function, Arguments&&... arguments) {
  if (function) function(arguments...);
}

class Functions : public Callback {
 public:
  explicit Functions(LambdaCallbackOptions functions) : f_(std::move(functions)) {}
  std::string class_name() const override { return "LambdaCallback"; }

  void on_train_begin(Logs& logs) override { call(f_.on_train_begin, logs); }
  void on_train_end(Logs& logs) override { call(f_.on_train_end, logs); }
  void on_epoch_begin(int64_t epoch, Logs& logs) override { call(f_.on_epoch_begin, epoch, logs); }
  void on_epoch_end(int64_t epoch, Logs& logs) override { call(f_.on_epoch_end, epoch, logs); }
  void on_train_batch_begin(int64_t batch, Logs& logs) override { call(f_.on_train_batch_begin, batch, logs); }
  void on_train_batch_end(int64_t batch, Logs& logs) override { call(f_.on_train_batch_end, batch, logs); }
  void on_test_begin(Logs& logs) override { call(f_.on_test_begin, logs); }
  void on_test_end(Logs& logs) override { call(f_.on_test_end, logs); }
  void on_test_batch_begin(int64_t batch, Logs& logs) override { call(f_.on_test_batch_begin, batch, logs); }
  void on_test_batch_end(int64_t batch, Logs& logs) override { call(f_.on_test_batch_end, batch, logs); }
  void on_predict_begin(Logs& logs) override { call(f_.on_predict_begin, logs); }
  void on_predict_end(Logs& logs) override { call(f_.on_predict_end, logs); }
  void on_predict_batch_begin(int64_t batch, Logs& logs) override { call(f_.on_predict_batch_begin, batch, logs); }
  void on_predict_batch_end(int64_t batch, Logs& logs) override { call(f_.on_predict_batch_end, batch, logs); }

 private:
  LambdaCallbackOptions f_;
};

}  // namespace

LambdaCallback::LambdaCallback(LambdaCallbackOptions functions)
    : Handle(std::make_shared<Functions>(std::move(functions))) {}

}  // namespace tandem::callbacks
