//! Two dense axes as rows, with transposes between them.

use crate::error::{Error, Result};
use crate::fft::limits;
use crate::fft::lower::Lowering;
use crate::fft::pass::Pass;
use crate::fft::recipe::PassRecipe;
use crate::fft::roots::{Constant, Constants};
use crate::fft::spec::kind::Kind;
use crate::fft::spec::number::Number;
use crate::fft::steps::SwapReIm;
use crate::kernels::Slot;
use crate::kernels::fft::{Rows, radix2};
use crate::kernels::transpose::Matrices;
use crate::plan::Array;
use crate::transpose;

impl Lowering<'_> {
    /// Adds the dispatches for two dense axes, as row transforms and transposes.
    pub(super) fn by_transposes(&mut self, rows: &PassRecipe, columns: &PassRecipe, transpose: &transpose::Recipe) -> Result<()> {
        let (transform, geometry) = (self.transform, self.geometry);
        let (r, c) = match (transform.kind, geometry.axes.as_slice(), geometry.output_extents.as_slice()) {
            (Kind::C2c(_), [0, 1], &[r, c, _]) if geometry.dense && transform.is_plain() && transform.kinds.is_empty() => (r, c),
            _ => {
                return Err(self.unfit(
                    "transposes are for two dense axes of complex numbers, both longer than 1, without parts and fragments".to_owned(),
                ));
            }
        };
        let batch = geometry.output_extents[2];
        let elements = r * c * batch;
        let bytes = self.element_bytes();
        let array = Array { len: elements as usize, element_bytes: bytes as usize };
        let workspace = Slot::Workspace(self.program.workspaces.len());
        self.program.workspaces.push(array);
        let [input, output] = self.ends;
        let in_place = input == output;
        let turn = |own: &Self, [rows, columns]: [u32; 2], from, to| {
            let task = transpose::OnDevice {
                problem: &transpose::Problem::matrices(bytes as u32, [rows, columns], batch),
                matrices: Some((Matrices { rows, columns, batch }, bytes as u32)),
                label: format!("transpose {rows}x{columns}{}", if batch == 1 { String::new() } else { format!(" x{batch}") }),
                slots: [from, to],
                bytes: [array.bytes(); 2],
                profile: own.profile,
            };
            transpose.dispatches(&task).map_err(|error| match error {
                Error::UnfitRecipe { why, .. } => own.unfit(why),
                other => other,
            })
        };
        let inverse = transform.is_inverse();
        // Out of place, the input is only read, and only by the first step. This chooses the array
        // for the rows and the array for their transpose; then comes the output.
        let (first, second) = if transform.transposed && !in_place { (workspace, output) } else { (output, workspace) };
        self.rows(rows, Rows { n: c, rows: elements / c, inverse, scale: 1.0 }, input, first)?;
        let transposed = turn(self, [r, c], first, second)?;
        self.program.dispatches.extend(transposed);
        let third = if transform.transposed { output } else { second };
        self.rows(columns, Rows { n: r, rows: elements / r, inverse, scale: geometry.factor }, second, third)?;
        if !transform.transposed {
            let back = turn(self, [c, r], third, output)?;
            self.program.dispatches.extend(back);
        }
        Ok(())
    }

    pub(super) fn rows(&mut self, recipe: &PassRecipe, rows: Rows, input: Slot, output: Slot) -> Result<()> {
        match recipe {
            PassRecipe::Radix2 { rows: rows_per_workgroup, lanes } => {
                self.fitting("radix2", limits::radix2(*rows_per_workgroup, *lanes, rows.n, self.profile))?;
                let constants = Constants::new(Number::F32, [Constant::Stages(vec![2; rows.n.trailing_zeros() as usize])]);
                let roots = self.program.table(constants.table());
                let max_groups = self.profile.groups_per_axis;
                let dispatch = radix2::dispatch(rows, *rows_per_workgroup, *lanes, max_groups, [input, output, roots])?;
                self.program.dispatches.push(dispatch);
                Ok(())
            }
            PassRecipe::Stockham(stockham) => {
                if stockham.n() != rows.n {
                    return Err(self.unfit(format!("its radices multiply to {}, not to {}", stockham.n(), rows.n)));
                }
                let fused = rows.inverse.then_some(SwapReIm.into()).into_iter().collect();
                let pass = Pass::rows(self.transform.number, &stockham.radices, rows.rows, fused);
                self.stockham(rows.label(), stockham, (pass, rows.rows), rows.scale, [input, output])
            }
            PassRecipe::Lanes { .. } => Err(self.unfit("lanes are for axes, not for rows between transposes".to_owned())),
        }
    }
}
