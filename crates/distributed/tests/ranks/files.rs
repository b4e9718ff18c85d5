//! Arrays in files that ranks read and write in parts.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use wgpu_fft_distributed::mpi::traits::*;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, R2c};
use wgpu_fft_distributed::wgpu_fft::{Complex32, bytemuck};
use wgpu_fft_distributed::{Cluster, Decomposition, Error, FileOptions, Job, JobOptions, Part, Phase};

use crate::bits::{ORDERS, first_difference, rubbish, variants};
use crate::harness::{Context, Outcome};
use crate::parts::{gathered, of_whole};
use crate::reference::{complex_noise, noise};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A folder that all ranks see, and that rank 0 removes.
struct Folder<'a>(PathBuf, &'a Context);

impl<'a> Folder<'a> {
    fn new(context: &'a Context) -> Result<Self, String> {
        let mut id = std::process::id();
        context.world.process_at_rank(0).broadcast_into(&mut id);
        let path = std::env::temp_dir().join(format!("wgpu-fft-ranks-{id}"));
        let made = if context.rank == 0 { fs::create_dir_all(&path).map_err(text) } else { Ok(()) };
        context.verdict(made)?;
        Ok(Self(path, context))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What rank 0 does while the others wait.
    fn by_root(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        self.1.verdict(if self.1.rank == 0 { work() } else { Ok(()) })
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        // Nobody reads any more. A panic must not wait for ranks that have none.
        if !std::thread::panicking() {
            self.1.world.barrier();
        }
        if self.1.rank == 0 {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// A header as NumPy writes it; with a comma behind the shape, as ranks do.
fn npy(kind: &str, fortran: bool, shape: &str) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({shape}), }}");
    let spaces = 63 - (10 + text.len()) % 64;
    let text = format!("{text}{}\n", " ".repeat(spaces));
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// The array of which `part` is a part, with its axes in the order of the shape, or the other way round.
fn in_order<T: Copy>(part: &Part, whole: &[T], fortran: bool) -> Vec<T> {
    let extents = [&[part.batch_extent][..], &part.extents].concat();
    // The place of each axis in memory; the batch comes first.
    let mut places: Vec<usize> = (0..extents.len()).collect();
    places.sort_by_key(|place| if *place == 0 { 0 } else { 1 + part.axes[place - 1] });
    if fortran {
        places.reverse();
    }
    (0..whole.len())
        .map(|mut index| {
            let mut indices = vec![0; extents.len()];
            for place in places.iter().rev() {
                indices[*place] = index % extents[*place];
                index /= extents[*place];
            }
            whole[indices.iter().zip(&extents).fold(0, |at, (i, extent)| at * extent + i)]
        })
        .collect()
}

fn holds(path: &Path, header: &[u8], elements: &[u8]) -> Outcome {
    let found = fs::read(path).map_err(text)?;
    if found.get(..header.len()) != Some(header) {
        return Err(format!("the header is {}", String::from_utf8_lossy(&found[..128.min(found.len())])));
    }
    if &found[header.len()..] != elements { Err("the elements differ".to_owned()) } else { Ok(()) }
}

/// From a file, through a transform, to a file, for every layout.
pub fn files_of_parts(context: &Context) -> Outcome {
    let folder = Folder::new(context)?;
    let (input, output) = (folder.file("input.npy"), folder.file("output.npy"));
    let replace = FileOptions::default().replace();
    for (spec, batch, decomposition, [positions, frequencies]) in [
        (R2c::forward([12, 10, 14]), 1, Decomposition::Slabs, ["12, 10, 14", "12, 10, 8"]),
        (R2c::forward([12, 10, 14]), 1, Decomposition::Pencils, ["12, 10, 14", "12, 10, 8"]),
        (R2c::forward([9, 10]), 1, Decomposition::Slabs, ["9, 10", "9, 6"]),
        (R2c::forward([6, 7]).batch(4), 4, Decomposition::Pencils, ["4, 6, 7", "4, 6, 4"]),
    ] {
        for (order, variant) in ORDERS.into_iter().zip([0, 1]) {
            let options = variants(context.size).swap_remove(variant).order(order).decomposition(decomposition);
            let job = Job::new(&context.cluster, spec.clone(), &options).map_err(text)?;
            let (x, k) = (job.input(), job.output());
            let whole = noise(batch * x.extents.iter().product::<usize>(), 5);
            let own = of_whole(&x, batch, &whole);
            for fortran in [false, true] {
                let header = npy("<f4", fortran, positions);
                let elements = in_order(&x, &whole, fortran);
                folder.by_root(|| fs::write(&input, [&header, bytemuck::cast_slice(&elements)].concat()).map_err(text))?;
                let mut read = rubbish::<C2c>(x.len().div_ceil(2));
                let read: &mut [f32] = &mut bytemuck::cast_slice_mut(&mut read)[..x.len()];
                context.cluster.read(&input, &x, read, &FileOptions::default()).map_err(text)?;
                first_difference(read, &own)?;

                let mut result = rubbish::<R2c>(k.len());
                job.run(read, &mut result).map_err(text)?;
                let own: &[f32] = bytemuck::cast_slice(&result);
                let all = gathered(context, &k, batch, 2, own)?;
                let expected = in_order(&k, bytemuck::cast_slice::<f32, [f32; 2]>(&all), fortran);
                let wanted = if fortran { replace.clone().fortran_order() } else { replace.clone() };
                context.cluster.write(&output, &k, &result, &wanted).map_err(text)?;
                folder.by_root(|| holds(&output, &npy("<c8", fortran, &format!("{frequencies}, ")), bytemuck::cast_slice(&expected)))?;
                let mut back = rubbish::<R2c>(k.len());
                context.cluster.read(&output, &k, &mut back, &FileOptions::default()).map_err(text)?;
                first_difference(bytemuck::cast_slice(&back), own)?;

                // Nothing but the elements; and what another program has put before them.
                context.cluster.write(&output, &k, &result, &wanted.clone().raw(0)).map_err(text)?;
                folder.by_root(|| {
                    holds(&output, &[], bytemuck::cast_slice(&expected))?;
                    fs::write(&output, [b"header!", bytemuck::cast_slice(&expected)].concat()).map_err(text)
                })?;
                let mut back = rubbish::<R2c>(k.len());
                context.cluster.read(&output, &k, &mut back, &wanted.raw(7)).map_err(text)?;
                first_difference(bytemuck::cast_slice(&back), own)?;
            }
        }
    }
    Ok(())
}

/// Boxes of the caller's with padding behind their rows and halos; f64, and bytes in another order.
pub fn files_of_boxes(context: &Context) -> Outcome {
    let folder = Folder::new(context)?;
    let path = folder.file("boxes.npy");
    let [mut own, _] = Part::of_rank(&C2c::forward([6, 5, 4]).f64_by_f32(), &JobOptions::default(), 0, 1).map_err(text)?;
    let whole: Vec<f64> = noise(6 * 5 * 4, 3).into_iter().map(f64::from).collect();
    let begin = 5 * context.rank / context.size;
    own.ranges[1] = begin..5 * (context.rank + 1) / context.size;
    let values = of_whole(&own, 1, &whole);
    own.padding = 2;
    let padded: Vec<f64> = values.chunks_exact(4).flat_map(|row| [row, &[f64::NAN; 2]].concat()).collect();
    context.cluster.write(&path, &own, &padded, &FileOptions::default()).map_err(text)?;
    folder.by_root(|| {
        holds(&path, &npy("<f8", false, "6, 5, 4, "), bytemuck::cast_slice(&whole))?;
        let swapped: Vec<u8> = whole.iter().flat_map(|value| value.to_be_bytes()).collect();
        fs::write(&path, [npy(">f8", false, "6, 5, 4"), swapped].concat()).map_err(text)
    })?;
    // One index more than the rank has written, and what is behind the rows stays.
    let mut halo = own.clone();
    halo.ranges[1].start = begin.saturating_sub(1);
    let mut read = vec![7.0; halo.stored_len()];
    context.cluster.read(&path, &halo, &mut read, &FileOptions::default()).map_err(text)?;
    let expected: Vec<f64> = of_whole(&halo, 1, &whole).chunks_exact(4).flat_map(|row| [row, &[7.0; 2]].concat()).collect();
    if read == expected { Ok(()) } else { Err(format!("{read:?}, and not {expected:?}")) }
}

/// The last elements of rows of 8 GiB, in a file with holes.
pub fn files_of_more_than_4_gib(context: &Context) -> Outcome {
    let folder = Folder::new(context)?;
    let path = folder.file("far");
    let (rows, columns) = (context.size, 1 << 30);
    let row = |i: usize| complex_noise(3, i as u64);
    folder.by_root(|| {
        let mut file = File::create_new(&path).map_err(text)?;
        file.set_len(8 * (rows * columns) as u64).map_err(text)?;
        for i in 0..rows {
            file.seek(SeekFrom::Start(8 * ((i + 1) * columns - 3) as u64)).map_err(text)?;
            file.write_all(bytemuck::cast_slice(&row(i))).map_err(text)?;
        }
        Ok(())
    })?;
    let [mut part, _] = Part::of_rank(&C2c::forward([rows, columns]), &JobOptions::default(), 0, 1).map_err(text)?;
    part.ranges = vec![context.rank..context.rank + 1, columns - 3..columns];
    let mut read = rubbish::<C2c>(3);
    context.cluster.read(&path, &part, &mut read, &FileOptions::default().raw(0)).map_err(text)?;
    first_difference(bytemuck::cast_slice(&read), bytemuck::cast_slice(&row(context.rank)))
}

/// Whether all ranks have the error of a rank, in the same words, with these among them.
fn fails(context: &Context, outcome: Result<(), Error>, words: &str) -> Outcome {
    let own = match &outcome {
        Err(error @ (Error::OnRank { .. } | Error::RanksDiffer { .. })) if error.to_string().contains(words) => error.to_string(),
        other => return Err(format!("`{words}` is seen as {other:?}")),
    };
    let mut first = own.clone().into_bytes();
    let mut len = first.len();
    context.world.process_at_rank(0).broadcast_into(&mut len);
    first.resize(len, 0);
    context.world.process_at_rank(0).broadcast_into(&mut first[..]);
    let first = String::from_utf8_lossy(&first).into_owned();
    if own == first { Ok(()) } else { Err(format!("`{own}`, and not rank 0's `{first}`")) }
}

pub fn what_is_wrong_with_files(context: &Context) -> Outcome {
    let folder = Folder::new(context)?;
    let (cluster, plain, last) = (&context.cluster, FileOptions::default(), context.size - 1);
    let job = Job::new(cluster, C2c::forward([8, 6]), &JobOptions::default()).map_err(text)?;
    let (part, path) = (job.input(), folder.file("a.npy"));
    let values = of_whole(&part, 1, &complex_noise(48, 1));
    cluster.write(&path, &part, &values, &plain).map_err(text)?;
    let whole = fs::read(&path).map_err(text)?;
    // Nothing but this file is there, and it is as it was.
    let untouched = || -> Outcome {
        folder.by_root(|| {
            let names: Vec<_> = fs::read_dir(&folder.0).map_err(text)?.flatten().map(|entry| entry.file_name()).collect();
            if names != ["a.npy"] || fs::read(&path).map_err(text)? != whole { Err(format!("{names:?} are there")) } else { Ok(()) }
        })
    };
    let write =
        |path: &Path, part: &Part, options: &FileOptions| cluster.write(path, part, &vec![Complex32::ONE; part.stored_len()], options);
    let (other, replace) = (folder.file("b.npy"), plain.clone().replace());
    fails(context, write(&path, &part, &plain), "not to be replaced")?;
    fails(context, write(&folder.file("nowhere/b.npy"), &part, &plain), "nowhere does not exist")?;
    fails(context, write(&folder.0, &part, &replace), "a folder")?;
    fails(context, write(&other, &part, &plain.clone().raw(8)), "begins with its elements")?;
    fails(context, cluster.write(&other, &part, &vec![0_u32; part.len()], &plain), "not u32")?;
    let len = part.len() + usize::from(context.rank == last);
    fails(context, cluster.write(&other, &part, &vec![Complex32::ONE; len], &plain), &format!("rank {last}, during write: "))?;
    // Rows that two ranks have, rows that nobody has, and rows that there are not.
    let rows = |ranges: std::ops::Range<usize>| {
        let mut other = part.clone();
        if context.rank == last {
            other.ranges[0] = ranges;
        }
        other
    };
    let own = part.ranges[0].clone();
    if context.size > 1 {
        fails(context, write(&other, &rows(own.start.saturating_sub(1)..own.end), &plain), "overlap")?;
        let name = folder.file(if context.rank == last { "c.npy" } else { "b.npy" });
        fails(context, write(&name, &part, &plain), "c.npy")?;
        fails(context, cluster.read(&name, &part, &mut values.clone(), &plain), "c.npy")?;
    }
    fails(context, write(&other, &rows(own.start..own.end - 1), &plain), "6 of 48 elements are in no rank's part")?;
    fails(context, write(&other, &rows(own.start..own.end + 1), &plain), "a part of")?;
    untouched()?;

    // Whatever fails, when all is written but for the name.
    for failing in 0..context.size {
        let options = context.options.clone();
        let options = if context.rank == failing { options.fail_in(Phase::Write) } else { options };
        let failing = Cluster::with_planner(&context.world, cluster.planner(), &options).map_err(text)?;
        for (path, options) in [(&path, &replace), (&other, &plain)] {
            fails(context, failing.write(path, &part, &values, options), "told to fail")?;
            untouched()?;
        }
    }

    let read = |bytes: &[u8], part: &Part, options: &FileOptions, words: &str| -> Outcome {
        folder.by_root(|| fs::write(&other, bytes).map_err(text))?;
        fails(context, cluster.read(&other, part, &mut vec![Complex32::ONE; part.len()], options), words)
    };
    read(&whole[..whole.len() - 1], &part, &plain, "it was cut off: shape [8, 6] of complex f32 has 384 bytes, and 383 are there")?;
    read(&whole, &part, &plain.clone().raw(0), "from byte 0 on 512 are there")?;
    read(&whole[..9], &part, &plain, "does not begin as a .npy file")?;
    read(&[&npy("<c8", false, "6, 8"), &[0; 384][..]].concat(), &part, &plain, "its shape is [6, 8], and not [8, 6]")?;
    read(&[&npy("<c16", false, "8, 6"), &[0; 768][..]].concat(), &part, &plain, "not complex f32 (c8)")?;
    read(&npy("|O", false, "8, 6"), &part, &plain, "Python objects")?;
    fails(context, cluster.read(folder.file("no.npy"), &part, &mut values.clone(), &plain), "no.npy")?;
    fails(context, cluster.read(&folder.0, &part, &mut values.clone(), &plain), "not a regular file")?;
    folder.by_root(|| fs::remove_file(&other).map_err(text))?;

    // After all this the cluster goes on.
    let mut back = vec![Complex32::ONE; part.len()];
    cluster.read(&path, &part, &mut back, &plain).map_err(text)?;
    first_difference(bytemuck::cast_slice(&back), bytemuck::cast_slice(&values))?;
    cluster.write(&path, &part, &vec![Complex32::ZERO; part.len()], &replace).map_err(text)?;
    folder.by_root(|| {
        let mut file = File::open(&path).map_err(text)?;
        file.seek(SeekFrom::Start(128)).map_err(text)?;
        let mut elements = Vec::new();
        file.read_to_end(&mut elements).map_err(text)?;
        if elements == [0; 384] { Ok(()) } else { Err("it was not replaced".to_owned()) }
    })
}
