#pragma once
#include <filesystem>

namespace tandem {

/// The folder of the library (or program) that the function at `within` belongs to: where its plug-ins are. Empty where
/// the dynamic linker does not say.
std::filesystem::path library_folder(const void* within);

}  // namespace tandem
