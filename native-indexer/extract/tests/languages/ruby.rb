require 'json'

# Shapes.
module Shapes
  LIMIT = 10

  class Circle < Base
    attr_reader :radius

    # What it covers.
    def area
      3 * radius
    end

    def self.unit
      new(1)
    end

    alias surface area
  end
end
