#include "config/keys.h"

#include <algorithm>
#include <vector>

namespace moldau::config {
namespace {

// Levenshtein distance; stops counting above `limit`.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

const Key* find(std::span<const Key> keys, std::string_view name) {
  const auto at = std::ranges::lower_bound(keys, name, {}, &Key::name);
  return at != keys.end() && at->name == name ? &*at : nullptr;
}

std::string_view nearest(std::span<const Key> keys, std::string_view name) {
  size_t best = std::max<size_t>(2, name.size() / 5) + 1;  // further away is no typing error
  std::string_view found;
  for (const Key& key : keys) {
    const size_t d = distance(name, key.name, best);
    if (d < best) best = d, found = key.name;
  }
  return found;
}

}  // namespace moldau::config
