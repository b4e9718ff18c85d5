//! Two axes as rows, with transposes between them.

use super::passes::of_radix2;
use super::space::{MAX_NEIGHBOURS, twice_and_half};
use crate::fft::choose::design;
use crate::fft::choose::designer::Designer;
use crate::fft::choose::lines::LineClass;
use crate::fft::limits::is_sane;
use crate::fft::recipe::{PassRecipe, Recipe, Stockham};
use crate::fft::spec::kind::Kind;
use crate::kernels::Slot;
use crate::kernels::transpose::Matrices;
use crate::plan::in_turns;
use crate::transpose;

impl Designer<'_> {
    /// Two dense axes as row transforms and transposes, with the rules' recipes for rows.
    pub(super) fn transposed(&self) -> Option<Recipe> {
        let [r, c] = self.matrix()?;
        let rows = |n: u32, other: u32| {
            let count = other.saturating_mul(self.geometry.output_extents[2]);
            self.pass(LineClass::rows(n, count)).map(PassRecipe::Stockham)
        };
        let transpose = self.transposes([r, c], None).into_iter().next()?;
        Some(Recipe::Transposed { rows: rows(c, r)?, columns: rows(r, c)?, transpose })
    }

    /// The extents of rows and columns, if transposes can be used.
    fn matrix(&self) -> Option<[u32; 2]> {
        match (self.transform.kind, &self.geometry.axes[..], &self.geometry.output_extents[..]) {
            (Kind::C2c(_), [0, 1], &[r, c, _]) if self.geometry.dense => Some([r, c]),
            _ => None,
        }
    }

    /// Recipes for both transposes: the rules' recipe for each, or the neighbours of the given one.
    pub(super) fn transposes(&self, [r, c]: [u32; 2], around: Option<&transpose::Recipe>) -> Vec<transpose::Recipe> {
        let batch = self.geometry.output_extents[2];
        let bytes = u64::from(r) * u64::from(c) * u64::from(batch) * 8;
        let [there, back] = [[r, c], [c, r]]
            .map(|[rows, columns]| (transpose::Problem::matrices(8, [rows, columns], batch), Some((Matrices { rows, columns, batch }, 8))));
        let task = |of: &'_ (transpose::Problem, Option<(Matrices, u32)>)| -> Vec<transpose::Recipe> {
            let task = transpose::OnDevice {
                problem: &of.0,
                matrices: of.1,
                label: String::new(),
                slots: [Slot::Input(0), Slot::Output],
                bytes: [bytes; 2],
                profile: self.profile,
            };
            match around {
                Some(own) => transpose::around(own, &task),
                None => transpose::choices(&task),
            }
        };
        let back = task(&back);
        task(&there).into_iter().filter(|recipe| back.contains(recipe)).collect()
    }

    pub(super) fn around_transposes(&self, rows: &PassRecipe, columns: &PassRecipe, transpose: &transpose::Recipe) -> Vec<Recipe> {
        let Some([r, c]) = self.matrix() else { return Vec::new() };
        if !is_sane(rows) || !is_sane(columns) {
            return Vec::new();
        }
        let of_rows = |own: &PassRecipe, n: u32, other: u32| -> Vec<PassRecipe> {
            let count = other.saturating_mul(self.geometry.output_extents[2]);
            let lines = LineClass::rows(n, count);
            let by_the_rules = self.pass(lines).map(PassRecipe::Stockham);
            match own {
                PassRecipe::Stockham(stockham) if stockham.n() == n => {
                    let mut all: Vec<Stockham> =
                        twice_and_half(stockham.lines).map(|lines| Stockham { lines, ..stockham.clone() }).collect();
                    all.extend(self.other_lanes(stockham, lines));
                    all.extend(self.other_radices(stockham, lines, 4));
                    all.retain(|other| self.runs(other, lines));
                    all.into_iter().map(PassRecipe::Stockham).chain(by_the_rules).collect()
                }
                PassRecipe::Radix2 { rows, lanes } => by_the_rules.into_iter().chain(of_radix2(*rows, *lanes)).collect(),
                _ => by_the_rules.into_iter().collect(),
            }
        };
        let with = |rows: &PassRecipe, columns: &PassRecipe, transpose| Recipe::Transposed {
            rows: rows.clone(),
            columns: columns.clone(),
            transpose,
        };
        let of_rows = [
            of_rows(rows, c, r).iter().map(|rows| with(rows, columns, *transpose)).collect(),
            of_rows(columns, r, c).iter().map(|columns| with(rows, columns, *transpose)).collect(),
            self.transposes([r, c], Some(transpose)).into_iter().map(|transpose| with(rows, columns, transpose)).collect(),
        ];
        // Without transposes it is usually faster.
        let without = design(self.transform, self.profile).ok();
        without.into_iter().chain(in_turns(of_rows)).take(MAX_NEIGHBOURS).collect()
    }
}
