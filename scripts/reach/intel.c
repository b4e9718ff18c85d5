/* Stands in for the kernel's driver of an Intel GPU that is not there, so that Mesa's Vulkan driver finds
 * it and compiles for it: Debian's mesa-drm-shim has such a library for other vendors, and none for Intel.
 *
 *     LD_PRELOAD=intel.so REACH_INTEL=a770 PROGRAM     a chip of the table below
 *     REACH_INTEL_LOG=1                                each question that it has no answer to
 *
 * The functions of libdrm that find devices are replaced, and so is ioctl for the file that they name. That
 * file is one in memory: an allocation is a range of it, so mmap needs no replacement. What is submitted
 * is thrown away, and every wait ends at once. The answers are those of the kernel's two interfaces,
 * i915 (until Gen11) and xe.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <drm/i915_drm.h>
#include <drm/xe_drm.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

static const struct chip {
    const char *name;
    uint16_t device;
    /* Version of the graphics, where the kernel tells it (from 20 on); a small one is what the PCI number says. */
    uint16_t version, release;
    /* Subslices (on xe, dual ones), and execution units of each. */
    uint8_t subslices, units;
    uint8_t has_xe, has_memory;
} CHIPS[] = {
    {"uhd630", 0x3e92, 9, 0, 3, 8, 0, 0},       /* Gen9 */
    {"icelake", 0x8a52, 11, 0, 8, 8, 0, 0},     /* Gen11 */
    {"tigerlake", 0x9a49, 12, 0, 6, 16, 1, 0},  /* Xe-LP */
    {"a770", 0x56a0, 12, 55, 32, 16, 1, 1},     /* Xe-HPG */
    {"meteorlake", 0x7d55, 12, 71, 8, 16, 1, 0}, /* Xe-LPG */
    {"lunarlake", 0x64a0, 20, 4, 8, 8, 1, 0},   /* Xe2 */
    {"b580", 0xe20b, 20, 1, 20, 8, 1, 1},       /* Xe2 */
    {"pantherlake", 0xb080, 30, 0, 12, 8, 1, 0}, /* Xe3 */
};
static const struct chip *chip;

static const uint64_t MEMORY = 8ull << 30;
static char path[32];
static struct stat file;
/* The next byte of the file that no allocation has; an allocation's handle is where it begins, in pages of 64 KiB. */
static uint64_t used = 1 << 16;
static int logs;

__attribute__((constructor)) static void start(void) {
    const char *name = getenv("REACH_INTEL");
    for (unsigned i = 0; name && i < sizeof CHIPS / sizeof *CHIPS; i++)
        if (!strcmp(CHIPS[i].name, name)) chip = &CHIPS[i];
    int descriptor = chip ? memfd_create("intel", 0) : -1;
    if (descriptor < 0 || ftruncate(descriptor, 1ll << 46) || fstat(descriptor, &file)) {
        fprintf(stderr, "intel.so: REACH_INTEL=%s is no chip, or there is no memory for its file\n", name ? name : "");
        exit(2);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    logs = getenv("REACH_INTEL_LOG") != NULL;
}

/* What libdrm tells of the device. */

static char *nodes[DRM_NODE_MAX] = {[DRM_NODE_RENDER] = path};
static drmPciBusInfo bus = {.dev = 2};
static drmPciDeviceInfo numbers = {.vendor_id = 0x8086};
static drmDevice device = {.nodes = nodes, .available_nodes = 1 << DRM_NODE_RENDER, .bustype = DRM_BUS_PCI,
                           .businfo = {.pci = &bus}, .deviceinfo = {.pci = &numbers}};

int drmGetDevice2(int descriptor, uint32_t flags, drmDevicePtr *found) {
    (void)descriptor, (void)flags;
    numbers.device_id = chip->device;
    *found = &device;
    return 0;
}
int drmGetDevices2(uint32_t flags, drmDevicePtr found[], int most) {
    if (found && most > 0) drmGetDevice2(-1, flags, found);
    return 1;
}
void drmFreeDevice(drmDevicePtr *found) { *found = NULL; }
void drmFreeDevices(drmDevicePtr found[], int count) { memset(found, 0, count * sizeof *found); }
drmVersionPtr drmGetVersion(int descriptor) {
    (void)descriptor;
    static drmVersion version = {.version_major = 1, .date = "", .desc = ""};
    version.name = chip->has_xe ? "xe" : "i915";
    version.name_len = strlen(version.name);
    return &version;
}
void drmFreeVersion(drmVersionPtr version) { (void)version; }

/* Both interfaces ask twice: for the size of an answer, then for the answer. */
static int tell(const void *answer, size_t size, uint64_t into, void *length, size_t width) {
    uint32_t asked = *(uint32_t *)length;
    if (asked && asked < size) return -EINVAL;
    if (asked) memcpy((void *)(uintptr_t)into, answer, size);
    memcpy(length, &(uint32_t){size}, width);
    return 0;
}

static uint32_t allocate(uint64_t size) {
    uint32_t handle = used >> 16;
    used += (size + 0xffff) & ~0xffffull;
    return handle;
}

static unsigned set_bits(uint8_t *mask, unsigned count) {
    for (unsigned i = 0; i < count; i++) mask[i / 8] |= 1 << i % 8;
    return (count + 7) / 8;
}

/* xe */

static int query_xe(struct drm_xe_device_query *query) {
    union {
        struct {
            struct drm_xe_query_engines head;
            struct drm_xe_engine own[2];
        } engines;
        struct {
            struct drm_xe_query_mem_regions head;
            struct drm_xe_mem_region own[2];
        } regions;
        struct {
            struct drm_xe_query_config head;
            uint64_t own[5];
        } config;
        struct {
            struct drm_xe_query_gt_list head;
            struct drm_xe_gt own[1];
        } parts;
        struct drm_xe_query_uc_fw_version firmware;
        struct drm_xe_query_engine_cycles cycles;
        uint8_t bytes[512];
    } answer;
    memset(&answer, 0, sizeof answer);
    size_t size;
    switch (query->query) {
    case DRM_XE_DEVICE_QUERY_ENGINES:
        answer.engines.head.num_engines = 2;
        answer.engines.own[0].instance.engine_class = DRM_XE_ENGINE_CLASS_RENDER;
        answer.engines.own[1].instance.engine_class = DRM_XE_ENGINE_CLASS_COPY;
        size = sizeof answer.engines;
        break;
    case DRM_XE_DEVICE_QUERY_MEM_REGIONS:
        answer.regions.head.num_mem_regions = 1 + chip->has_memory;
        for (int i = 0; i < 1 + chip->has_memory; i++)
            answer.regions.own[i] = (struct drm_xe_mem_region){
                .mem_class = i ? DRM_XE_MEM_REGION_CLASS_VRAM : DRM_XE_MEM_REGION_CLASS_SYSMEM,
                .instance = i,
                .min_page_size = i ? 1 << 16 : 1 << 12,
                .total_size = MEMORY,
                .cpu_visible_size = i ? MEMORY : 0,
            };
        size = sizeof answer.regions;
        break;
    case DRM_XE_DEVICE_QUERY_CONFIG:
        answer.config.head.num_params = 5;
        answer.config.own[DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID] = chip->device | 8 << 16;
        answer.config.own[DRM_XE_QUERY_CONFIG_FLAGS] = chip->has_memory ? DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM : 0;
        answer.config.own[DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT] = 1 << 16;
        answer.config.own[DRM_XE_QUERY_CONFIG_VA_BITS] = 48;
        answer.config.own[DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY] = 1;
        size = sizeof answer.config;
        break;
    case DRM_XE_DEVICE_QUERY_GT_LIST:
        answer.parts.head.num_gt = 1;
        answer.parts.own[0] = (struct drm_xe_gt){
            .type = DRM_XE_QUERY_GT_TYPE_MAIN,
            .reference_clock = 19200000,
            .near_mem_regions = 1 << chip->has_memory,
            .far_mem_regions = chip->has_memory,
            .ip_ver_major = chip->version,
            .ip_ver_minor = chip->release,
            .ip_ver_rev = 4,
        };
        size = sizeof answer.parts;
        break;
    case DRM_XE_DEVICE_QUERY_GT_TOPOLOGY: {
        uint8_t *at = answer.bytes;
        const struct { uint16_t type; unsigned count; } masks[] = {
            {DRM_XE_TOPO_DSS_GEOMETRY, chip->subslices},
            {DRM_XE_TOPO_DSS_COMPUTE, chip->subslices},
            {DRM_XE_TOPO_L3_BANK, 8},
            {chip->version >= 20 ? DRM_XE_TOPO_SIMD16_EU_PER_DSS : DRM_XE_TOPO_EU_PER_DSS, chip->units},
        };
        for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++) {
            struct drm_xe_query_topology_mask *mask = (void *)at;
            mask->type = masks[i].type;
            set_bits(mask->mask, masks[i].count);
            /* Words of 32 bits, as many as the most that there are. */
            mask->num_bytes = i < 2 ? 8 : 4;
            at += sizeof *mask + mask->num_bytes;
        }
        size = at - answer.bytes;
        break;
    }
    case DRM_XE_DEVICE_QUERY_UC_FW_VERSION:
        answer.firmware = (struct drm_xe_query_uc_fw_version){.branch_ver = 0, .major_ver = 1, .minor_ver = 22};
        size = sizeof answer.firmware;
        break;
    case DRM_XE_DEVICE_QUERY_ENGINE_CYCLES:
        answer.cycles = (struct drm_xe_query_engine_cycles){.width = 36, .engine_cycles = 1, .cpu_timestamp = 1, .cpu_delta = 1};
        size = sizeof answer.cycles;
        break;
    case DRM_XE_DEVICE_QUERY_HWCONFIG:
        size = 0;
        break;
    default:
        if (logs) fprintf(stderr, "intel.so: query %u\n", query->query);
        return -ENODEV;
    }
    return tell(&answer, size, query->data, &query->size, sizeof query->size);
}

static int answer_xe(unsigned number, void *argument) {
    switch (number) {
    case DRM_XE_DEVICE_QUERY: return query_xe(argument);
    case DRM_XE_GEM_CREATE: {
        struct drm_xe_gem_create *create = argument;
        create->handle = allocate(create->size);
        return 0;
    }
    case DRM_XE_GEM_MMAP_OFFSET: {
        struct drm_xe_gem_mmap_offset *offset = argument;
        offset->offset = (uint64_t)offset->handle << 16;
        return 0;
    }
    case DRM_XE_VM_CREATE: ((struct drm_xe_vm_create *)argument)->vm_id = 1; return 0;
    case DRM_XE_EXEC_QUEUE_CREATE: ((struct drm_xe_exec_queue_create *)argument)->exec_queue_id = 1; return 0;
    case DRM_XE_EXEC_QUEUE_GET_PROPERTY: ((struct drm_xe_exec_queue_get_property *)argument)->value = 0; return 0;
    case DRM_XE_VM_DESTROY:
    case DRM_XE_VM_BIND:
    case DRM_XE_EXEC_QUEUE_DESTROY:
    case DRM_XE_EXEC:
    case DRM_XE_WAIT_USER_FENCE: return 0;
    }
    if (logs) fprintf(stderr, "intel.so: ioctl %u of xe\n", number);
    return -EINVAL;
}

/* i915 */

static int query_i915(struct drm_i915_query *query) {
    for (unsigned i = 0; i < query->num_items; i++) {
        struct drm_i915_query_item *item = (struct drm_i915_query_item *)(uintptr_t)query->items_ptr + i;
        union {
            struct drm_i915_query_topology_info topology;
            struct {
                struct drm_i915_query_engine_info head;
                struct drm_i915_engine_info own[2];
            } engines;
            struct {
                struct drm_i915_query_memory_regions head;
                struct drm_i915_memory_region_info own[1];
            } regions;
            uint8_t bytes[512];
        } answer;
        memset(&answer, 0, sizeof answer);
        size_t size = 0;
        switch (item->query_id) {
        case DRM_I915_QUERY_TOPOLOGY_INFO: {
            struct drm_i915_query_topology_info *own = &answer.topology;
            own->max_slices = 1;
            own->max_subslices = chip->subslices;
            own->max_eus_per_subslice = chip->units;
            own->subslice_offset = set_bits(own->data, 1);
            own->subslice_stride = set_bits(own->data + own->subslice_offset, chip->subslices);
            own->eu_offset = own->subslice_offset + own->subslice_stride;
            for (int k = 0; k < chip->subslices; k++)
                own->eu_stride = set_bits(own->data + own->eu_offset + k * ((chip->units + 7) / 8), chip->units);
            size = sizeof *own + own->eu_offset + chip->subslices * own->eu_stride;
            break;
        }
        case DRM_I915_QUERY_ENGINE_INFO:
            answer.engines.head.num_engines = 2;
            answer.engines.own[0].engine.engine_class = I915_ENGINE_CLASS_RENDER;
            answer.engines.own[1].engine.engine_class = I915_ENGINE_CLASS_COPY;
            size = sizeof answer.engines;
            break;
        case DRM_I915_QUERY_MEMORY_REGIONS:
            answer.regions.head.num_regions = 1;
            answer.regions.own[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
            answer.regions.own[0].probed_size = answer.regions.own[0].unallocated_size = MEMORY;
            size = sizeof answer.regions;
            break;
        default:
            if (logs) fprintf(stderr, "intel.so: query %llu\n", (unsigned long long)item->query_id);
        }
        int status = size ? tell(&answer, size, item->data_ptr, &item->length, sizeof item->length) : -EINVAL;
        if (status) item->length = status;
    }
    return 0;
}

static int parameter_of_i915(struct drm_i915_getparam *asked) {
    switch (asked->param) {
    case I915_PARAM_CHIPSET_ID: *asked->value = chip->device; return 0;
    case I915_PARAM_REVISION: *asked->value = 0; return 0;
    case I915_PARAM_HAS_ALIASING_PPGTT: *asked->value = I915_GEM_PPGTT_FULL; return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY: *asked->value = 12000000; return 0;
    case I915_PARAM_MMAP_GTT_VERSION:
    case I915_PARAM_MMAP_VERSION: *asked->value = 4; return 0;
    case I915_PARAM_SLICE_MASK: *asked->value = 1; return 0;
    case I915_PARAM_SUBSLICE_MASK: *asked->value = (1 << chip->subslices) - 1; return 0;
    case I915_PARAM_SUBSLICE_TOTAL: *asked->value = chip->subslices; return 0;
    case I915_PARAM_EU_TOTAL: *asked->value = chip->subslices * chip->units; return 0;
    }
    /* All others that the driver asks for are whether the kernel can do something. */
    *asked->value = 1;
    return 0;
}

static int answer_i915(unsigned number, void *argument) {
    switch (number) {
    case DRM_I915_GETPARAM: return parameter_of_i915(argument);
    case DRM_I915_QUERY: return query_i915(argument);
    case DRM_I915_GEM_CREATE: {
        struct drm_i915_gem_create *create = argument;
        create->handle = allocate(create->size);
        return 0;
    }
    case DRM_I915_GEM_CREATE_EXT: {
        struct drm_i915_gem_create_ext *create = argument;
        create->handle = allocate(create->size);
        return 0;
    }
    case DRM_I915_GEM_MMAP_GTT: {
        struct drm_i915_gem_mmap_offset *offset = argument;
        offset->offset = (uint64_t)offset->handle << 16;
        return 0;
    }
    case DRM_I915_GEM_CONTEXT_CREATE: ((struct drm_i915_gem_context_create *)argument)->ctx_id = 1; return 0;
    case DRM_I915_GEM_VM_CREATE: ((struct drm_i915_gem_vm_control *)argument)->vm_id = 1; return 0;
    case DRM_I915_GEM_CONTEXT_GETPARAM: {
        struct drm_i915_gem_context_param *asked = argument;
        asked->value = asked->param == I915_CONTEXT_PARAM_GTT_SIZE ? 1ull << 48 : 0;
        return 0;
    }
    case DRM_I915_GEM_GET_APERTURE: {
        struct drm_i915_gem_get_aperture *aperture = argument;
        aperture->aper_size = aperture->aper_available_size = 1ull << 48;
        return 0;
    }
    case DRM_I915_GEM_GET_TILING: {
        struct drm_i915_gem_get_tiling *tiling = argument;
        tiling->tiling_mode = I915_TILING_X;
        tiling->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
        return 0;
    }
    case DRM_I915_GEM_SET_TILING:
    case DRM_I915_GEM_SET_DOMAIN:
    case DRM_I915_GEM_BUSY:
    case DRM_I915_GEM_WAIT:
    case DRM_I915_GEM_SET_CACHING:
    case DRM_I915_GEM_MADVISE:
    case DRM_I915_GEM_EXECBUFFER2:
    case DRM_I915_GEM_CONTEXT_SETPARAM:
    case DRM_I915_GEM_CONTEXT_DESTROY:
    case DRM_I915_GEM_VM_DESTROY:
    case DRM_I915_GET_RESET_STATS:
    case DRM_I915_REG_READ: return 0;
    }
    if (logs) fprintf(stderr, "intel.so: ioctl %u of i915\n", number);
    return -EINVAL;
}

/* What all of the kernel's drivers have. */

static int answer_all(unsigned number, void *argument) {
    static uint32_t objects;
    switch (number) {
    case DRM_IOCTL_NR(DRM_IOCTL_GET_CAP): ((struct drm_get_cap *)argument)->value = 1; return 0;
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_CREATE): ((struct drm_syncobj_create *)argument)->handle = ++objects; return 0;
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_QUERY): {
        struct drm_syncobj_timeline_array *asked = argument;
        /* All that was ever submitted is done. */
        for (uint32_t i = 0; i < asked->count_handles; i++) ((uint64_t *)(uintptr_t)asked->points)[i] = INT64_MAX;
        return 0;
    }
    case DRM_IOCTL_NR(DRM_IOCTL_GEM_CLOSE):
    case DRM_IOCTL_NR(DRM_IOCTL_SET_CLIENT_CAP):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_WAIT):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_RESET):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
    case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TRANSFER): return 0;
    }
    if (logs) fprintf(stderr, "intel.so: ioctl %#x\n", number);
    return -EINVAL;
}

int ioctl(int descriptor, unsigned long request, ...) {
    static int (*next)(int, unsigned long, void *);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    struct stat own;
    if (fstat(descriptor, &own) || own.st_ino != file.st_ino || own.st_dev != file.st_dev) {
        if (!next) next = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
        return next(descriptor, request, argument);
    }
    unsigned number = _IOC_NR(request);
    int of_driver = number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END;
    int status = !of_driver       ? answer_all(number, argument)
                 : chip->has_xe   ? answer_xe(number - DRM_COMMAND_BASE, argument)
                                  : answer_i915(number - DRM_COMMAND_BASE, argument);
    if (status) errno = -status;
    return status ? -1 : 0;
}
