//! Safe access to files at paths that a caller chooses: only regular files are read, and they are
//! replaced as a whole.
//!
//! A caller's path may name a device or a pipe. Opening a pipe blocks until its other end opens,
//! some devices never end, and replacing `/dev/null` with a file harms the whole system. So only
//! regular files are read and replaced. Links are followed: their target is read and replaced, and
//! the link stays.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

fn no_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

/// Opens a regular file for reading; `None` if nothing is there.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    // Checked before opening, because opening a pipe blocks until its other end opens.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => File::open(path).map(Some),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
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

/// The path that a file replacing `path` must have: the target of links if that is a regular file,
/// or `path` itself if nothing is there. Anything else is an error.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(file) if fs::metadata(&file)?.is_file() => Ok(file),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Ok(_) => Err(io::Error::other("it is a link to a file that does not exist")),
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(error),
    }
}

/// A path in the same directory: the file name with a suffix.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// Makes a new file in the same directory, which is removed when it is dropped. Its name goes on
/// with `suffix` and a random text.
pub(crate) fn temporary(path: &Path, suffix: &str) -> io::Result<NamedTempFile> {
    let prefix = beside(path, suffix);
    let (Some(prefix), Some(directory)) = (prefix.file_name(), path.parent()) else { return Err(no_name()) };
    let mut builder = tempfile::Builder::new();
    // As other files have: tempfile's own default lets nobody but the owner read them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(prefix).tempfile_in(if directory.as_os_str().is_empty() { Path::new(".") } else { directory })
}

/// The suffix of temporary files that will replace others.
pub(crate) const TEMPORARY: &str = ".tmp-";

/// Replaces the file at `path` by way of a temporary file in the same directory. At any moment
/// either the old or the new file is complete. The new file keeps the permissions of the old one. A
/// read-only file is not replaced.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(no_name());
    }
    let path = destination(path)?;
    let mut file = temporary(&path, TEMPORARY)?;
    // The lock tells whoever removes leftover files that this one is in use. Where locks are not
    // supported, nobody removes leftovers.
    let _ = file.as_file().try_lock();
    if let Ok(metadata) = fs::metadata(&path) {
        if metadata.permissions().readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(&path).map(drop).map_err(|failed| failed.error)
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
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "nothing is left beside it");
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
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            fs::remove_file(&link).unwrap();
        }
        // A file cannot replace a directory, and no path leads below a file.
        let file = directory.join("file");
        replace(&file, b"old").unwrap();
        assert!(replace(&file.join("below"), b"new").is_err());
        assert!(read_whole(directory, 8).is_err() && replace(directory, b"new").is_err());
        assert!(replace(Path::new("/"), b"new").unwrap_err().to_string().contains("does not name a file"));
    }
}
