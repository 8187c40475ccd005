#pragma once
/// The version of Tandem that a program is compiled with. CMakeLists.txt reads it here.
#define TANDEM_VERSION_MAJOR 0
#define TANDEM_VERSION_MINOR 1
#define TANDEM_VERSION_PATCH 0
#define TANDEM_VERSION "0.1.0"
