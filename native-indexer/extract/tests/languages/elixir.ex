defmodule Shapes.Circle do
  @moduledoc "Circles."

  alias Shapes.Canvas

  defstruct radius: 1

  @doc "What it covers."
  @spec area(t) :: float
  def area(%{radius: radius}) when radius > 0 do
    radius * 3
  end

  defp helper, do: :ok

  defmacro draw(canvas) do
    quote do: unquote(canvas)
  end
end

defprotocol Shapes.Drawable do
  def draw(shape)
end
