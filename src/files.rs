//! Safe access to files at paths that a caller chooses: only regular files are replaced, and they
//! are replaced as a whole.
//!
//! A caller's path may name a device or a pipe. Opening a pipe blocks until its other end opens,
//! some devices never end, and replacing `/dev/null` with a file harms the whole system. So files
//! of our own, such as records, are only read from and written to regular files. Results for a user
//! go by [`write()`], which writes into pipes and devices as they are. Links are followed: their
//! target is read and replaced, and the link stays.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

fn no_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

/// Does what another program may prevent for a moment. Windows neither replaces a file that is open
/// elsewhere, nor opens one that is just being replaced: it denies access, or reports a sharing
/// violation.
fn retried<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    const SHARING_VIOLATION: i32 = 32;
    let until = Instant::now() + Duration::from_secs(5);
    let is_passing = |error: &io::Error| {
        cfg!(windows) && (error.kind() == io::ErrorKind::PermissionDenied || error.raw_os_error() == Some(SHARING_VIOLATION))
    };
    loop {
        match action() {
            Err(error) if is_passing(&error) && Instant::now() < until => thread::sleep(Duration::from_millis(2)),
            result => return result,
        }
    }
}

/// Opens a regular file for reading; `None` if nothing is there.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    // Checked before opening, because opening a pipe blocks until its other end opens.
    retried(|| match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => File::open(path).map(Some),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    })
}

/// Reads to the end of the file, or at most `most` bytes.
pub(crate) fn read(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    // Allocates memory for everything at once. The length that the file reports is only a hint.
    let rest = file.metadata()?.len().saturating_sub(file.stream_position()?);
    let mut bytes = Vec::with_capacity(rest.min(most) as usize);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole regular file; `None` if nothing is there. More than `most` bytes are an error.
pub(crate) fn read_whole(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let bytes = read(&mut file, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes")));
    }
    Ok(Some(bytes))
}

/// The path that a file replacing `path` must have: the target of links if that is a regular file
/// that may be written, or `path` itself if nothing is there. Anything else is an error.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::Error::other("it is a folder")),
        Ok(metadata) if !metadata.is_file() => Err(not_regular()),
        // Nor by root, whom the system would let do it.
        Ok(metadata) if metadata.permissions().readonly() => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only")),
        Ok(_) => fs::canonicalize(path),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(io::Error::other("it is a link to a file that does not exist")),
        Err(_) => match fs::metadata(folder(path)) {
            _ if path.file_name().is_none() => Err(no_name()),
            Ok(_) => Ok(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(io::Error::new(error.kind(), format!("the folder {} does not exist", folder(path).display())))
            }
            Err(error) => Err(error),
        },
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A path in the same directory: the file name with a suffix.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// The files beside `path` whose names go on with `suffix`.
pub(crate) fn all_beside(path: &Path, suffix: &str) -> Vec<PathBuf> {
    let prefix = beside(path, suffix);
    let Some(prefix) = prefix.file_name() else { return Vec::new() };
    let entries = fs::read_dir(folder(path)).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let names = entries.filter(|name| name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes()));
    names.map(|name| path.with_file_name(name)).collect()
}

/// Makes a new file in the same directory, which is removed when it is dropped. Its name goes on
/// with `suffix` and a random text.
pub(crate) fn temporary(path: &Path, suffix: &str) -> io::Result<NamedTempFile> {
    let prefix = beside(path, suffix);
    let Some(prefix) = prefix.file_name() else { return Err(no_name()) };
    let mut builder = tempfile::Builder::new();
    // As other files have: tempfile's own default lets nobody but the owner read them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(prefix).tempfile_in(folder(path))
}

/// The suffix of temporary files that will replace others.
const TEMPORARY: &str = ".wgpu-fft-";

/// A new file that takes the place of the one at its path when it is complete. At any moment either
/// the old or the new file is there as a whole. If this is dropped before, the old one stays. If
/// the process is killed, a file is left beside the old one, which the next replacement removes.
///
/// The new file keeps the permissions and the owner of the old one. A read-only file is not
/// replaced.
#[derive(Debug)]
pub struct Replacement {
    file: NamedTempFile,
    path: PathBuf,
}

impl Replacement {
    /// A replacement of the regular file at `path`, or of nothing.
    ///
    /// # Errors
    /// If something else is there, or no file can be made beside it.
    pub fn new(path: &Path) -> io::Result<Self> {
        let path = destination(path)?;
        for leftover in all_beside(&path, TEMPORARY) {
            // The process that writes one keeps it locked.
            if let Ok(held) = File::open(&leftover)
                && held.try_lock().is_ok()
            {
                let _ = fs::remove_file(&leftover);
            }
        }
        let file = loop {
            let file = temporary(&path, TEMPORARY)?;
            // Where locks are not supported, nobody removes leftovers.
            let _ = file.as_file().lock();
            // Another process may have taken it for a leftover before it was locked.
            if file.path().exists() {
                break file;
            }
        };
        if let Ok(old) = fs::metadata(&path) {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                // Only root may give files away. It changes a mode's highest bits, so it comes
                // first.
                let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
            }
            file.as_file().set_permissions(old.permissions())?;
        }
        Ok(Self { file, path })
    }

    /// The new file.
    #[must_use]
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Where the new file is until it is complete.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// As [`finish`](Self::finish), but an error if anything is at the path meanwhile.
    ///
    /// # Errors
    /// If the file system fails or the path is taken. What is there then stays.
    pub fn finish_new(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist_noclobber(&self.path).map(drop).map_err(|failed| failed.error)
    }

    /// Puts the new file in the place of the old one.
    ///
    /// # Errors
    /// If the file system fails. The old file is then still there.
    pub fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let (_file, name) = self.file.into_parts();
        let mut name = Some(name);
        retried(|| {
            name.take().expect("it is put back after a failure").persist(&self.path).map_err(|failed| {
                name = Some(failed.path);
                failed.error
            })
        })
    }
}

/// Replaces the file at `path` as a whole, see [`Replacement`].
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let file = Replacement::new(path)?;
    file.file().write_all(contents)?;
    file.finish()
}

/// Whether a result for `path` is written into what is there, a pipe or a device.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Finds out before a long computation whether its result can be written to `path`.
///
/// # Errors
/// If it cannot.
pub fn check(path: &Path) -> io::Result<()> {
    if is_stream(path) { check_stream(path) } else { destination(path).map(drop) }
}

/// Refuses a disk, on which a result would destroy a file system.
fn check_stream(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_block_device(&fs::metadata(path)?.file_type()) {
        return Err(io::Error::other("it is a disk"));
    }
    let _ = path;
    Ok(())
}

/// Writes a result for a user: [replaces](Replacement) a regular file, or writes into a pipe or a
/// device.
///
/// # Errors
/// What `contents` returns, or if `path` names neither, or if the file system fails. A regular file
/// is then as it was.
pub fn write<E: From<io::Error>>(path: &Path, contents: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<(), E> {
    let through = |file: &File| {
        let mut out = BufWriter::new(file);
        contents(&mut out)?;
        Ok(out.flush()?)
    };
    if is_stream(path) {
        check_stream(path)?;
        return through(&OpenOptions::new().write(true).open(path)?);
    }
    let file = Replacement::new(path)?;
    through(file.file())?;
    Ok(file.finish()?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let path = directory.join("file");
        assert_eq!(read_whole(&path, 8).unwrap(), None);
        replace(&path, b"first").unwrap();
        fs::write(directory.join("plain"), "").unwrap();
        let [new, plain] = ["file", "plain"].map(|name| fs::metadata(directory.join(name)).unwrap().permissions().mode());
        assert_eq!(new, plain);
        fs::remove_file(directory.join("plain")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"second").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(read_whole(&path, 6).unwrap().unwrap(), b"second");
        assert!(read_whole(&path, 5).unwrap_err().to_string().contains("larger than 5 bytes"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(replace(&path, b"third").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(write(&path, |out| out.write_all(b"third")).unwrap_err().to_string().contains("read-only"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // What fails in between leaves the old file.
        let failed = write(&path, |out| out.write_all(b"half").and(Err(io::Error::other("no more"))));
        assert_eq!((failed.unwrap_err().to_string(), fs::read(&path).unwrap()), ("no more".to_owned(), b"second".to_vec()));
        write(&path, |out| out.write_all(b"third")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        let new = Replacement::new(&path).unwrap();
        assert!(new.temporary_path().exists());
        assert_eq!(new.finish_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"third");
        fs::remove_file(&path).unwrap();
        Replacement::new(&path).unwrap().finish_new().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_a_killed_process_left_is_removed_but_not_what_another_one_writes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let (_, left) = Replacement::new(&path).unwrap().file.keep().unwrap();
        let other = Replacement::new(&path).unwrap();
        assert!(!left.exists());
        replace(&path, b"ours").unwrap();
        other.file().write_all(b"theirs").unwrap();
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    /// Threads take each other's files for leftovers before they are locked.
    #[test]
    fn replacements_at_the_same_time_do_not_disturb_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = &directory.path().join("file");
        std::thread::scope(|scope| {
            for i in 0..8_u8 {
                scope.spawn(move || (0..50).for_each(|_| replace(path, &[i; 1000]).unwrap()));
            }
        });
        let bytes = fs::read(path).unwrap();
        assert!(bytes.len() == 1000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[test]
    fn links_are_followed_and_stay() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let (file, link, nowhere) = (directory.join("file"), directory.join("link"), directory.join("nowhere"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        symlink(directory.join("missing"), &nowhere).unwrap();
        assert!(replace(&nowhere, b"new").unwrap_err().to_string().contains("does not exist"));
        assert!(fs::symlink_metadata(&nowhere).unwrap().is_symlink());
    }

    /// Devices, directories, and links to them. The test uses links to devices, so that no real
    /// device can be lost.
    #[test]
    fn what_is_no_regular_file_is_neither_read_nor_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        for device in ["/dev/null", "/dev/zero"] {
            let link = directory.join("link");
            symlink(device, &link).unwrap();
            assert!(read_whole(&link, 1 << 20).unwrap_err().to_string().contains("not a regular file"), "{device}");
            assert!(replace(&link, b"new").unwrap_err().to_string().contains("not a regular file"), "{device}");
            // A result for a user goes into the device. `/dev/zero` takes it too.
            write(&link, |out| out.write_all(b"new")).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            fs::remove_file(&link).unwrap();
        }
        // A file cannot replace a directory, and no path leads below a file.
        let file = directory.join("file");
        replace(&file, b"old").unwrap();
        assert!(replace(&file.join("below"), b"new").is_err());
        assert!(read_whole(directory, 8).is_err() && replace(directory, b"new").is_err());
        for (path, why) in
            [("/", "a folder"), (".", "a folder"), ("nowhere/..", "does not name a file"), ("nowhere/x", "the folder nowhere")]
        {
            assert!(replace(Path::new(path), b"new").unwrap_err().to_string().contains(why), "{path}");
            assert!(write(Path::new(path), |out| out.write_all(b"new")).unwrap_err().to_string().contains(why), "{path}");
            assert!(check(Path::new(path)).unwrap_err().to_string().contains(why), "{path}");
        }
    }
}
