#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/logs.h"

namespace tandem {

/// A file name with fields, written as for Python's str.format: "{epoch:02d}-{val_loss:.2f}.weights.h5". A field is
/// `{name}` or `{name:spec}`, where spec is `[0][width][.digits][d, f, e or g]`; "{{" and "}}" stand for one brace.
/// epoch and batch are whole numbers, every log is a real.
class FilePattern {
 public:
  /// Throws InvalidArgument, `where` first, when the text is no such pattern.
  FilePattern(std::string where, std::string text);

  const std::string& text() const { return text_; }
  /// The name with its fields filled in, `epoch` and `batch` as they are shown (counting from 1). Throws
  /// InvalidArgument naming a field that is none of them and no log.
  std::string fill(int64_t epoch, std::optional<int64_t> batch, const Logs& logs) const;

 private:
  struct Field {
    std::string name;  // empty: only the text before it
    bool zeros = false;
    int64_t width = 0;
    int64_t digits = -1;
    char type = 0;
  };
  struct Piece {
    std::string before;
    Field field;
  };

  [[noreturn]] void refuse(const std::string& why) const;
  Field parse_field(const std::string& content) const;

  std::string where_, text_;
  std::vector<Piece> pieces_;
};

}  // namespace tandem
