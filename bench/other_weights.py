"""The bundled embedder's weights, as fp32 in a graph, made into other forms: torch, and static int8."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

QUANTISED = "_quantized"


def torch_model(graph: bytes) -> Any:
    """A BertModel of transformers, in fp32, with the weights of a dequantised graph (see bench.dequantise)."""
    import torch
    from transformers import BertConfig, BertModel

    state = {name: torch.from_numpy(values.copy()) for name, values in _state(graph).items()}
    sizes = {"vocab_size": 30522, "hidden_size": 384, "intermediate_size": 1536}
    shape = BertConfig(**sizes, num_hidden_layers=12, num_attention_heads=12)
    model = BertModel(shape, add_pooling_layer=False)
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or any("position_ids" not in name and "token_type_ids" not in name for name in missing):
        raise ValueError(f"The graph and BertModel do not fit: {missing}, {unexpected}.")
    return model.eval()


def _state(graph: bytes) -> dict[str, Any]:
    """Weights by the names of transformers; a graph multiplies from the right, torch from the left."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load_from_string(graph).graph
    values = {each.name: numpy_helper.to_array(each) for each in model.initializer}
    found = {name: array for name, array in values.items() if name.endswith((".bias", "LayerNorm.weight"))}
    for name in [name for name in values if name.startswith("embeddings.") and name.endswith(QUANTISED)]:
        bare = name.removesuffix(QUANTISED)
        zero, scale = values[f"{bare}_zero_point"], values[f"{bare}_scale"]
        found[bare] = (values[name].astype("f4") - zero.astype("f4")) * scale.astype("f4")
    for node in model.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            place = node.name.strip("/").partition("/MatMul")[0].replace("/", ".")
            found[f"{place}.weight"] = values[node.input[1]].T
    return found


class _Feeds:
    """What onnxruntime reads the ranges of activations from."""

    def __init__(self, feeds: Sequence[dict[str, Any]]) -> None:
        self._feeds = iter(feeds)

    def get_next(self) -> dict[str, Any] | None:
        return next(self._feeds, None)


def static_int8(wide: Path, target: Path, feeds: Sequence[dict[str, Any]]) -> None:
    """Products by constant weights in int8 with fixed ranges of activations, taken from some texts."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    quantize_static(
        str(wide), str(target), _Feeds(feeds), quant_format=QuantFormat.QDQ, op_types_to_quantize=["MatMul"],
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, extra_options={"MatMulConstBOnly": True},
    )  # fmt: skip
