"""Shapes."""

import math
from dataclasses import dataclass

LIMIT = 10


@dataclass
class Circle:
    """A round shape."""

    radius: float = 1.0
    UNIT = "m"

    # What it covers.
    @property
    def area(self) -> float:
        return math.pi * self.radius**2

    async def draw(
        self,
        canvas,
    ):
        def stroke(width):
            return width

        return stroke(1)


def total(shapes: list[Circle]) -> float:
    return sum(shape.area for shape in shapes)


type Shapes = list[Circle]
