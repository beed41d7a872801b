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

namespace shop::orders {
constexpr int kLimit = 3;
extern int open_orders;
class Order : public Base {
 public:
  Order();
  ~Order();
  Item& at(int index);
  explicit operator bool() const { return true; }
  bool operator()(int) const;
  static constexpr int kMost = 4;

 private:
  int count_ = 0, *rows_;
  void (*callback_)(int);
  enum class State { kOpen, kPaid };
};
Order::operator bool() const {
  int local = 1;
  return local;
}
}  // namespace shop::orders
