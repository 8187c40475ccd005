// The callbacks by Keras's names: a new callback is a row here.
#include "tandem/core/catalog.h"

#include <c10/util/StringUtil.h>
#include <c10/util/Type.h>

#include <typeinfo>

#include "tandem/callbacks/backup_and_restore.h"
#include "tandem/callbacks/csv_logger.h"
#include "tandem/callbacks/early_stopping.h"
#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/callbacks/progbar_logger.h"
#include "tandem/callbacks/reduce_lr_on_plateau.h"
#include "tandem/callbacks/swap_ema_weights.h"
#include "tandem/callbacks/terminate_on_nan.h"
#include "tandem/callbacks/trace.h"
#include "tandem/core/config_reader.h"

namespace tandem {
namespace {

using CallbackMaker = std::shared_ptr<Callback> (*)(const std::string& name, const Config& config);

template <class Of>
std::shared_ptr<Callback> make_callback(const std::string&, const Config& config) {
  return Of::from_config(config).object();
}

std::shared_ptr<Callback> make_plain(const std::string& name, const Config& config) {
  ConfigReader(name, config).finish();
  return std::make_shared<Callback>();
}

std::shared_ptr<Callback> refuse_functions(const std::string& name, const Config&) {
  throw InvalidArgument(c10::str("callback '", name, "' is made of functions and must be made in code, not by name"));
}

const Catalog<CallbackMaker>& callback_catalog() {
  static const Catalog<CallbackMaker> catalog("callback",
                                              {
                                                  {"BackupAndRestore", make_callback<callbacks::BackupAndRestore>},
                                                  {"CSVLogger", make_callback<callbacks::CSVLogger>},
                                                  {"Callback", make_plain},
                                                  {"EarlyStopping", make_callback<callbacks::EarlyStopping>},
                                                  {"LambdaCallback", refuse_functions},
                                                  {"LearningRateScheduler", refuse_functions},
                                                  {"ModelCheckpoint", make_callback<callbacks::ModelCheckpoint>},
                                                  {"ProgbarLogger", make_callback<callbacks::ProgbarLogger>},
                                                  {"ReduceLROnPlateau", make_callback<callbacks::ReduceLROnPlateau>},
                                                  {"SwapEMAWeights", make_callback<callbacks::SwapEMAWeights>},
                                                  {"TerminateOnNaN", make_callback<callbacks::TerminateOnNaN>},
                                                  {"Trace", make_callback<callbacks::Trace>},
                                              });
  return catalog;
}

}  // namespace

std::shared_ptr<Callback> Callback::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Callback> Callback::make(const std::string& name, const Config& config) {
  return callback_catalog().at(name)(name, config);
}

std::string Callback::class_name() const {
  const std::string name = c10::demangle(typeid(*this).name());
  const auto colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace tandem
