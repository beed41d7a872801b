#![no_main]
//! Reads a rotation, and rotates a vector.
use libfuzzer_sys::fuzz_target;
use nearfind_core::vector::rotation::Rotation;

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (dimensions, bytes) = input;
    if let Ok(rotation) = Rotation::parse(&bytes, u32::from(dimensions).max(1)) {
        rotation.apply(&vec![1.0; rotation.dimensions()]);
    }
});
