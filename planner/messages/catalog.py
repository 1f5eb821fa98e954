"""Words of the catalog: what its figures, fields, kinds and codes are called."""

from typing import Any

from django.utils.translation import gettext_lazy as _

ORIGINS: dict[str, Any] = {
    "shipped": _("shipped"),
    "edited": _("edited by the team"),
    "own": _("the team's own"),
    "retired": _("retired"),
}

CLASSES: dict[str, Any] = {
    "datacenter": _("data center"),
    "workstation": _("workstation"),
    "consumer": _("consumer"),
    "edge": _("edge"),
    "apple": _("Apple"),
    "npu": _("NPU"),
    "cpu": _("CPU"),
}

PLATFORM_KINDS: dict[str, Any] = {
    "server": _("server"),
    "baseboard": _("baseboard"),
    "generic": _("generic machine"),
    "workstation": _("workstation"),
    "mini": _("small computer"),
    "rack": _("rack"),
    "edge": _("edge"),
}

FIGURE_KINDS: dict[str, Any] = {
    "datasheet": _("datasheet"),
    "measured": _("measured"),
    "calibrated": _("calibrated"),
    "computed": _("computed"),
    "rule_of_thumb": _("rule of thumb"),
    "assumed": _("assumed"),
    "unsure": _("unsure"),
}

FIGURES: dict[str, Any] = {
    "memory_gb": _("Memory on the box"),
    "memory_gib": _("Memory that tools print"),
    "memory_gib_torch": _("Memory that PyTorch prints"),
    "bandwidth_gb_s": _("Memory bandwidth"),
    "bus_bits": _("Memory bus"),
    "data_rate_gt_s": _("Memory data rate"),
    "fp16_tflops": _("16-bit matrix rate, dense"),
    "fp8_tflops": _("FP8 matrix rate, dense"),
    "fp4_tflops": _("FP4 matrix rate, dense"),
    "int8_tops": _("INT8 matrix rate, dense"),
    "int4_tops": _("INT4 matrix rate, dense"),
    "fp32_shader_tflops": _("FP32 shader rate"),
    "link_gb_s": _("Fast link, one direction"),
    "pcie_gb_s": _("PCIe, one direction"),
    "tdp_w": _("Board power"),
    "decode_stream_gb_s": _("Read while decoding, 16-bit weights"),
    "decode_stream_fp8_gb_s": _("Read while decoding, FP8 weights"),
    "decode_stream_nvfp4_gb_s": _("Read while decoding, NVFP4 weights"),
    "gemm_bf16_tflops": _("Matrix rate reached, BF16"),
    "gemm_fp8_tflops": _("Matrix rate reached, FP8"),
    "gemm_nvfp4_tflops": _("Matrix rate reached, NVFP4"),
    "power_limit_w": _("Power limit that can be set"),
    "max_power_w": _("Power at most"),
    "typical_power_w": _("Power in use"),
}

FIELDS: dict[str, Any] = {
    "id": _("Id"),
    "name": _("Name"),
    "vendor": _("Vendor"),
    "class": _("Class"),
    "kind": _("Kind"),
    "form": _("Form"),
    "architecture": _("Architecture"),
    "compute_capability": _("Compute capability or target"),
    "launch_year": _("Came out in"),
    "memory_type": _("Memory type"),
    "unified_memory": _("Memory shared with the system"),
    "ecc": _("ECC"),
    "logical_devices": _("Devices that the tool prints"),
    "native_dtypes": _("Types with matrix units"),
    "unknown_dtypes": _("Types nobody states"),
    "link": _("Fast link"),
    "pcie": _("PCIe"),
    "reported_names": _("Names that tools print"),
    "reported_mib": _("MiB that tools print"),
    "accelerators": _("Accelerators"),
    "interconnect": _("Link between them"),
    "host": _("Host"),
    "source": _("Source"),
    "figures": _("Figures"),
}

HOST_PARTS: dict[str, Any] = {"cpu": _("CPU"), "pcie": _("PCIe"), "nics": _("Network")}

HINTS: dict[str, Any] = {
    "id": _("Small letters, digits, dots and hyphens, such as acme-x1-48gb. It stays."),
    "compute_capability": _("Such as 8.9; on AMD the target, such as gfx942."),
    "pcie": _("Such as pcie4-x16."),
    "reported_names": _("One a line, exactly as nvidia-smi prints them."),
    "reported_mib": _("One a line, the total in MiB."),
    "accelerators": _("One a line: how many and the id, such as 8 nvidia-h100-sxm5-80gb."),
    "source": _("Of what is no figure: a datasheet, an address, who measured it."),
    "logical_devices": _("2 for a board that shows as two."),
}

# What links the accelerators of a platform, where the catalog says it by a word and not by the name of a link.
BETWEEN: dict[str, Any] = {"none": _("none"), "PCIe only": _("PCIe only")}

ATTENTION: dict[str, Any] = {
    "full": _("full attention"),
    "sliding": _("sliding window"),
    "chunked": _("chunked"),
    "mla": _("latent (MLA)"),
    "mla_dsa": _("sparse latent (DSA)"),
    "dsv4": _("compressed (DeepSeek V4)"),
    "dsv41": _("compressed (DeepSeek V4.1)"),
    "index_key": _("index keys"),
    "cross": _("cross attention"),
    "gdn": _("gated delta net, constant state"),
    "mamba1": _("Mamba, constant state"),
    "mamba2": _("Mamba 2, constant state"),
    "kda": _("Kimi delta attention, constant state"),
    "lightning": _("lightning attention, constant state"),
    "short_conv": _("short convolution, constant state"),
}

PARTS: dict[str, Any] = {
    "embedding": _("Token table"),
    "lm_head": _("Output head"),
    "linear": _("Dense matrices"),
    "routed": _("Routed experts"),
    "router": _("Routers"),
    "other": _("Norms, biases, other"),
    "vision": _("Vision"),
}

SUPPORT: dict[str, Any] = {
    "native": _("its own code"),
    "transformers": _("through transformers, slower"),
    "absent": _("not supported"),
}

KERNELS: dict[str, Any] = {
    "dense": _("unquantized"),
    "fp8": _("FP8"),
    "int8": _("INT8"),
    "int4": _("packed integers"),
    "fp4": _("FP4"),
    "gguf": _("GGUF"),
    "nf4": _("NF4"),
}

MATCHES: dict[str, Any] = {
    "exact_name": _("A name that this part alone prints."),
    "name_and_memory": _("Several boards print this name; the memory says which."),
    "pci_and_memory": _("By PCI id and memory."),
    "other_name": _("An older or shorter name of the part."),
    "operator": _("By the team's own word below."),
    "vgpu": _("This is a slice of a virtualised card. Say below which card it is to be counted as."),
    "ambiguous": _(
        "Boards of different memory print this name. Give the memory too, or say below which it is."
    ),
    "unknown": _("Nothing in the catalog has this name. Say below which card it is."),
}

TIERS: dict[str, Any] = {
    "below-300": _("below 300 GB/s"),
    "300-700": _("300 to 700 GB/s"),
    "700-1200": _("700 to 1,200 GB/s"),
    "1200-2500": _("1,200 to 2,500 GB/s"),
    "2500-4000": _("2,500 to 4,000 GB/s"),
    "from-4000": _("from 4,000 GB/s on"),
}

USES: dict[str, Any] = {"plan": _("plan"), "platform": _("platform"), "mapping": _("reported name")}
