//! What differs between the two libraries: the type of numbers, and how names begin.

/// The name of a function in the library.
#[cfg(not(double))]
macro_rules! name {
    ($name:ident) => {
        concat!("fftwf_", stringify!($name))
    };
}
#[cfg(double)]
macro_rules! name {
    ($name:ident) => {
        concat!("fftw_", stringify!($name))
    };
}

#[cfg(double)]
pub use double::*;
#[cfg(not(double))]
pub use single::*;

#[cfg(not(double))]
mod single {
    use wgpu_fft::Error;

    /// Real numbers, and the parts of complex ones.
    pub type Real = f32;

    /// The name in messages.
    pub const LIBRARY: &str = "wgpu_fftw3f";

    /// What is added to the text of a specification.
    pub fn words() -> Result<&'static str, Error> {
        Ok("")
    }

    /// What an error says besides.
    pub fn advice(error: Error) -> Error {
        error
    }

    /// Whether users are told of an error unasked.
    pub fn is_told(_: &Error) -> bool {
        false
    }
}

#[cfg(double)]
mod double {
    use wgpu_fft::Error;

    /// Real numbers, and the parts of complex ones.
    pub type Real = f64;

    /// The name in messages.
    pub const LIBRARY: &str = "wgpu_fftw3";

    /// The variable that allows less than double precision.
    const DOUBLE: &str = "WGPU_FFT_FFTW_DOUBLE";

    /// Double precision of the device, unless the user allows numbers of two f32.
    pub fn words() -> Result<&'static str, Error> {
        match std::env::var(DOUBLE).as_deref() {
            Err(_) | Ok("" | "f64") => Ok(" f64"),
            Ok("f64-by-f32") => Ok(" f64-by-f32"),
            Ok(other) => Err(Error::Unsupported { what: format!("{DOUBLE}={other}"), why: "it is f64 or f64-by-f32".to_owned() }),
        }
    }

    /// What an error says besides: a program for FFTW cannot choose another number itself.
    pub fn advice(error: Error) -> Error {
        let Error::Unsupported { what, why } = error else { return error };
        if !why.contains("SHADER_F64") {
            return Error::Unsupported { what, why };
        }
        let why = format!("{why}. {DOUBLE}=f64-by-f32 allows numbers of two f32: some 46 bits, and the range of f32");
        Error::Unsupported { what, why }
    }

    /// Whether users are told of an error unasked: programs seldom look at what planning returns.
    pub fn is_told(error: &Error) -> bool {
        matches!(error, Error::Unsupported { why, .. } if why.contains(DOUBLE))
    }
}
