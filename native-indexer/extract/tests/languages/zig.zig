const std = @import("std");

pub const limit = 10;

/// A list.
pub const List = struct {
    items: []u8,

    pub fn push(self: *List, item: u8) void {
        _ = item;
    }
};

const Level = enum { low, high };

pub fn main() !void {}

test "push adds" {
    try std.testing.expect(true);
}
