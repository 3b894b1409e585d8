// The cores that this process may use.
#pragma once
#include <string>
#include <vector>

namespace moldau::io {

// The cores that the process was given when it started.
const std::vector<int>& allowed_cpus();
// How many lanes make sense: one a core, not more than a container's quota of time.
int useful_lanes();
void pin_to(int cpu);
void use_every_cpu();
void name_thread(const std::string& name);

}  // namespace moldau::io
