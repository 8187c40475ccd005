#include "tandem/data/http_get.h"

#include <c10/util/StringUtil.h>
#include <curl/curl.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "tandem/core/error.h"

namespace tandem::data {
namespace {

constexpr long kConnectSeconds = 20, kSlowSeconds = 30, kSlowBytesASecond = 1000, kMostRedirects = 5;

struct FreeCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The end of a file that is being written.
struct Sink {
  std::FILE* file;
  int64_t written, most;
  bool too_long = false;
};

// What libcurl calls with each piece.
std::size_t append(char* piece, std::size_t, std::size_t bytes, void* to) {
  auto& sink = *static_cast<Sink*>(to);
  sink.too_long = sink.written + static_cast<int64_t>(bytes) > sink.most;
  if (sink.too_long || std::fwrite(piece, 1, bytes, sink.file) != bytes) return 0;
  sink.written += static_cast<int64_t>(bytes);
  return bytes;
}

struct Outcome {
  std::string problem;
  bool refused_middle = false;  // the server cannot begin in the middle
};

Outcome get_rest(const std::string& url, const std::filesystem::path& path, int64_t begin, int64_t bytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), begin > 0 ? "ab" : "wb"));
  if (!file) return {c10::str("cannot write ", path.string(), ": ", std::strerror(errno))};
  const std::unique_ptr<CURL, FreeCurl> curl(curl_easy_init());
  if (!curl) throw InternalError("download: libcurl could not be started");
  Sink sink{file.get(), begin, bytes};
  std::array<char, CURL_ERROR_SIZE> reason{};
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "https,http");
  set(CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("https:") ? "https" : "https,http");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMostRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "tandem");
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesASecond);
  set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(begin));
  set(CURLOPT_WRITEFUNCTION, append);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&sink));
  set(CURLOPT_ERRORBUFFER, reason.data());
  const CURLcode code = curl_easy_perform(curl.get());
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  constexpr long kRangeNotSatisfiable = 416;
  if (begin > 0 && (code == CURLE_RANGE_ERROR || status == kRangeNotSatisfiable)) return {"", true};
  if (sink.too_long) return {c10::str("it must have ", bytes, " bytes, has more")};
  if (code != CURLE_OK) return {reason[0] != '\0' ? reason.data() : curl_easy_strerror(code)};
  if (std::fflush(file.get()) != 0) return {c10::str("cannot write ", path.string(), ": ", std::strerror(errno))};
  return {};
}

}  // namespace

std::string http_get(const std::string& url, const std::filesystem::path& file, int64_t bytes) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  std::error_code error;
  const auto there = std::filesystem::file_size(file, error);
  const int64_t begin = error || static_cast<int64_t>(there) > bytes ? 0 : static_cast<int64_t>(there);
  auto outcome = get_rest(url, file, begin, bytes);
  if (outcome.refused_middle) outcome = get_rest(url, file, 0, bytes);
  return outcome.problem;
}

}  // namespace tandem::data
