#pragma once
#include <concepts>
#include <functional>
#include <utility>

#include "tandem/core/random.h"
#include "tandem/data/example.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Calls a function for each row and stacks the results, which must have equal shapes:
///     train.map(data::MapRows([](data::Example row) { row.x[0] = row.x[0].sqrt(); return row; }))
/// A second parameter, if it has one, is the row's random stream: it gives the same numbers for any number of workers.
/// The function is called by several threads at once.
class MapRows : public TransformHandle {
 public:
  using Function = std::function<Example(Example, const RandomStream&)>;

  template <std::invocable<Example, const RandomStream&> F>
  explicit MapRows(F function) : MapRows(Function(std::move(function)), 0) {}
  template <std::invocable<Example> F>
  explicit MapRows(F function)
      : MapRows(Function([function = std::move(function)](Example row, const RandomStream&) {
                  return function(std::move(row));
                }),
                0) {}

 private:
  MapRows(Function function, int);
};

}  // namespace tandem::data
