#include "tandem/core/random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>

#include "tandem/core/error.h"
#include "tandem/core/kept_layer_numbers.h"

namespace tandem {
namespace {

// One Philox key has 2^64 subsequences of 2^64 blocks of four 32-bit numbers. Each use has a subsequence of its own.
enum Subsequence : uint64_t { kElements = 0, kFoldNumber = 1, kFoldName = 2, kWords = 3 };

constexpr uint64_t kBlock = 4;  // elements a block
constexpr int64_t kBlocksPerTask = 4096;

using Block = std::array<float, kBlock>;

// Elements 4b ... 4b+3 lie in block b. `make` turns the next block of the engine into floats.
template <class Make>
void fill(uint64_t key, std::span<float> out, uint64_t first, const Make& make) {
  at::Philox4_32 engine(key, kElements, first / kBlock);
  std::size_t skip = first % kBlock;
  for (std::size_t i = 0; i < out.size();) {
    const Block block = make(engine);
    const std::size_t count = std::min<std::size_t>(kBlock - skip, out.size() - i);
    std::copy_n(block.begin() + skip, count, out.begin() + i);
    i += count;
    skip = 0;
  }
}

float to_uniform(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }

Block uniform_block(at::Philox4_32& engine) {
  Block block;
  for (float& x : block) x = to_uniform(engine());
  return block;
}

// Box and Muller 1958, one pair of elements from one pair of numbers. The first lies in (0, 1]: its logarithm is
// finite.
Block normal_block(at::Philox4_32& engine) {
  Block block;
  for (std::size_t pair = 0; pair < kBlock; pair += 2) {
    const double u = (engine() + 1.0) * 0x1p-32;
    const double angle = engine() * (2 * std::numbers::pi * 0x1p-32);
    const double radius = std::sqrt(-2 * std::log(u));
    block[pair] = static_cast<float>(radius * std::cos(angle));
    block[pair + 1] = static_cast<float>(radius * std::sin(angle));
  }
  return block;
}

// Tasks begin and end at block borders of the output, so the numbers do not depend on the number of threads.
template <class Fill>
Tensor filled(const Shape& shape, uint64_t first, const Fill& fill_span) {
  const int64_t count = shape.count();
  Tensor tensor = at::empty(shape.sizes(), at::kFloat);
  float* data = tensor.mutable_data_ptr<float>();
  const int64_t block = kBlock;
  at::parallel_for(0, (count + block - 1) / block, kBlocksPerTask, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * block, to = std::min(end * block, count);
    fill_span(std::span(data + from, data + to), first + static_cast<uint64_t>(from));
  });
  return tensor;
}

uint64_t next_word(at::Philox4_32& engine) {
  const uint64_t low = engine();
  return low | uint64_t{engine()} << 32;
}

// The high half of a 64 x 64 bit product (Lemire 2019, without rejection): each result is likely to 1/n within 2^-64.
int64_t scale_to(uint64_t word, int64_t n) {
  __extension__ using uint128 = unsigned __int128;
  return static_cast<int64_t>((static_cast<uint128>(word) * static_cast<uint64_t>(n)) >> 64);
}

// FNV-1a: the same on every machine, as std::hash is not.
uint64_t hash_name(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

uint64_t fold_key(uint64_t key, Subsequence subsequence, uint64_t value) {
  at::Philox4_32 engine(key, subsequence, value);
  return next_word(engine);
}

std::mutex root_mutex;
std::optional<uint64_t> root_key;
std::atomic<int64_t> layer_count{0};

}  // namespace

RandomStream RandomStream::fold(uint64_t value) const { return RandomStream(fold_key(key_, kFoldNumber, value)); }

RandomStream RandomStream::fold(std::string_view name) const {
  return RandomStream(fold_key(key_, kFoldName, hash_name(name)));
}

void RandomStream::uniform(std::span<float> out, uint64_t first) const { fill(key_, out, first, uniform_block); }

void RandomStream::normal(std::span<float> out, uint64_t first) const { fill(key_, out, first, normal_block); }

float RandomStream::uniform_at(uint64_t i) const {
  float element;
  uniform(std::span(&element, 1), i);
  return element;
}

int64_t RandomStream::below(int64_t n, uint64_t i) const {
  if (n <= 0) throw InvalidArgument(c10::str("random number below n: n must be positive, got ", n));
  at::Philox4_32 engine(key_, kWords, i / 2);
  if (i % 2) next_word(engine);
  return scale_to(next_word(engine), n);
}

std::vector<int64_t> RandomStream::permutation(int64_t n) const {
  if (n < 0) throw InvalidArgument(c10::str("permutation of n numbers: n must not be negative, got ", n));
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  // Fisher and Yates, from the end.
  at::Philox4_32 engine(key_, kWords);
  for (int64_t i = n; i > 1; --i) std::swap(order[i - 1], order[scale_to(next_word(engine), i)]);
  return order;
}

Tensor RandomStream::uniform(const Shape& shape, uint64_t first) const {
  return filled(shape, first, [this](std::span<float> out, uint64_t i) { uniform(out, i); });
}

Tensor RandomStream::normal(const Shape& shape, uint64_t first) const {
  return filled(shape, first, [this](std::span<float> out, uint64_t i) { normal(out, i); });
}

void set_random_seed(int64_t seed) {
  const std::lock_guard lock(root_mutex);
  root_key = static_cast<uint64_t>(seed);
  layer_count = 0;
}

RandomStream random_root() {
  const std::lock_guard lock(root_mutex);
  if (!root_key) {
    std::random_device system;
    root_key = uint64_t{system()} << 32 | system();
  }
  return RandomStream(*root_key);
}

int64_t next_layer_number() { return layer_count++; }

KeptLayerNumbers::KeptLayerNumbers() : number_(layer_count) {}
KeptLayerNumbers::~KeptLayerNumbers() { layer_count = number_; }

}  // namespace tandem
