"""Element types and mixes of GGUF files by the numbers that files hold. Source: ggml.h, ggml-common.h, llama.h."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stored block of one type: so many weights in so many bytes."""

    name: str
    weights: int
    size: int


def _block(name: str, weights: int, size: int) -> Block:
    return Block(name=name, weights=weights, size=size)


TYPES: dict[int, Block] = {
    0: _block("F32", 1, 4),
    1: _block("F16", 1, 2),
    2: _block("Q4_0", 32, 18),
    3: _block("Q4_1", 32, 20),
    6: _block("Q5_0", 32, 22),
    7: _block("Q5_1", 32, 24),
    8: _block("Q8_0", 32, 34),
    9: _block("Q8_1", 32, 36),
    10: _block("Q2_K", 256, 84),
    11: _block("Q3_K", 256, 110),
    12: _block("Q4_K", 256, 144),
    13: _block("Q5_K", 256, 176),
    14: _block("Q6_K", 256, 210),
    15: _block("Q8_K", 256, 292),
    16: _block("IQ2_XXS", 256, 66),
    17: _block("IQ2_XS", 256, 74),
    18: _block("IQ3_XXS", 256, 98),
    19: _block("IQ1_S", 256, 50),
    20: _block("IQ4_NL", 32, 18),
    21: _block("IQ3_S", 256, 110),
    22: _block("IQ2_S", 256, 82),
    23: _block("IQ4_XS", 256, 136),
    24: _block("I8", 1, 1),
    25: _block("I16", 1, 2),
    26: _block("I32", 1, 4),
    27: _block("I64", 1, 8),
    28: _block("F64", 1, 8),
    29: _block("IQ1_M", 256, 56),
    30: _block("BF16", 1, 2),
    34: _block("TQ1_0", 256, 54),
    35: _block("TQ2_0", 256, 66),
    39: _block("MXFP4", 32, 17),
}

# general.file_type -> the mix, as schemes of the catalog spell it behind "gguf-".
FILE_TYPES: dict[int, str] = {
    0: "f32",
    1: "f16",
    2: "q4_0",
    3: "q4_1",
    7: "q8_0",
    8: "q5_0",
    9: "q5_1",
    10: "q2_k",
    11: "q3_k_s",
    12: "q3_k_m",
    13: "q3_k_l",
    14: "q4_k_s",
    15: "q4_k_m",
    16: "q5_k_s",
    17: "q5_k_m",
    18: "q6_k",
    19: "iq2_xxs",
    20: "iq2_xs",
    21: "q2_k_s",
    22: "iq3_xs",
    23: "iq3_xxs",
    24: "iq1_s",
    25: "iq4_nl",
    26: "iq3_s",
    27: "iq3_m",
    28: "iq2_s",
    29: "iq2_m",
    30: "iq4_xs",
    31: "iq1_m",
    32: "bf16",
    36: "tq1_0",
    37: "tq2_0",
    38: "mxfp4",
}

# The mix that a file without a file type is closest to, by the type that most of its bytes have.
NEAREST_MIX: dict[str, str] = {
    "F32": "f32",
    "F16": "f16",
    "BF16": "bf16",
    "Q2_K": "q2_k",
    "Q3_K": "q3_k_m",
    "Q4_K": "q4_k_m",
    "Q5_K": "q5_k_m",
    "Q6_K": "q6_k",
    "IQ1_S": "iq1_s",
    "IQ1_M": "iq1_m",
    "IQ2_XXS": "iq2_xxs",
    "IQ2_XS": "iq2_xs",
    "IQ2_S": "iq2_s",
    "IQ3_XXS": "iq3_xxs",
    "IQ3_S": "iq3_s",
    "IQ4_NL": "iq4_nl",
    "IQ4_XS": "iq4_xs",
    "Q4_0": "q4_0",
    "Q4_1": "q4_1",
    "Q5_0": "q5_0",
    "Q5_1": "q5_1",
    "Q8_0": "q8_0",
    "TQ1_0": "tq1_0",
    "TQ2_0": "tq2_0",
    "MXFP4": "mxfp4",
}
