package org.example

import kotlin.math.PI

/** A shape. */
interface Shape {
    val area: Double
    fun draw()
}

data class Circle(val radius: Double) : Shape {
    override val area: Double = PI * radius
    override fun draw() {}

    companion object Factory {
        fun unit() = Circle(1.0)
    }
}

object Registry {
    fun register(shape: Shape) {}
}

enum class Level { LOW, HIGH }

typealias Shapes = List<Shape>

fun Circle.scale(by: Double): Circle = Circle(radius * by)

object Registry { fun register() {} ; val all = listOf(1) }
enum class Level { LOW, HIGH; fun next() = HIGH }
class Money(val amount: Int, currency: String) { companion object { const val ZERO = 0 } }
