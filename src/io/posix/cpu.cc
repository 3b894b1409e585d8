#include "io/posix/cpu.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace moldau::io {

const std::vector<int>& allowed_cpus() {
  static const std::vector<int> cpus = [] {
    std::vector<int> found;
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
      }
    }
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return cpus;
}

int useful_lanes() {
  const int cpus = static_cast<int>(allowed_cpus().size());
  const std::unique_ptr<FILE, decltype(&std::fclose)> file(std::fopen("/sys/fs/cgroup/cpu.max", "re"),
                                                           &std::fclose);
  long long quota_us = 0, period_us = 0;  // "max" instead of a quota: none
  if (!file || std::fscanf(file.get(), "%lld %lld", &quota_us, &period_us) != 2 || period_us <= 0)
    return cpus;
  return std::clamp(static_cast<int>((quota_us + period_us - 1) / period_us), 1, cpus);
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

void use_every_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : allowed_cpus()) CPU_SET(cpu, &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

void name_thread(const std::string& name) {
  ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace moldau::io
