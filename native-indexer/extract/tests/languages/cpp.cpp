#include <vector>

namespace shapes {

template <typename T>
class Box {
public:
  explicit Box(T value);
  ~Box() {}
  T area() const { return value_; }
  Box &operator=(const Box &other) { return *this; }

private:
  T value_;
};

struct Point {
  int x;
};

enum class Color { Red };

using Boxes = std::vector<Box<int>>;

int Widget::paint(int x) {
  return x;
}

Widget::~Widget() {}

}  // namespace shapes

int main() { return 0; }
