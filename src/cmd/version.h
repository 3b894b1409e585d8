// The release's version; CMakeLists.txt has it.
#pragma once
#include <string_view>

namespace moldau::cmd {

inline constexpr std::string_view kVersion = MOLDAU_VERSION;

}  // namespace moldau::cmd
