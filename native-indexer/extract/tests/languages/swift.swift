import Foundation

/// A shape.
protocol Shape {
    var area: Double { get }
    func draw()
}

class Circle: Shape {
    var area: Double = 0

    init(radius: Double) {
    }

    func draw() {
    }
}

extension Circle {
    func scale(by factor: Double) -> Circle { self }
}

struct Point {
    let x: Int
}

enum Level {
    case low
}

typealias Shapes = [Shape]

func total(_ shapes: Shapes) -> Double { 0 }

final class Buffer {
    subscript(index: Int) -> Int { storage[index] }
    deinit { free(storage) }
    static func == (left: Buffer, right: Buffer) -> Bool { true }
}

infix operator +++: AdditionPrecedence

extension Array where Element == Int {
    func total() -> Int { reduce(0, +) }
}
