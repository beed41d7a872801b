module Shapes where

import Data.List (sort)

-- | A shape.
data Shape = Circle Double | Square Double

newtype Name = Name String

type Shapes = [Shape]

class Drawable a where
  draw :: a -> String

instance Drawable Shape where
  draw _ = "shape"

-- | What it covers.
area :: Shape -> Double
area (Circle r) = pi * r
area (Square s) = s * s

limit = 10
