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

class Story < Record
  attr_accessor :title, :score
  belongs_to :user
  has_many :comments, dependent: :destroy
  scope :recent, -> { order(:created_at) }
  delegate :name, to: :user
  def_delegator :@comments, :size, :comment_count
  define_method(:shout) { title.upcase }
  alias_method :yell, :shout
end
