#include "tandem/data/csv_reader.h"

#include <c10/util/StringUtil.h>
#include <csv.h>

#include <algorithm>
#include <exception>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/data/gz_file.h"

namespace tandem::data {
namespace {

// What libcsv calls back with. An exception waits here until libcsv has returned, since C must not be unwound.
struct CsvState {
  const std::function<void(const CsvLine&)>& take;
  CsvLine line;
  std::exception_ptr error = nullptr;
};

void take_field(void* text, std::size_t length, void* data) {
  auto& state = *static_cast<CsvState*>(data);
  try {
    state.line.fields.emplace_back(static_cast<const char*>(text), length);
  } catch (...) {
    state.error = std::current_exception();
  }
}

void take_line(int, void* data) {
  auto& state = *static_cast<CsvState*>(data);
  try {
    if (!state.error) state.take(state.line);
  } catch (...) {
    state.error = std::current_exception();
  }
  state.line.fields.clear();
}

class CsvParser {
 public:
  CsvParser(const std::string& path, char delimiter, CsvState& state) : path_(path), state_(state) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw InternalError("csv: libcsv could not be started");
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  }
  ~CsvParser() { csv_free(&parser_); }
  CsvParser(const CsvParser&) = delete;
  CsvParser& operator=(const CsvParser&) = delete;

  // At most one line.
  void parse(std::string_view text) {
    const auto taken = csv_parse(&parser_, text.data(), text.size(), take_field, take_line, &state_);
    check(taken == text.size());
  }
  void finish() { check(csv_fini(&parser_, take_field, take_line, &state_) == 0); }

 private:
  void check(bool parsed) {
    if (state_.error) std::rethrow_exception(state_.error);
    if (!parsed) {
      throw DataError(
          c10::str(path_, ", line ", state_.line.number, ": a quoted field must end with a quote and nothing else"));
    }
  }

  const std::string& path_;
  CsvState& state_;
  csv_parser parser_;
};

}  // namespace

void read_csv(const std::string& path, char delimiter, const std::function<void(const CsvLine&)>& take) {
  GzFile file(path);
  CsvState state{.take = take, .line = {{}, 1}};
  CsvParser parser(path, delimiter, state);
  std::string block(1 << 16, '\0');
  bool at_start = true;
  while (const std::size_t bytes = file.read(block.data(), block.size())) {
    std::string_view rest(block.data(), bytes);
    if (at_start && rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // the mark of UTF-8
    at_start = false;
    while (!rest.empty()) {
      const auto length = std::min(rest.find('\n'), rest.size() - 1) + 1;
      parser.parse(rest.substr(0, length));
      if (rest[length - 1] == '\n') ++state.line.number;
      rest.remove_prefix(length);
    }
  }
  parser.finish();
}

}  // namespace tandem::data
