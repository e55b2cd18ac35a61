"""Writes a language model of random weights: half a megabyte, enough to speak the protocol of a server.

usage: python random_gguf.py PATH   (needs gguf and numpy; run by test_llm.sh in its own environment)
"""

import sys
from pathlib import Path

import gguf
import numpy as np

LAYERS, WIDTH, HEADS, INNER, CONTEXT = 2, 64, 4, 128, 1024
SPECIALS = ("<unk>", "<s>", "</s>")
CHATML = ("<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SEED = 7


def main(path: Path) -> None:
    """One byte is one token, so that every text can be said."""
    names = [*SPECIALS, *(f"<0x{byte:02X}>" for byte in range(256)), *CHATML]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.CONTROL] * len(CHATML)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(names))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(names)
    writer.add_token_scores([0.0] * len(names))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(len(names) - 1)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    for name, shape in tensors(len(names)).items():
        writer.add_tensor(name, weights(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def tensors(words: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the architecture `llama`."""
    found: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (words, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (words, WIDTH),
    }
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        found |= {f"{block}.attn_{part}.weight": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")}
        found |= {f"{block}.{part}_norm.weight": (WIDTH,) for part in ("attn", "ffn")}
        found |= {f"{block}.ffn_{part}.weight": (INNER, WIDTH) for part in ("gate", "up")}
        found[f"{block}.ffn_down.weight"] = (WIDTH, INNER)
    return found


def weights(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Ones for the norms, small random numbers for the rest; the same in every run."""
    if len(shape) == 1:
        return np.ones(shape, dtype=np.float32)
    seed = np.random.default_rng([SEED, *name.encode()])
    return (seed.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    main(target)
