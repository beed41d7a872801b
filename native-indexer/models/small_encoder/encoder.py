"""The encoder of all-MiniLM-L6-v2, whole or with a few of its layers, and the rounding of its weights."""

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

HEADS, DIMENSIONS = 12, 384
# The step in which weights are rounded, as a multiple of the one asked for: the same as `nearfind model quantize` takes.
STEPS = dict(query=1.85, key=1.59, value=0.42, out=0.72, up=0.92, down=1.12)


def rounded(weight, step):
    """`weight` as it will be stored: whole multiples of a share of each row's root mean square. Gradients pass through."""
    if not step:
        return weight
    with torch.no_grad():
        scale = torch.maximum(step * weight.square().mean(1, keepdim=True).sqrt(), weight.abs().amax(1, keepdim=True) / 127)
        stored = torch.clamp(torch.round(weight / scale), -127, 127) * scale
    return weight + (stored - weight).detach()


PARTS = dict(
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    out="attention.output.dense",
    norm1="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    norm2="output.LayerNorm",
)


def rounded_rows(rows):
    """Rows of words as they will be stored: 4 bits, 32 values share a scale, the one with the least squared error."""
    groups, best, error = rows.reshape(-1, 32), None, None
    for part in (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        scale = (groups.abs().amax(1, keepdim=True) / 7 * part).half().float() + 1e-12
        stored = torch.clamp(torch.round(groups / scale), -7, 7) * scale
        wrong = (stored - groups).square().sum(1, keepdim=True)
        best = stored if best is None else torch.where(wrong < error, stored, best)
        error = wrong if error is None else torch.minimum(wrong, error)
    return best.reshape(rows.shape)


class Layer(nn.Module):
    def __init__(self, weights, index):
        super().__init__()
        prefix = f"encoder.layer.{index}."
        get = lambda name: weights[prefix + name]
        for name, source in PARTS.items():
            setattr(self, name, nn.Parameter(get(source + ".weight").clone()))
            setattr(self, name + "_bias", nn.Parameter(get(source + ".bias").clone()))

    def forward(self, x, bias, step):
        b, t, _ = x.shape
        linear = lambda y, name: F.linear(y, rounded(getattr(self, name), step and step * STEPS[name]), getattr(self, name + "_bias"))
        q, k, v = (linear(x, name).view(b, t, HEADS, -1).transpose(1, 2).reshape(b * HEADS, t, -1) for name in ("query", "key", "value"))
        scores = torch.bmm(q, k.transpose(1, 2)).view(b, HEADS, t, t) * (DIMENSIONS // HEADS) ** -0.5
        if bias is not None:
            scores = scores + bias
        mixed = torch.bmm(F.softmax(scores, -1).to(v.dtype).view(b * HEADS, t, t), v).view(b, HEADS, t, -1).transpose(1, 2).reshape(b, t, DIMENSIONS)
        x = F.layer_norm(x + linear(mixed, "out"), (DIMENSIONS,), self.norm1, self.norm1_bias, 1e-12)
        y = linear(F.gelu(linear(x, "up")), "down")
        return F.layer_norm(x + y, (DIMENSIONS,), self.norm2, self.norm2_bias, 1e-12)


class Encoder(nn.Module):
    """The model with the layers whose indexes are `layers`; words, positions and their norm stay as they are."""

    def __init__(self, path, layers, round_rows=False):
        super().__init__()
        weights = {k.removeprefix("bert."): v.float() for k, v in load_file(path).items()}
        e = "embeddings."
        words = weights[e + "word_embeddings.weight"]
        positions = weights[e + "position_embeddings.weight"] + weights[e + "token_type_embeddings.weight"][0]
        for name, value in dict(words=rounded_rows(words) if round_rows else words, positions=positions, scale=weights[e + "LayerNorm.weight"], shift=weights[e + "LayerNorm.bias"]).items():
            self.register_buffer(name, value)
        self.layers = nn.ModuleList(Layer(weights, i) for i in layers)

    def forward(self, ids, lengths, step=0):
        """Unit vectors of token numbers, `[texts, tokens]`, of which each text has `lengths`. Weights are rounded unless `step` is 0."""
        t = ids.shape[1]
        x = F.layer_norm(self.words[ids] + self.positions[:t], (DIMENSIONS,), self.scale, self.shift, 1e-12)
        mask = (torch.arange(t)[None, :] < lengths[:, None]).float()
        bias = None if bool((lengths == t).all()) else ((1 - mask) * -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias, step)
        return F.normalize((x.float() * mask[:, :, None]).sum(1), dim=1)

    def layers_as_stored(self):
        """The layers' tensors by the names that the model gives them, numbered from 0."""
        return {
            f"encoder.layer.{i}.{source}.{kind}": getattr(layer, name + suffix).detach()
            for i, layer in enumerate(self.layers)
            for name, source in PARTS.items()
            for kind, suffix in (("weight", ""), ("bias", "_bias"))
        }
