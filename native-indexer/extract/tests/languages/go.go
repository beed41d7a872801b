// Package shapes has shapes.
package shapes

import "fmt"

const Limit = 10

var registry = map[string]Shape{}

// Shape can be drawn.
type Shape interface {
	Draw(canvas int) error
}

type Circle struct {
	radius float64
}

type Name string

// Draw draws it.
func (c *Circle) Draw(canvas int) error {
	return fmt.Errorf("no")
}

func (s Stack[T]) Push(item T) {}

// New makes one.
func New(radius float64) *Circle {
	return &Circle{radius}
}

type Price struct {
	Amount, Scale int
	Currency      string `json:"currency"`
}
