/* A Vulkan layer that turns on VK_KHR_pipeline_executable_properties and writes what the driver says
 * of each compute pipeline, as a line of JSON, to the file $REACH_STATISTICS:
 *
 *     {"pipeline":0,"subgroup":64,"statistics":{"VGPRs":96,...}}
 *
 * A pipeline that the driver refuses is {"error":-2}, by its VkResult. With $REACH_CODE=FOLDER, the
 * driver's own code goes to FOLDER/0.txt, FOLDER/1.txt and so on, by that number. One device at
 * a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

static VkInstance instance;
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static int has_statistics;
static FILE *lines;
static const char *code;
static unsigned pipelines;

static void *found(const void *info, VkStructureType type, VkLayerFunction (*function)(const void *)) {
    const VkBaseInStructure *own = info;
    while (own && !(own->sType == type && function(own) == VK_LAYER_LINK_INFO)) own = own->pNext;
    return (void *)own;
}

static VkLayerFunction of_instance(const void *info) { return ((const VkLayerInstanceCreateInfo *)info)->function; }
static VkLayerFunction of_device(const void *info) { return ((const VkLayerDeviceCreateInfo *)info)->function; }

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                                      VkInstance *made) {
    VkLayerInstanceCreateInfo *link = found(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, of_instance);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = ((PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance"))(info, allocator, made);
    if (result == VK_SUCCESS) instance = *made;
    if (!lines) {
        const char *path = getenv("REACH_STATISTICS");
        lines = path ? fopen(path, "a") : stderr;
        if (!lines) return VK_ERROR_INITIALIZATION_FAILED;
        code = getenv("REACH_CODE");
    }
    return result;
}

static int device_has(VkPhysicalDevice device, const char *extension) {
    PFN_vkEnumerateDeviceExtensionProperties list =
        (PFN_vkEnumerateDeviceExtensionProperties)next_instance(instance, "vkEnumerateDeviceExtensionProperties");
    uint32_t count = 0;
    list(device, NULL, &count, NULL);
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    list(device, NULL, &count, all);
    int has = 0;
    for (uint32_t i = 0; i < count; i++) has |= !strcmp(all[i].extensionName, extension);
    free(all);
    return has;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *made) {
    const char *extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    VkLayerDeviceCreateInfo *link = found(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, of_device);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance, "vkCreateDevice");
    has_statistics = device_has(physical, extension);
    if (!has_statistics) return create(physical, info, allocator, made);
    uint32_t count = info->enabledExtensionCount;
    const char **names = calloc(count + 1, sizeof *names);
    if (count) memcpy(names, info->ppEnabledExtensionNames, count * sizeof *names);
    names[count] = extension;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, (void *)info->pNext, VK_TRUE};
    VkDeviceCreateInfo own = *info;
    own.pNext = &feature;
    own.enabledExtensionCount = count + 1;
    own.ppEnabledExtensionNames = names;
    VkResult result = create(physical, &own, allocator, made);
    free(names);
    return result;
}

static void write_code(VkDevice device, const VkPipelineExecutableInfoKHR *executable) {
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR get =
        (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)next_device(device, "vkGetPipelineExecutableInternalRepresentationsKHR");
    char path[4096];
    snprintf(path, sizeof path, "%s/%u.txt", code, pipelines);
    FILE *file = get ? fopen(path, "w") : NULL;
    if (!file) return;
    uint32_t count = 0;
    get(device, executable, &count, NULL);
    VkPipelineExecutableInternalRepresentationKHR *all = calloc(count + 1, sizeof *all);
    for (uint32_t i = 0; i < count; i++) all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
    get(device, executable, &count, all);
    for (uint32_t i = 0; i < count; i++) all[i].pData = calloc(all[i].dataSize + 1, 1);
    get(device, executable, &count, all);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "--- %s\n%s\n", all[i].name, (const char *)all[i].pData);
        free(all[i].pData);
    }
    free(all);
    fclose(file);
}

static void write_statistics(VkDevice device, VkPipeline pipeline) {
    PFN_vkGetPipelineExecutablePropertiesKHR properties =
        (PFN_vkGetPipelineExecutablePropertiesKHR)next_device(device, "vkGetPipelineExecutablePropertiesKHR");
    PFN_vkGetPipelineExecutableStatisticsKHR statistics =
        (PFN_vkGetPipelineExecutableStatisticsKHR)next_device(device, "vkGetPipelineExecutableStatisticsKHR");
    VkPipelineInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, NULL, pipeline};
    VkPipelineExecutablePropertiesKHR executable = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    /* A compute pipeline is one program. */
    uint32_t one = 1;
    properties(device, &info, &one, &executable);
    VkPipelineExecutableInfoKHR first = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, NULL, pipeline, 0};
    uint32_t count = 0;
    if (one) statistics(device, &first, &count, NULL);
    VkPipelineExecutableStatisticKHR *all = calloc(count + 1, sizeof *all);
    for (uint32_t i = 0; i < count; i++) all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    if (count) statistics(device, &first, &count, all);
    fprintf(lines, "{\"pipeline\":%u,\"subgroup\":%u,\"statistics\":{", pipelines, executable.subgroupSize);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(lines, "%s\"%s\":", i ? "," : "", all[i].name);
        switch (all[i].format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: fprintf(lines, "%g", all[i].value.f64); break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: fprintf(lines, "%u", all[i].value.b32); break;
        default: fprintf(lines, "%lld", (long long)all[i].value.i64);
        }
    }
    fprintf(lines, "}}\n");
    free(all);
    if (code && one) write_code(device, &first);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
                                                       VkPipeline *made) {
    PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)next_device(device, "vkCreateComputePipelines");
    if (!has_statistics) return create(device, cache, count, infos, allocator, made);
    VkComputePipelineCreateInfo *own = calloc(count, sizeof *own);
    memcpy(own, infos, count * sizeof *own);
    for (uint32_t i = 0; i < count; i++) {
        own[i].flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
        if (code) own[i].flags |= VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    }
    VkResult result = create(device, cache, count, own, allocator, made);
    free(own);
    for (uint32_t i = 0; i < count; i++, pipelines++) {
        if (result == VK_SUCCESS && made[i]) write_statistics(device, made[i]);
        else fprintf(lines, "{\"error\":%d}\n", result);
    }
    fflush(lines);
    return result;
}

static PFN_vkVoidFunction own_function(const char *name) {
    if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create_instance;
    if (!strcmp(name, "vkCreateDevice")) return (PFN_vkVoidFunction)create_device;
    if (!strcmp(name, "vkCreateComputePipelines")) return (PFN_vkVoidFunction)create_pipelines;
    return NULL;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL reach_device(VkDevice device, const char *name) {
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)reach_device;
    PFN_vkVoidFunction own = own_function(name);
    return own ? own : next_device(device, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL reach_instance(VkInstance of, const char *name) {
    if (!strcmp(name, "vkGetInstanceProcAddr")) return (PFN_vkVoidFunction)reach_instance;
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)reach_device;
    PFN_vkVoidFunction own = own_function(name);
    if (own) return own;
    return next_instance ? next_instance(of, name) : NULL;
}
