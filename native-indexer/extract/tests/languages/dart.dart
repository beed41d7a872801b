import 'dart:math';

/// A shape.
abstract class Shape {
  double get area;
}

class Circle extends Shape {
  final double radius;
  Circle(this.radius);

  @override
  double get area => pi * radius;

  void draw(int canvas) {}
}

mixin Draws {
  void paint() {}
}

enum Level { low, high }

typedef Listener = void Function(int);

double total(List<Shape> shapes) => 0;
