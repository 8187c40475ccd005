#include "tandem/data/rethrow_at.h"

#include <c10/util/Exception.h>

#include <exception>

#include "tandem/core/error.h"

namespace tandem::data {

void rethrow_at(const std::string& where) {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(where + ": " + error.what());
  } catch (const InternalError& error) {
    throw InternalError(where + ": " + error.what());
  } catch (const c10::Error& error) {
    throw DataError(where + ": " + error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw DataError(where + ": " + error.what());
  } catch (...) {
    throw DataError(where + ": an exception that is no std::exception");
  }
}

}  // namespace tandem::data
