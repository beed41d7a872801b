//! The `nearfind` command.

fn main() -> std::process::ExitCode {
    nearfind::cli::run()
}
