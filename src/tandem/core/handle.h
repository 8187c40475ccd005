#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "tandem/core/error.h"

namespace tandem {

/// A name or an object: what options such as `.optimizer = "sgd"` or `.optimizer = optimizers::SGD({...})` hold. T
/// gives `static std::shared_ptr<T> make(const std::string& name)`, which looks the name up in T's catalog.
template <class T>
class Handle {
 public:
  Handle() = default;
  Handle(const char* name) : name_(name) {}
  Handle(std::string name) : name_(std::move(name)) {}
  template <std::derived_from<T> D>
  Handle(std::shared_ptr<D> object) : object_(std::move(object)) {}

  bool empty() const { return !object_ && name_.empty(); }
  /// The name given, empty when an object was.
  const std::string& name() const { return name_; }
  /// The object given, or null while it is a name.
  const std::shared_ptr<T>& object() const { return object_; }
  /// The object, made from its name in the catalog where a name was given. Throws InvalidArgument on an unknown name.
  std::shared_ptr<T> get() const {
    if (object_) return object_;
    if (name_.empty()) throw InvalidArgument("a name or an object must be given, got nothing");
    return T::make(name_);
  }

 private:
  std::string name_;
  std::shared_ptr<T> object_;
};

}  // namespace tandem
