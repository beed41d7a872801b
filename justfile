# `just` lists these. CONTRIBUTING.md says what each is for, and how long it takes.

# Compiles and lints: no model, browser or network.
check:
    cargo fmt --all --check
    cargo clippy --locked --workspace --all-targets -- -D warnings
    cd web && npm run --silent lint && npm run --silent english

# Tests that need neither model nor browser nor network; those left out are counted as ignored, each with its reason.
test:
    cargo test --locked --workspace

# Everything, as continuous integration runs it: sets up what is missing.
full:
    tests/run.sh

# The benchmarks that need nothing but this repository.
bench:
    cargo bench --locked -p nearfind-kernels --bench matmul
    cargo bench --locked -p nearfind-tests --bench encoder
    cargo bench --locked -p nearfind-tests --bench scan_or_walk

# Each fuzz target for so many seconds; needs a nightly toolchain and cargo-fuzz.
fuzz seconds="60":
    for folder in core/fuzz native-indexer/fuzz; do for target in $(cargo fuzz list --fuzz-dir "$folder"); do cargo +nightly fuzz run --fuzz-dir "$folder" "$target" -- -max_total_time={{seconds}} || exit 1; done; done

# What takes long of what nearfind promises: a thousand kills, ten thousand losses of power, floods and a soak of clients.
soak nearfind="target/release/nearfind" bundle="target/example-bundle":
    NEARFIND_KILLS=1000 cargo test --locked --release -p nearfind --test program a_kill_at_any_moment
    python3 tests/disks/lost_writes.py {{nearfind}}
    python3 tests/mcp/flood.py {{nearfind}} {{bundle}}
    python3 tests/mcp/soak.py {{nearfind}}

# The program for Windows, and its tests, in Wine.
windows:
    tests/windows/run.sh tests

# The program as it is distributed.
dist:
    native-indexer/dist.sh
