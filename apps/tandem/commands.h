#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace tandem::cli {

/// Each adds a subcommand to `app`; what it does when it was chosen goes to `run`, which returns the exit status.
using Run = std::function<int()>;
void add_train(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_summary(CLI::App& app, Run& run);
void add_convert(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_info(CLI::App& app, Run& run);
void add_launch(CLI::App& app, Run& run);
void add_serve_parameters(CLI::App& app, Run& run);

/// What serve-parameters does for a process whose role is ps; `server_sync`, `sync_every`: its options of these names.
int serve_as_ps(const std::string& server_sync = {}, int64_t sync_every = 1);
/// True for such a process.
bool is_ps();

}  // namespace tandem::cli
