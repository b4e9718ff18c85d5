//! The work sizes of Takemoto, Wada, Kondo and Honda.
