"""Sets up holoviz-mcp over the same repositories with only local files: its own code and index, and the same
weights.

    python bench_peer.py FOLDER REPOSITORIES ONNX TOKENIZER_FOLDER

FOLDER becomes its home directory. Prints the seconds for building its index."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

HOME, REPOSITORIES, ONNX, TOKENIZER = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
BIN = pathlib.Path(sys.executable).parent


def main():
    shutil.rmtree(HOME, ignore_errors=True)
    model = HOME / ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx"
    model.mkdir(parents=True)
    shutil.copy(ONNX, model / "model.onnx")
    for name in ["config.json", "special_tokens_map.json", "tokenizer_config.json", "tokenizer.json", "vocab.txt"]:
        shutil.copy(TOKENIZER / name, model)
    # It accepts only repositories on GitHub, so Git is configured to find them locally.
    (HOME / ".gitconfig").write_text(
        f'[user]\nname = bench\nemail = bench@example.org\n[url "file://{HOME}/repositories/"]\n\tinsteadOf = https://github.com/bench/\n[safe]\n\tdirectory = *\n'
    )
    environment = {**os.environ, "HOME": str(HOME), "HOLOVIZ_MCP_USER_DIR": str(HOME / "user"), "HOLOVIZ_MCP_DEFAULT_DIR": str(HOME / "default")}
    config = ["server:\n  name: holoviz-mcp\n  transport: stdio\n  log_level: ERROR\ndisplay:\n  enabled: false\ndocs:\n  index_patterns: [\"**/*.md\", \"**/*.ipynb\", \"**/*.rst\"]\n  repositories:\n"]
    for source in sorted(REPOSITORIES.iterdir()):
        repository = HOME / "repositories" / f"{source.name}.git"
        shutil.copytree(source, repository)
        for path in repository.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        for command in [["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "all"]]:
            subprocess.run(["git", *command], cwd=repository, env=environment, check=True)
        folders = [folder for folder in ["doc", "examples/reference", "examples"] if (source / folder).is_dir()]
        if "examples/reference" in folders:
            folders.remove("examples")
        config.append(f"    {source.name}:\n      url: https://github.com/bench/{source.name}.git\n      branch: main\n      folders:\n")
        config += [f'        {folder}:\n          url_path: ""\n' for folder in folders]
        config.append(f'      base_url: https://{source.name}.example.org\n      reference_patterns:\n        - "examples/reference/**/*.ipynb"\n        - "doc/reference/**/*.ipynb"\n')
    for folder in ["user", "default"]:
        (HOME / folder).mkdir()
        (HOME / folder / "config.yaml").write_text("".join(config))
    begun = time.time()
    built = subprocess.run([BIN / "holoviz-mcp", "update", "index"], env=environment, capture_output=True, text=True)
    sys.stderr.write(built.stdout[-2000:] + built.stderr[-2000:])
    built.check_returncode()
    (HOME / "seconds").write_text(f"{time.time() - begun:.0f}\n")


main()
