<?php

namespace App\Shapes;

use App\Canvas;

/** A shape. */
interface Shape
{
    public function area(): float;
}

final class Circle implements Shape
{
    public const LIMIT = 10;
    private float $radius = 1.0;

    public function area(): float
    {
        return $this->radius;
    }
}

trait Draws
{
    public function draw(Canvas $canvas): void
    {
    }
}

enum Level: int
{
    case Low = 1;
}

function total(array $shapes): float
{
    return 0.0;
}

define('SHOP_LIMIT', 3);

class Basket
{
    public function __construct(private readonly array $items)
    {
    }
}
