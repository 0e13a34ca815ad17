"""A graph of dynamic int8 products turned into one of plain products of what its weights stand for."""

from __future__ import annotations

from typing import Any


def dequantised(graph: bytes) -> bytes:
    """ONNX in, ONNX out: each DynamicQuantizeLinear, MatMulInteger, Cast and Mul becomes one MatMul in fp32."""
    import onnx

    model = onnx.load_from_string(graph)
    onnx.checker.check_model(model)
    _Graph(model.graph).widen()
    return bytes(model.SerializeToString())


class _Graph:
    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper

        self.graph = graph
        self.values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        self.made_by = {name: node for node in graph.node for name in node.output}
        self.dropped: set[str] = set()

    def widen(self) -> None:
        """Replace every product, then drop what nobody reads."""
        replaced = {mul.name: plain for mul, plain in map(self._plain, self._products())}
        nodes = [replaced.get(node.name, node) for node in self.graph.node if node.name not in self.dropped]
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        read = {name for node in nodes for name in node.input}
        kept = [each for each in self.graph.initializer if each.name in read]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)

    def _products(self) -> list[Any]:
        return [node for node in self.graph.node if node.op_type == "MatMulInteger"]

    def _reader(self, name: str) -> Any:
        return next(node for node in self.graph.node if name in node.input)

    def _plain(self, product: Any) -> tuple[Any, Any]:
        """The last node of a quantised product, and the one that takes its place."""
        from onnx import helper, numpy_helper

        cast = self._reader(product.output[0])
        mul = self._reader(cast.output[0])
        scales = self.made_by[next(name for name in mul.input if name != cast.output[0])]
        scale = next(self.values[name] for name in scales.input if name in self.values)
        quantised, zero = self.values[product.input[1]], self.values[product.input[3]]
        weight = f"{product.input[1]}_fp32"
        wide = (quantised.astype("f4") - zero.astype("f4")) * scale.astype("f4")
        self.graph.initializer.append(numpy_helper.from_array(wide, weight))
        source = self.made_by[product.input[0]]
        self.dropped.update(node.name for node in (product, cast, scales, source))
        return mul, helper.make_node("MatMul", [source.input[0], weight], [mul.output[0]], name=mul.name)
