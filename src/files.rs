//! Files that others may have put there: what is read must be a regular file, and is put in place
//! as a whole.
//!
//! A path of the caller's may name a device or a pipe. To open a pipe is to wait for its other end,
//! some devices never end, and a new file in the place of `/dev/null` harms the whole system. So
//! only regular files are read and replaced. Links are followed: the file that they lead to is read
//! and replaced, and the link stays.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

fn not_regular() -> io::Error {
    io::Error::other("it is no regular file")
}

/// Opens a regular file for reading, if there is a file.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    // Asked first, as to open a pipe is to wait for its other end.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => File::open(path).map(Some),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads to the end, or `most` bytes.
pub(crate) fn read(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    // Room for all of it at once; what it says of its length is only a hint.
    let rest = file.metadata()?.len().saturating_sub(file.stream_position()?);
    let mut bytes = Vec::with_capacity(rest.min(most) as usize);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads all of a regular file, if there is a file; an error if it has more than `most` bytes.
pub(crate) fn read_whole(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let bytes = read(&mut file, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes")));
    }
    Ok(Some(bytes))
}

/// Where a new file goes that replaces the one at `path`: where links lead to, if that is a regular
/// file or if there is nothing yet.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(file) if fs::metadata(&file)?.is_file() => Ok(file),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Ok(_) => Err(io::Error::other("it is a link that leads nowhere")),
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(error),
    }
}

/// A path beside another one.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// A number that no other call of this process gets, after the number of the process.
pub(crate) fn unique() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

/// What the names of files end with that are to replace others, before [`unique`].
pub(crate) const TEMPORARY: &str = ".tmp-";

/// Puts `contents` in the place of the file at `path`, by way of another one beside it, so that at
/// any moment the one or the other is there as a whole. The new file has the permissions of the old
/// one; one that nobody may write is not replaced.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::other("the path names no file"));
    }
    let path = destination(path)?;
    let temporary = beside(&path, &format!("{TEMPORARY}{}", unique()));
    let written = File::create_new(&temporary).and_then(|mut file| {
        // Tells who removes leftovers that it is none. Where there are no locks, nobody removes
        // any.
        let _ = file.try_lock();
        if let Ok(metadata) = fs::metadata(&path) {
            if metadata.permissions().readonly() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(contents)?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    });
    if written.is_err() {
        // Whatever is wrong with it is what the caller hears of.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A directory of a test's own.
    fn directory(test: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("wgpu-fft-files-{test}-{}", unique()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_permissions() {
        let directory = directory("replaced");
        let path = directory.join("file");
        assert_eq!(read_whole(&path, 8).unwrap(), None);
        replace(&path, b"first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"second").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(read_whole(&path, 6).unwrap().unwrap(), b"second");
        assert!(read_whole(&path, 5).unwrap_err().to_string().contains("larger than 5 bytes"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(replace(&path, b"third").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn links_are_followed_and_stay() {
        let directory = directory("links");
        let (file, link, nowhere) = (directory.join("file"), directory.join("link"), directory.join("nowhere"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        symlink(directory.join("missing"), &nowhere).unwrap();
        assert!(replace(&nowhere, b"new").unwrap_err().to_string().contains("leads nowhere"));
        assert!(fs::symlink_metadata(&nowhere).unwrap().is_symlink());
        fs::remove_dir_all(directory).unwrap();
    }

    /// Devices, directories, and links to them. What stands in for a device is a link to one:
    /// nobody may lose a real one by this test.
    #[test]
    fn what_is_no_regular_file_is_neither_read_nor_replaced() {
        let directory = directory("devices");
        for device in ["/dev/null", "/dev/zero"] {
            let link = directory.join("link");
            symlink(device, &link).unwrap();
            assert!(read_whole(&link, 1 << 20).unwrap_err().to_string().contains("no regular file"), "{device}");
            assert!(replace(&link, b"new").unwrap_err().to_string().contains("no regular file"), "{device}");
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            fs::remove_file(&link).unwrap();
        }
        // A directory cannot be replaced by a file, and nothing lies below a file.
        let file = directory.join("file");
        replace(&file, b"old").unwrap();
        assert!(replace(&file.join("below"), b"new").is_err());
        assert!(read_whole(&directory, 8).is_err() && replace(&directory, b"new").is_err());
        assert!(replace(Path::new("/"), b"new").unwrap_err().to_string().contains("names no file"));
        fs::remove_dir_all(directory).unwrap();
    }
}
