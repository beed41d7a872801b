package org.example;

import java.util.List;

/** Keeps items. */
public class Box<T> {
    private static final int LIMIT = 10;

    public Box(List<T> items) {
    }

    /** How many there are. */
    @Override
    public int size() {
        return 0;
    }

    interface Visitor {
        void visit(Object item);
    }

    enum Color { RED, GREEN }

    record Point(int x, int y) {}

    @interface Marked {}
}
