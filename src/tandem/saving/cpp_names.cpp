#include "tandem/saving/cpp_names.h"

#include <cctype>

namespace tandem::saving {
namespace {

// Letters, digits and single underlines, beginning with a small letter: so it is no name of a class, and none that
// compilers keep for themselves.
std::string identifier(const std::string& wish) {
  std::string name;
  for (const char c : wish) {
    const bool fits = static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c));
    if (fits) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (!name.empty()) name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) name.insert(0, "n_");
  return name;
}

}  // namespace

CppNames::CppNames()
    : taken_{"alignas",     "alignof",
             "and",         "argc",
             "argv",        "asm",
             "auto",        "bitand",
             "bitor",       "bool",
             "break",       "case",
             "catch",       "char",
             "class",       "compl",
             "concept",     "const",
             "continue",    "constexpr",
             "constinit",   "consteval",
             "decltype",    "default",
             "delete",      "do",
             "double",      "else",
             "enum",        "explicit",
             "export",      "extern",
             "false",       "float",
             "for",         "friend",
             "goto",        "if",
             "inline",      "initializers",
             "int",         "layers",
             "long",        "main",
             "model",       "mutable",
             "namespace",   "new",
             "noexcept",    "not",
             "nullptr",     "operator",
             "or",          "private",
             "protected",   "public",
             "register",    "regularizers",
             "constraints", "requires",
             "return",      "short",
             "signed",      "sizeof",
             "static",      "std",
             "struct",      "switch",
             "tandem",      "template",
             "this",        "throw",
             "true",        "try",
             "typedef",     "typeid",
             "typename",    "union",
             "unsigned",    "using",
             "virtual",     "void",
             "volatile",    "while",
             "xor",         "layer_from_config"} {}

std::string CppNames::unique(const std::string& wish) {
  const std::string base = identifier(wish);
  std::string name = base;
  for (int i = 1; !taken_.insert(name).second; ++i) name = base + (base.ends_with('_') ? "" : "_") + std::to_string(i);
  return name;
}

}  // namespace tandem::saving
