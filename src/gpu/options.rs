//! Which adapter to open, and how.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::settings::settings;
use crate::sort::sort_short_by_key;
use crate::threads::Boxed;

/// How long a device may show no progress unless the caller says otherwise. The longest work that
/// was seen to be right, a transform of 2²⁸ numbers on a processor, took minutes.
pub(super) const WAIT_LIMIT: Duration = Duration::from_secs(600);

/// Which adapter [`Gpu::request`](crate::Gpu::request) opens, and how.
///
/// Options that are not set are read from the environment, under names that users of wgpu know:
///
/// | variable | meaning |
/// |---|---|
/// | `WGPU_ADAPTER_NAME` | part of the adapter's or its driver's name, in any case |
/// | `WGPU_BACKEND` | `vulkan`, `metal`, `dx12`, ..., separated by commas |
/// | `WGPU_POWER_PREF` | `low` puts integrated GPUs before discrete ones |
/// | `WGPU_FFT_DEVICE_TYPE` | `discrete`, `integrated`, `virtual`, `cpu` or `other` |
/// | `WGPU_FFT_PIPELINE_CACHE` | the file of [`pipeline_cache`](Self::pipeline_cache) |
/// | `WGPU_FFT_WAIT_LIMIT` | the seconds of [`wait_limit`](Self::wait_limit) |
/// | `WGPU_FFT_VERIFY_EVERY` | the number of runs of [`verify_every`](Self::verify_every) |
/// | `WGPU_FFT_CHECKED` | `1`: every shader with bounds checks, to measure what those cost; see below |
///
/// Among the adapters that qualify, the order of preference is: discrete, integrated, virtual,
/// other, software. Among software adapters, the one with the wider subgroups comes first.
///
/// # Arrays that the host maps
/// Software and integrated adapters are opened with wgpu's feature `MAPPABLE_PRIMARY_BUFFERS`:
/// there [`Plan::run`](crate::Plan::run) copies straight into the arrays of kernels and out of
/// them. On a discrete GPU kernels would read such arrays over the bus, so they go without.
///
/// # Shaders without checks
/// wgpu adds checks to every shader that keep each access inside its binding and make each loop
/// end. The kernel for Fourier transforms, `fft/pass`, is compiled without them: it has no loops,
/// and every index is compared with the size of its array when the program is made. On an H200 this
/// saves 0 to 5% of the time, and 2% on average for transforms along two axes. `WGPU_FFT_CHECKED=1`
/// turns the checks back on.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GpuOptions {
    name: Option<String>,
    device_type: Option<wgpu::DeviceType>,
    backends: Option<wgpu::Backends>,
    power: Option<wgpu::PowerPreference>,
    pub(super) pipeline_cache: Option<PathBuf>,
    limits: Option<wgpu::Limits>,
    instance: Option<wgpu::Instance>,
    adapter: Option<wgpu::Adapter>,
    wait_limit: Option<Duration>,
    verify_every: Option<u32>,
    /// From the environment alone, see above.
    pub(super) checked: bool,
}

impl GpuOptions {
    settings! { own:
        /// Only adapters whose name or driver name contains `name`; case is ignored.
        adapter_name(name: impl Into<String>) => own.name = Some(name.into());

        /// Only adapters of this type.
        device_type(device_type: wgpu::DeviceType) => own.device_type = Some(device_type);

        /// Only these backends.
        backends(backends: wgpu::Backends) => own.backends = Some(backends);

        /// Whether a fast or a power-saving adapter is preferred.
        power_preference(power: wgpu::PowerPreference) => own.power = Some(power);

        /// Looks for adapters in this `wgpu::Instance` instead of the one that the crate keeps for
        /// itself.
        ///
        /// A program that uses wgpu itself should pass its own instance: wgpu detects buffers that
        /// are used on the wrong device of one instance, but it does not distinguish instances. The
        /// instance decides which backends exist; [`backends`](Self::backends) and `WGPU_BACKEND`
        /// choose among them.
        instance(instance: wgpu::Instance) => own.instance = Some(instance);

        /// Opens this adapter, whatever the environment asks for. The adapter must satisfy the
        /// other options set here.
        ///
        /// The device then belongs to the adapter's instance, see [`instance`](Self::instance).
        adapter(adapter: wgpu::Adapter) => own.adapter = Some(adapter);

        /// Keeps compiled pipelines in this file, so that the next run of the program need not
        /// compile them again. The file is read when the device is opened. Only
        /// [`Gpu::save_pipeline_cache`](crate::Gpu::save_pipeline_cache) writes it.
        ///
        /// One file holds the pipelines of one adapter with one version of its driver. A file that
        /// is damaged, or was made for another adapter, is ignored and replaced on the next save;
        /// [`Gpu::pipeline_cache`](crate::Gpu::pipeline_cache) tells why. Only Vulkan supports
        /// such caches. Most drivers of desktop GPUs also keep a cache of their own.
        ///
        /// The file must be a regular file of at most 256 MiB, or a link to one. Nothing else is
        /// read or replaced.
        ///
        /// The file's contents are handed to the driver, which need not be safe against forged
        /// data. Let nobody else write to its directory.
        pipeline_cache(path: impl Into<PathBuf>) => own.pipeline_cache = Some(path.into());

        /// Opens the device with these limits in place of all that the adapter has, for instance to
        /// find out on a large GPU whether a program works on a small one. Limits beyond the
        /// adapter's become the adapter's.
        ///
        /// ```no_run
        /// use wgpu_fft::{Gpu, GpuOptions, wgpu};
        ///
        /// # async fn open() -> wgpu_fft::Result<()> {
        /// // As every browser offers at least: 16 KiB of workgroup memory, bindings of 128 MiB.
        /// let gpu = Gpu::request(&GpuOptions::default().limits(wgpu::Limits::default())).await?;
        /// assert_eq!(gpu.profile().workgroup_bytes, 16 << 10);
        /// # Ok(())
        /// # }
        /// ```
        limits(limits: wgpu::Limits) => own.limits = Some(limits);

        /// How long the device may show no progress while somebody waits for it: 10 minutes if
        /// neither this nor the environment says otherwise. `Duration::MAX` waits for ever.
        /// [`Gpu::with_wait_limit`](crate::Gpu::with_wait_limit) says what counts.
        wait_limit(limit: Duration) => own.wait_limit = Some(limit);

        /// Verifies every so many runs of each plan on host data (`run` and `run_into` of
        /// [`Plan`](crate::Plan) and of [`AnyPlan`](crate::dynamic::AnyPlan)): each one with 1,
        /// none with 0, which is the default. Use it where results look wrong, or must not be.
        ///
        /// Such a run is made twice, and both results must have equal bits. Up to 64 elements are
        /// compared with their definition on the host, where there is a short one, as by
        /// [`Plan::verify`](crate::Plan::verify). If the input holds infinities or NaN, and for
        /// elements beyond 10¹⁵ or whose rounding errors are below 10⁻²¹, the bits alone are
        /// compared. A wrong result is [`Error::WrongResult`] in place of the result, from the
        /// [`Pending`](crate::Pending) or from `run_into`.
        ///
        /// A verified run costs one more run, with its transfers, and up to a tenth of a second of
        /// sums on the host. What is recorded into encoders of the caller's is not verified.
        verify_every(runs: u32) => own.verify_every = Some(runs);
    }

    /// Every how many runs one is verified.
    pub(super) fn runs_to_verify(&self) -> u32 {
        self.verify_every.unwrap_or_default()
    }

    /// The limit on waits, if there is one.
    pub(super) fn limit_on_waits(&self) -> Option<Duration> {
        Some(self.wait_limit.unwrap_or(WAIT_LIMIT)).filter(|limit| *limit < Duration::MAX)
    }

    /// The limits to open an adapter with.
    pub(super) fn limits_on(&self, adapter: &wgpu::Adapter) -> wgpu::Limits {
        let all = adapter.limits();
        self.limits.clone().map_or_else(|| all.clone(), |limits| limits.or_worse_values_from(&all))
    }

    /// These options with the environment where they say nothing.
    pub(super) fn resolved(&self) -> Result<Self> {
        Ok(Self {
            name: self.name.clone().or_else(|| std::env::var("WGPU_ADAPTER_NAME").ok()).filter(|name| !name.is_empty()),
            device_type: or_read(self.device_type, "WGPU_FFT_DEVICE_TYPE", parse_device_type)?,
            backends: or_read(self.backends, "WGPU_BACKEND", parse_backends)?,
            power: self.power.or_else(wgpu::PowerPreference::from_env),
            pipeline_cache: match &self.pipeline_cache {
                Some(path) => Some(path.clone()),
                None => std::env::var_os("WGPU_FFT_PIPELINE_CACHE").filter(|path| !path.is_empty()).map(PathBuf::from),
            },
            limits: self.limits.clone(),
            instance: self.instance.clone(),
            adapter: self.adapter.clone(),
            wait_limit: or_read(self.wait_limit, "WGPU_FFT_WAIT_LIMIT", parse_seconds)?,
            verify_every: or_read(self.verify_every, "WGPU_FFT_VERIFY_EVERY", parse_runs)?,
            checked: or_read(None, "WGPU_FFT_CHECKED", parse_switch)?.unwrap_or_default(),
        })
    }

    /// Whether these options or the environment ask for an adapter by its name or its type.
    pub(crate) fn is_particular(&self) -> Result<bool> {
        let resolved = self.resolved()?;
        Ok(resolved.name.is_some() || resolved.device_type.is_some() || resolved.adapter.is_some())
    }

    fn describe(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.name.as_ref().map(|name| format!("named like {name:?}")));
        words.extend(self.device_type.map(|device_type| format!("of type {device_type:?}")));
        words.extend(self.backends.map(|backends| format!("on {backends:?}")));
        if words.is_empty() { "at all".to_owned() } else { words.join(", ") }
    }

    fn fits(&self, info: &wgpu::AdapterInfo) -> bool {
        let backends = self.backends.unwrap_or(wgpu::Backends::all());
        let contains = |text: &str, name: &str| text.to_lowercase().contains(&name.to_lowercase());
        self.name.as_ref().is_none_or(|name| contains(&info.name, name) || contains(&info.driver, name))
            && self.device_type.is_none_or(|device_type| device_type == info.device_type)
            && backends.contains(info.backend.into())
    }
}

fn parse_device_type(text: &str) -> Result<wgpu::DeviceType> {
    match text.to_lowercase().as_str() {
        "discrete" => Ok(wgpu::DeviceType::DiscreteGpu),
        "integrated" => Ok(wgpu::DeviceType::IntegratedGpu),
        "virtual" => Ok(wgpu::DeviceType::VirtualGpu),
        "cpu" => Ok(wgpu::DeviceType::Cpu),
        "other" => Ok(wgpu::DeviceType::Other),
        _ => Err(Error::Parse {
            what: "device type (WGPU_FFT_DEVICE_TYPE)",
            text: text.to_owned(),
            why: "it is one of discrete, integrated, virtual, cpu, other".to_owned(),
        }),
    }
}

/// The own value, or else what an environment variable says, if it says anything.
fn or_read<T>(own: Option<T>, variable: &str, parse: impl FnOnce(&str) -> Result<T>) -> Result<Option<T>> {
    if own.is_some() {
        return Ok(own);
    }
    std::env::var(variable).ok().filter(|text| !text.is_empty()).map(|text| parse(&text)).transpose()
}

fn parse_runs(text: &str) -> Result<u32> {
    text.parse().map_err(|_| {
        let why = "it is a whole number of runs, 0 for none".to_owned();
        Error::Parse { what: "number of runs (WGPU_FFT_VERIFY_EVERY)", text: text.to_owned(), why }
    })
}

fn parse_seconds(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    match seconds {
        Some(seconds) => Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        None => {
            let why = "it is a number of seconds above 0, or inf".to_owned();
            Err(Error::Parse { what: "limit on waits (WGPU_FFT_WAIT_LIMIT)", text: text.to_owned(), why })
        }
    }
}

fn parse_switch(text: &str) -> Result<bool> {
    match text {
        "1" => Ok(true),
        "0" | "" => Ok(false),
        _ => {
            let why = "it is 1 or 0".to_owned();
            Err(Error::Parse { what: "switch (WGPU_FFT_CHECKED)", text: text.to_owned(), why })
        }
    }
}

/// As wgpu reads `WGPU_BACKEND`, but a name that it does not know is an error in place of no
/// backend.
fn parse_backends(text: &str) -> Result<wgpu::Backends> {
    let backends = wgpu::Backends::from_comma_list(text);
    if backends.is_empty() {
        let why = "it is one or more of vulkan, metal, dx12, gl, webgpu, with commas between them".to_owned();
        return Err(Error::Parse { what: "backend (WGPU_BACKEND)", text: text.to_owned(), why });
    }
    Ok(backends)
}

/// Position of an adapter in the order of preference.
///
/// A software adapter's subgroup is the vector that it computes with: lavapipe's 8 are 10 times as
/// fast as SwiftShader's 4 in an FFT of 512 x 512 (28 against 310 ms on two cores).
fn rank(info: &wgpu::AdapterInfo, power: Option<wgpu::PowerPreference>) -> (u8, Reverse<u32>) {
    let vector = if info.device_type == wgpu::DeviceType::Cpu { info.subgroup_max_size } else { 0 };
    (type_rank(info.device_type, power), Reverse(vector))
}

fn type_rank(device_type: wgpu::DeviceType, power: Option<wgpu::PowerPreference>) -> u8 {
    let frugal = power == Some(wgpu::PowerPreference::LowPower);
    match device_type {
        wgpu::DeviceType::DiscreteGpu => u8::from(frugal),
        wgpu::DeviceType::IntegratedGpu => u8::from(!frugal),
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

const fn hint() -> &'static str {
    if cfg!(target_os = "linux") {
        "Install the Vulkan driver of your GPU, or the software adapter lavapipe: `apt install mesa-vulkan-drivers libvulkan1` on Debian and \
         Ubuntu, `dnf install mesa-vulkan-drivers vulkan-loader` on Fedora, `pacman -S vulkan-swrast vulkan-icd-loader` on Arch"
    } else if cfg!(target_os = "macos") {
        "Metal needs a Mac from 2012 or later; in a virtual machine, turn on its GPU"
    } else if cfg!(target_os = "windows") {
        "Install the driver of your GPU; without one, Windows offers the software adapter `Microsoft Basic Render Driver` through DX12"
    } else if cfg!(target_arch = "wasm32") {
        "The browser offers no WebGPU: use a current Chrome, Edge, Firefox or Safari and a secure page (https or localhost)"
    } else {
        "Install a Vulkan driver"
    }
}

/// The one instance of wgpu that this crate opens adapters from.
///
/// wgpu's handles are numbers within an instance: a buffer of another instance passes for whatever
/// has its number here. So there is only one.
#[cfg(not(target_arch = "wasm32"))]
fn instance() -> &'static wgpu::Instance {
    static INSTANCE: std::sync::OnceLock<wgpu::Instance> = std::sync::OnceLock::new();
    INSTANCE.get_or_init(new_instance)
}

/// The browser has one instance whatever is made here, and its handles cannot be shared between
/// threads.
#[cfg(target_arch = "wasm32")]
fn instance() -> wgpu::Instance {
    new_instance()
}

fn new_instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = wgpu::Backends::all();
    // Debug builds would ask for debug information of shaders, for which naga looks up the line of
    // every statement from the start of the text: several times what planning takes otherwise.
    // `WGPU_DEBUG=1` asks for it all the same.
    descriptor.flags = (wgpu::InstanceFlags::from_build_config() - wgpu::InstanceFlags::DEBUG).with_env();
    wgpu::Instance::new(descriptor)
}

/// Every adapter, in wgpu's order.
pub(super) async fn all_adapters(power: Option<wgpu::PowerPreference>) -> Vec<wgpu::Adapter> {
    #[cfg(not(target_arch = "wasm32"))]
    let instance = instance();
    #[cfg(target_arch = "wasm32")]
    let instance = &instance();
    adapters_of(instance, power).await
}

async fn adapters_of(instance: &wgpu::Instance, power: Option<wgpu::PowerPreference>) -> Vec<wgpu::Adapter> {
    // A browser does not enumerate: it answers a request with one adapter, and only there does the
    // preference reach it.
    let mut all = if cfg!(target_arch = "wasm32") { Vec::new() } else { instance.enumerate_adapters(wgpu::Backends::all()).await };
    if all.is_empty() {
        let power_preference = power.unwrap_or_default();
        all.extend(instance.request_adapter(&wgpu::RequestAdapterOptions { power_preference, ..Default::default() }).await);
    }
    all
}

/// Lists the adapters that satisfy `options`, best first. All of them come from one
/// `wgpu::Instance`: that of the [options](GpuOptions::instance), or the one that the crate keeps
/// for itself. Objects of two instances must not be mixed, see
/// [`Gpu::from_wgpu`](crate::Gpu::from_wgpu).
///
/// # Errors
/// [`Error::NoAdapter`] if none qualifies, with a list of those that exist and advice on what to
/// install; [`Error::Parse`] if an environment variable has a value that cannot be read.
pub async fn adapters(options: &GpuOptions) -> Result<Vec<wgpu::Adapter>> {
    boxed_adapters(options).await
}

fn boxed_adapters(options: &GpuOptions) -> Boxed<'_, Result<Vec<wgpu::Adapter>>> {
    Box::pin(fitting(options))
}

async fn fitting(options: &GpuOptions) -> Result<Vec<wgpu::Adapter>> {
    let options = match &options.adapter {
        // What the environment asks for is the program's own choice already.
        Some(_) => options.clone(),
        None => options.resolved()?,
    };
    if wgpu::Instance::enabled_backend_features().is_empty() {
        let hint =
            "The program was built without any backend: turn on one of this crate's features vulkan, metal, dx12, webgpu, or wgpu's own";
        return Err(Error::NoAdapter { wanted: options.describe(), found: "none".to_owned(), hint });
    }
    let mut all = match (&options.adapter, &options.instance) {
        (Some(adapter), _) => vec![adapter.clone()],
        (None, Some(instance)) => adapters_of(instance, options.power).await,
        (None, None) => all_adapters(options.power).await,
    };
    let name = |info: wgpu::AdapterInfo| format!("{} ({:?}, {:?})", info.name, info.backend, info.device_type);
    let found = all.iter().map(|adapter| name(adapter.get_info())).collect::<Vec<_>>().join(", ");
    all.retain(|adapter| options.fits(&adapter.get_info()));
    if all.is_empty() {
        let (found, hint) =
            if found.is_empty() { ("none".to_owned(), hint()) } else { (found, "Ask for one of these, or for none in particular") };
        return Err(Error::NoAdapter { wanted: options.describe(), found, hint });
    }
    sort_short_by_key(&mut all, |adapter| rank(&adapter.get_info(), options.power));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discrete_gpus_come_first_and_software_last() {
        use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
        let mut types = [Cpu, Other, VirtualGpu, IntegratedGpu, DiscreteGpu];
        types.sort_by_key(|&device_type| type_rank(device_type, None));
        assert_eq!(types, [DiscreteGpu, IntegratedGpu, VirtualGpu, Other, Cpu]);
        types.sort_by_key(|&device_type| type_rank(device_type, Some(wgpu::PowerPreference::LowPower)));
        assert_eq!(types[..2], [IntegratedGpu, DiscreteGpu]);
    }

    #[test]
    fn unknown_backends_are_named() {
        assert_eq!(parse_backends("vulkan,metal"), Ok(wgpu::Backends::VULKAN | wgpu::Backends::METAL));
        assert!(parse_backends("vulcan").unwrap_err().to_string().contains("`vulcan`"));
    }

    #[test]
    fn switches_are_on_off_or_an_error() {
        assert_eq!([parse_switch("1"), parse_switch("0"), parse_switch("")], [Ok(true), Ok(false), Ok(false)]);
        assert!(parse_switch("yes").unwrap_err().to_string().contains("`yes`"));
    }

    #[test]
    fn limits_on_waits_are_seconds() {
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!([parse_seconds("inf"), parse_seconds("1e300")], [Ok(Duration::MAX), Ok(Duration::MAX)]);
        assert!(["0", "-1", "nan", "soon", ""].iter().all(|text| parse_seconds(text).is_err()));
        assert!(parse_seconds("soon").unwrap_err().to_string().contains("`soon`"));
        assert_eq!([parse_runs("0"), parse_runs("12")], [Ok(0), Ok(12)]);
        assert!(["-1", "1.5", "all"].iter().all(|text| parse_runs(text).unwrap_err().to_string().contains(text)));
    }

    #[test]
    fn unknown_device_types_are_named() {
        assert_eq!(parse_device_type("CPU"), Ok(wgpu::DeviceType::Cpu));
        assert!(parse_device_type("gpu").unwrap_err().to_string().contains("`gpu`"));
    }
}
