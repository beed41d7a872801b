package org.example

import scala.math.Pi

/** A shape. */
trait Shape {
  def area: Double
}

case class Circle(radius: Double) extends Shape {
  val limit = 10
  def area: Double = Pi * radius
}

object Circle {
  def unit: Circle = Circle(1)
}

enum Level:
  case Low

type Shapes = List[Shape]

given ordering: Ordering[Circle] = ???
