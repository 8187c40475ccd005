// The header of a safetensors file: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
// "__metadata__": {"key": "text"}}.
#include "tandem/saving/safetensors_header.h"

#include <c10/util/StringUtil.h>

#include <nlohmann/json.hpp>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/saving/safetensors_layout.h"
#include "tandem/saving/safetensors_types.h"

namespace tandem::saving {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kMostAxes = 64;  // of a LibTorch tensor

/// Takes the parser's events one by one and stops at the first that has no place in a header, so that nothing is kept
/// of what a damaged or made up text holds besides.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(const std::string& where) : where_(where) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return misplaced("null"); }
  bool boolean(bool) override { return misplaced("a truth value"); }
  bool number_integer(number_integer_t value) override { return misplaced(c10::str("the number ", value)); }
  bool number_float(number_float_t, const string_t& digits) override {
    return misplaced("the number " + digits.substr(0, 80));
  }
  bool binary(binary_t&) override { return misplaced("binary values"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::shape) {
      if (value > static_cast<uint64_t>(INT64_MAX)) fail(c10::str("a size must fit into 63 bits, got ", value));
      if (sizes_.size() == kMostAxes) fail(c10::str("shape must have at most ", kMostAxes, " axes"));
      sizes_.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (place_ != Place::offsets) return misplaced(c10::str("the number ", value));
    if (offsets_.size() == 2) fail("data_offsets must be two numbers, got more");
    offsets_.push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(key_, std::move(value)).second)
        fail(c10::str("must have each key once, has ", Config(key_).shown(), " twice"));
      return true;
    }
    if (place_ != Place::tensor || key_ != "dtype") return misplaced("the text " + Config(value).shown());
    const auto type = safetensors_type(value);
    if (!type) fail(c10::str("dtype must be one of ", safetensors_type_names(), ", is ", Config(value).shown()));
    header_.tensors.back().type = *type;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top && key_ == kMetadata) {
      if (metadata_seen_) fail(c10::str(kMetadata, " must be there once"));
      metadata_seen_ = true;
      place_ = Place::metadata;
    } else if (place_ == Place::top) {
      place_ = Place::tensor;
      header_.tensors.push_back({.name = key_, .type = at::kFloat, .shape = {}});
      has_dtype_ = has_shape_ = has_offsets_ = false;
    } else {
      return misplaced("an object");
    }
    return true;
  }

  bool key(string_t& key) override {
    if (place_ == Place::tensor) {
      bool* seen = key == "dtype"          ? &has_dtype_
                   : key == "shape"        ? &has_shape_
                   : key == "data_offsets" ? &has_offsets_
                                           : nullptr;
      if (!seen) fail(c10::str("must have dtype, shape and data_offsets, has ", Config(key).shown()));
      if (*seen) fail(c10::str("must have ", key, " once"));
      *seen = true;
    }
    if (place_ == Place::top) tensor_ = key;
    key_ = std::move(key);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && !(has_dtype_ && has_shape_ && has_offsets_))
      fail("must have dtype, shape and data_offsets");
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::tensor && key_ == "shape") {
      place_ = Place::shape;
      sizes_.clear();
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      place_ = Place::offsets;
      offsets_.clear();
    } else {
      return misplaced("a list");
    }
    return true;
  }

  bool end_array() override {
    auto& tensor = header_.tensors.back();
    if (place_ == Place::shape) {
      tensor.shape = Shape::of(sizes_);
    } else {
      if (offsets_.size() != 2) fail("data_offsets must be two numbers");
      tensor.begin = offsets_[0];
      tensor.end = offsets_[1];
    }
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw DataError(c10::str(where_, ": header: is no JSON text, from byte ", position, " of it on"));
  }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets };

  [[noreturn]] void fail(const std::string& what) const {
    if (place_ == Place::outside || place_ == Place::top) throw DataError(c10::str(where_, ": header: ", what));
    if (place_ == Place::metadata) throw DataError(c10::str(where_, ": header: ", kMetadata, ": ", what));
    throw DataError(c10::str(where_, ": tensor ", Config(tensor_).shown(), ": ", what));
  }

  bool misplaced(const std::string& what) const {
    if (place_ == Place::outside) fail("must be an object, is " + what);
    if (place_ == Place::top) fail(c10::str("member ", Config(tensor_).shown(), " must be an object, is ", what));
    if (place_ == Place::metadata) fail(c10::str("member ", Config(key_).shown(), " must be a text, is ", what));
    fail(
        c10::str("member ", key_, " must be ", key_ == "dtype" ? "a text" : "a list of whole numbers", ", has ", what));
  }

  const std::string& where_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::string tensor_, key_;  // of the member of the top that is being read, and the latest key
  bool metadata_seen_ = false, has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
  std::vector<int64_t> sizes_;
  std::vector<uint64_t> offsets_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t value_bytes, const std::string& where) {
  if (!text.starts_with('{')) throw DataError(c10::str(where, ": header: must begin with '{'"));
  HeaderReader reader(where);
  Json::sax_parse(text, &reader);
  SafetensorsHeader header = reader.take();
  check_safetensors_layout(header.tensors, value_bytes, where);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  const auto quoted = [](const std::string& text) { return Config(text).to_json(); };
  std::string text = "{";
  if (!header.metadata.empty()) {
    text += quoted(kMetadata) + ":{";
    for (const auto& [key, value] : header.metadata)
      text += c10::str(text.ends_with('{') ? "" : ",", quoted(key), ":", quoted(value));
    text += "}";
  }
  for (const auto& tensor : header.tensors) {
    text += c10::str(text == "{" ? "" : ",", quoted(tensor.name), R"(:{"dtype":")", safetensors_name(tensor.type),
                     R"(","shape":)", Config::list(tensor.shape.sizes()).to_json(), R"(,"data_offsets":[)",
                     tensor.begin, ",", tensor.end, "]}");
  }
  text += "}";
  constexpr std::size_t kAligned = 8;
  text.append((kAligned - text.size() % kAligned) % kAligned, ' ');
  return text;
}

}  // namespace tandem::saving
