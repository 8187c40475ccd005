#include "tandem/callbacks/csv_logger.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tandem/callbacks/folder_of.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/core/python_text.h"
#include "tandem/core/utf8.h"

namespace tandem::callbacks {
namespace {

class CsvWriter : public Callback {
 public:
  CsvWriter(std::string filename, CSVLoggerOptions options)
      : filename_(std::move(filename)), options_(std::move(options)) {
    const auto& separator = options_.separator;
    if (decode_utf8(separator).size() != 1 || separator.find_first_of("\"\r\n") != std::string::npos)
      throw InvalidArgument(
          c10::str("CSVLogger: separator must be one character, no quote and no line end, got '", separator, "'"));
  }

  std::string class_name() const override { return "CSVLogger"; }
  Config get_config() const override {
    return Config::object({{"filename", filename_}, {"separator", options_.separator}, {"append", options_.append}});
  }

  void on_train_begin(Logs&) override {
    if (!leads()) return;
    std::error_code unknown;
    const bool goes_on = options_.append && std::filesystem::file_size(filename_, unknown) > 0 && !unknown;
    has_names_ = goes_on;
    columns_.clear();
    make_folder_of(filename_, "CSVLogger");
    file_ = std::ofstream(filename_, options_.append ? std::ios::app : std::ios::trunc);
    check();
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (!leads()) return;
    if (columns_.empty()) begin_table(logs);
    std::vector<std::string> row = {std::to_string(epoch)};
    for (const auto& column : columns_) row.push_back(logs.contains(column) ? python_text(logs[column]) : "NA");
    write(row);
    file_.flush();
    check();
  }

  void on_train_end(Logs&) override {
    if (!leads()) return;
    file_.close();
    check();
  }

 private:
  void begin_table(const Logs& logs) {
    for (const auto& [name, value] : logs.sorted()) columns_.push_back(name);
    const auto is_validation = [](const std::string& name) { return name.starts_with("val_"); };
    if (std::none_of(columns_.begin(), columns_.end(), is_validation)) {
      const std::size_t n = columns_.size();
      for (std::size_t i = 0; i < n; ++i) columns_.push_back("val_" + columns_[i]);
    }
    if (has_names_) return;
    has_names_ = true;
    std::vector<std::string> names = {"epoch"};
    names.insert(names.end(), columns_.begin(), columns_.end());
    write(names);
  }

  void write(const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) file_ << (i ? options_.separator : "") << quoted(row[i]);
    file_ << "\r\n";
  }

  // In quotes where the text could be taken for more than one field.
  std::string quoted(const std::string& text) const {
    if (text.find_first_of("\"\r\n") == std::string::npos && text.find(options_.separator) == std::string::npos)
      return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
  }

  void check() const {
    if (!file_)
      throw DataError(c10::str("CSVLogger: file '", filename_, "' cannot be written: ", std::strerror(errno)));
  }

  std::string filename_;
  CSVLoggerOptions options_;
  std::ofstream file_;
  std::vector<std::string> columns_;  // without the epoch's
  bool has_names_ = false;
};

}  // namespace

CSVLogger::CSVLogger(std::string filename, CSVLoggerOptions options)
    : Handle(std::make_shared<CsvWriter>(std::move(filename), std::move(options))) {}

CSVLogger CSVLogger::from_config(const Config& config) {
  std::string filename;
  CSVLoggerOptions options;
  ConfigReader("CSVLogger", config)
      .require("filename", filename)
      .read("separator", options.separator)
      .read("append", options.append)
      .finish();
  return CSVLogger(std::move(filename), std::move(options));
}

}  // namespace tandem::callbacks
