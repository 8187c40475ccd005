// Images a second that the loader serves: 50,000 images of 32 x 32 x 3 bytes, shuffled, the mean image subtracted,
// changed at random, in batches of 64, by two workers.
//
// usage: loader_benchmark shift|affine EPOCHS    shift: by a tenth, and flipped. affine: rotation, zoom and shear as
// well. Prints one JSON line.
#include "tandem/data/loader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/data/preprocessing.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_rotation.h"
#include "tandem/data/random_shear.h"
#include "tandem/data/random_shift.h"
#include "tandem/data/random_zoom.h"
#include "tandem/kernels/cpu_allocator.h"

namespace {

using namespace tandem;

constexpr int64_t kRows = 50'000, kBatch = 64, kWorkers = 2;

Dataset augmented(Dataset data, const std::string& how) {
  data = data.map(data::Preprocessing::fit_mean(data).transform());
  if (how == "affine") data = data.map(data::RandomRotation(15)).map(data::RandomZoom(0.1)).map(data::RandomShear(10));
  return data.map(data::RandomShift(0.1)).map(data::RandomFlip("horizontal"));
}

// Images a second of each epoch; the first, which is not among them, fills caches.
std::vector<double> serve(const Dataset& data, int64_t epochs) {
  data::Loader loader(data, {.last_epoch = epochs, .random = random_root()});
  std::vector<double> rates;
  for (int64_t epoch = 0; epoch <= epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    loader.start_epoch(epoch);
    int64_t rows = 0;
    while (const auto batch = loader.next()) rows += batch->rows();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (epoch > 0) rates.push_back(static_cast<double>(rows) / seconds.count());
  }
  return rates;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc == 3 ? argv[1] : "";
  const int64_t epochs = argc == 3 ? std::atol(argv[2]) : 0;
  if ((how != "shift" && how != "affine") || epochs < 1) {
    std::cerr << "usage: loader_benchmark shift|affine EPOCHS\n";
    return 2;
  }
  kernels::install_cpu_allocator();  // as in fit
  set_random_seed(0);
  const Tensor x = at::randint(256, {kRows, 32, 32, 3}, at::kByte), y = at::arange(kRows).remainder(10);
  const Dataset data = augmented(data::TensorDataset(x, y), how).shuffle().batch(kBatch).prefetch(-1, kWorkers);
  std::vector<double> rates = serve(data, epochs);
  std::sort(rates.begin(), rates.end());
  std::cout << R"({"change": ")" << how << R"(", "workers": )" << kWorkers << R"(, "images_per_second_best": )"
            << rates.back() << R"(, "images_per_second_median": )" << rates[rates.size() / 2] << "}\n";
}
