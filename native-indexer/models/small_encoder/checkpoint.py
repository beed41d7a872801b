"""The trained layers as a checkpoint that `nearfind model import` reads: `checkpoint.py MODEL_FOLDER LAYERS.safetensors OUT_FOLDER`."""

import json
import shutil
import sys
from pathlib import Path

from safetensors.torch import load_file, save_file

TOKENS = 64  # of a question

model, trained, out = Path(sys.argv[1]), load_file(sys.argv[2]), Path(sys.argv[3])
weights = {name.removeprefix("bert."): value for name, value in load_file(model / "model.safetensors").items()}
weights = {name: value for name, value in weights.items() if name.startswith("embeddings.") and value.is_floating_point()}
layers = 1 + max(int(name.split(".")[2]) for name in trained)
out.mkdir(parents=True, exist_ok=True)
save_file(weights | trained, out / "model.safetensors")
config = json.loads((model / "config.json").read_text()) | {"num_hidden_layers": layers}
(out / "config.json").write_text(json.dumps(config, indent=2))
(out / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": TOKENS, "do_lower_case": False}))
for name in ("tokenizer.json", "modules.json"):
    if (model / name).exists():
        shutil.copy(model / name, out / name)
if (model / "1_Pooling").exists():
    shutil.copytree(model / "1_Pooling", out / "1_Pooling", dirs_exist_ok=True)
