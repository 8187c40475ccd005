#pragma once
#include <c10/util/Exception.h>

#include <exception>
#include <string>

#include "tandem/core/error.h"

namespace tandem {

/// Where in a model's config something stands: for messages, and against models within models without end.
class ConfigPlace {
 public:
  /// A place within this one: "layers[3] 'dense'". Throws DataError when that is too deep.
  ConfigPlace part(const std::string& what) const;
  /// Throws DataError with the place in front.
  [[noreturn]] void fail(const std::string& what) const;

  /// What `act` returns. What it throws becomes a DataError with the place in front.
  template <class Act>
  decltype(auto) run(const Act& act) const {
    try {
      return act();
    } catch (const Error& error) {
      fail(error.what());
    } catch (const c10::Error& error) {  // LibTorch's, as for a weight that is too large
      fail(first_line(error.what_without_backtrace()));
    } catch (const std::exception& error) {
      fail(first_line(error.what()));
    }
  }

 private:
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  std::string path_ = "model config";
  int depth_ = 0;
};

}  // namespace tandem
