#include "mesh_argument.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>

#include "tandem/core/error.h"

namespace tandem::cli {

MeshAxes parse_mesh(const std::string& text) {
  const auto refuse = [&] {
    throw InvalidArgument(c10::str(
        "--mesh: must be axes and sizes from 1 to 999999, as in data=2,pipe=1,tensor=2, each once, got '", text, "'"));
  };
  MeshAxes axes;
  std::map<std::string, int64_t*> open{{"data", &axes.data}, {"pipe", &axes.pipe}, {"tensor", &axes.tensor}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto item = text.substr(begin, end - begin);
    const auto sign = item.find('=');
    const auto axis = open.find(item.substr(0, sign));
    if (sign == std::string::npos || axis == open.end()) refuse();
    const auto digits = item.substr(sign + 1);
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos) refuse();
    *axis->second = std::stoll(digits);
    if (*axis->second == 0) refuse();
    open.erase(axis);
    begin = end + 1;
  }
  return axes;
}

}  // namespace tandem::cli
