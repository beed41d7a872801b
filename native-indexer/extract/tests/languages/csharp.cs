using System;

namespace Example.Shapes
{
    /// <summary>A shape.</summary>
    public interface IShape
    {
        double Area { get; }
    }

    public class Circle : IShape
    {
        private readonly double radius = 1;

        public event EventHandler Changed;

        public Circle(double radius)
        {
        }

        public double Area => radius;

        [Obsolete]
        public void Draw<T>(T canvas)
        {
            int Twice(int x) => x * 2;
        }
    }

    public enum Level { Low, High }

    public record Point(int X, int Y);

    public struct Pair { }

    public delegate void Listener(object sender);
}

namespace Shop
{
    public record Price(decimal Amount);

    public class Basket
    {
        ~Basket() { }
        public int this[int index] => index;
        public static Basket operator +(Basket left, Basket right) => left;
        public static implicit operator int(Basket basket) => 0;
        public event Handler Changed { add { } remove { } }
    }
}
