//! Compiles plain code for the widest registers that a machine has.

/// Defines the function `$name`, which calls `$body`, an always inlined function. It is compiled once for each known
/// instruction set. Results do not depend on the instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! widest {
    ($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:path) => {
        $(#[$meta])*
        #[allow(unsafe_code, reason = "functions for processors whose features were checked")]
        fn $name($($argument: $type),*) $(-> $out)? {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
            fn avx512($($argument: $type),*) $(-> $out)? {
                $body($($argument),*)
            }
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) $(-> $out)? {
                $body($($argument),*)
            }
            match crate::instruction_set::width() {
                // SAFETY: the machine was checked for the features.
                crate::instruction_set::Width::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: the machine was checked for the feature.
                crate::instruction_set::Width::Avx2 => unsafe { avx2($($argument),*) },
                crate::instruction_set::Width::Baseline => $body($($argument),*),
            }
        }
    };
}

/// Defines the function `$name`, which calls `$body`. There is only one instruction set.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! widest {
    ($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:path) => {
        $(#[$meta])*
        fn $name($($argument: $type),*) $(-> $out)? {
            $body($($argument),*)
        }
    };
}

pub(crate) use widest;

/// The widest instruction set that a machine has.
#[cfg(target_arch = "x86_64")]
pub(crate) enum Width {
    Avx512,
    Avx2,
    Baseline,
}

/// Whether this machine has the AVX-512 subsets that code with wide registers is compiled for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn width() -> Width {
    if has_avx512() && is_x86_feature_detected!("avx2") {
        Width::Avx512
    } else if is_x86_feature_detected!("avx2") {
        Width::Avx2
    } else {
        Width::Baseline
    }
}
