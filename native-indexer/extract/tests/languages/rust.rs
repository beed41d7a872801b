//! Shapes.

use std::fmt;

pub const LIMIT: usize = 10;

/// A shape.
pub trait Shape {
    fn area(&self) -> f64;
}

#[derive(Debug)]
pub struct Circle<T> {
    radius: T,
}

pub enum Level {
    Low,
}

impl<T: fmt::Debug> Shape for Circle<T> {
    /// What it covers.
    fn area(&self) -> f64 {
        0.0
    }
}

macro_rules! shape {
    () => {};
}

mod inner {
    pub fn helper() {}
}

pub type Shapes = Vec<Level>;

pub enum Shape { Circle { radius: f32 }, Square }
pub trait Walk { type Out; }
thread_local! {
    static DEPTH: u32 = 0;
}
