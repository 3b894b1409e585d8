#include <cstdio>

int main() {
  std::puts("moldau 0.1.0");
  return 0;
}
