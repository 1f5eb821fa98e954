"""Runs inside a virtual environment of vLLM: write a small Llama with random weights and a tokenizer of its own."""

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CONTEXT = 2048
VOCABULARY = 2048
TEXT = "memory bandwidth decode prefill cache token batch card engine node of and the 显存 带宽 解码"
BEGIN, END = "<s>", "</s>"


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs over a few words, so that any text has tokens and any token has a text."""
    pairs = Tokenizer(models.BPE(unk_token=None))
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    pairs.train_from_iterator([TEXT] * 20, trainer)
    made = PreTrainedTokenizerFast(
        tokenizer_object=pairs, bos_token=BEGIN, eos_token=END, model_max_length=CONTEXT
    )
    # Kernels want round widths, and every number that the model may choose needs a text
    made.add_tokens([f"w{number}" for number in range(VOCABULARY - len(made))])
    return made


def main(folder: str, hidden: int, layers: int) -> None:
    """Heads of 64, half as many for keys and values."""
    torch.manual_seed(0)
    words = tokenizer()
    words.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 64,
        num_key_value_heads=hidden // 128,
        head_dim=64,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=1,
        tie_word_embeddings=False,
        dtype="float16",
    )
    LlamaForCausalLM(config).to(torch.float16).save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
