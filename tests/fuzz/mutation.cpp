#include "mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace tandem::fuzz {
namespace {

std::size_t below(std::size_t end, Random& random) { return end == 0 ? 0 : random() % end; }

// A part of `text`: where it begins, and how long it is, mostly short.
std::pair<std::size_t, std::size_t> part_of(const std::string& text, Random& random) {
  const std::size_t begin = below(text.size(), random);
  const std::size_t longest = random() % 4 == 0 ? text.size() : 32;
  return {begin, below(std::min(longest, text.size() - begin) + 1, random)};
}

// Numbers at which counts, sizes and offsets go wrong.
uint64_t awkward_number(Random& random) {
  constexpr std::array<uint64_t, 14> kNumbers{
      0, 1, 2, 7, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 1ULL << 40, 1ULL << 62, 1ULL << 63, UINT64_MAX};
  return kNumbers[below(kNumbers.size(), random)] + random() % 3 - 1;
}

void overwrite_number(std::string& text, Random& random) {
  const uint64_t number = awkward_number(random);
  const std::size_t width = std::size_t{1} << (random() % 4);
  if (text.size() < width) return;
  std::memcpy(text.data() + below(text.size() - width + 1, random), &number, width);
}

void replace_digits(std::string& text, Random& random) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(below(text.size(), random));
  const auto begin = std::find_if(from, text.end(), is_digit);
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  const std::string sign = random() % 4 == 0 ? "-" : "", fraction = random() % 8 == 0 ? ".5e300" : "";
  text.replace(begin, end, sign + std::to_string(awkward_number(random)) + fraction);
}

void replace_word(std::string& text, Random& random) {
  constexpr std::array<const char*, 12> kWords{"null",           "true",    "[]", "{}", "\"\"", "[[[[[[[[",
                                               "{\"a\":{\"a\":", "\\u0000", ",",  "\"", "]",    "}"};
  const auto [begin, length] = part_of(text, random);
  text.replace(begin, length, kWords[below(kWords.size(), random)]);
}

void change(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  const auto [begin, length] = part_of(text, random);
  switch (random() % 9) {
    case 0:
      if (!text.empty()) text[below(text.size(), random)] ^= static_cast<char>(1 << random() % 8);
      return;
    case 1:
      if (!text.empty()) text[below(text.size(), random)] = static_cast<char>(random());
      return;
    case 2:
      return overwrite_number(text, random);
    case 3:
      return replace_digits(text, random);
    case 4:
      return replace_word(text, random);
    case 5:
      text.erase(begin, length);
      return;
    case 6: {
      const std::string part = text.substr(begin, length);
      text.insert(below(text.size() + 1, random), part);
      return;
    }
    case 7: {
      const std::string& other = seeds[below(seeds.size(), random)];
      const auto [from, count] = part_of(other, random);
      text.replace(begin, length, other.substr(from, count));
      return;
    }
    default:
      if (random() % 8 == 0) text.resize(begin);
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, Random& random) {
  std::string text = seeds[below(seeds.size(), random)];
  for (uint64_t changes = 1 + random() % 8; changes > 0; --changes) change(text, seeds, random);
  return text;
}

}  // namespace tandem::fuzz
