// Makes the npm package that contains the command-line program for one platform, with the model and general English
// (target/nearfind-data):
//   node scripts/package-cli.mjs BINARY PLATFORM-ARCH OUT       such as linux-x64, darwin-arm64, win32-x64
// The published `nearfind` has such packages as optional dependencies.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [binary, platform, out] = process.argv.slice(2);
const [os, cpu] = platform?.split("-") ?? [];
if (!binary || !os || !cpu || !out) {
  console.error("usage: node scripts/package-cli.mjs BINARY PLATFORM-ARCH OUT");
  process.exit(1);
}
const workspace = fileURLToPath(new URL("../../", import.meta.url));
const data = join(workspace, "target", "nearfind-data");
if (!existsSync(join(data, "models"))) {
  console.error(`error: ${data} is missing: examples/run.sh makes it`);
  process.exit(1);
}
const { version, license } = JSON.parse(readFileSync(join(workspace, "web", "package.json"), "utf8"));
mkdirSync(join(out, "bin"), { recursive: true });
const program = join(out, "bin", os === "win32" ? "nearfind.exe" : "nearfind");
copyFileSync(binary, program);
chmodSync(program, 0o755);
cpSync(data, join(out, "bin", "nearfind-data"), { recursive: true });
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-SNOWBALL"]) {
  copyFileSync(join(workspace, licence), join(out, licence));
}
const description = `The command-line program of nearfind for ${platform}`;
writeFileSync(
  join(out, "README.md"),
  `# @nearfind/cli-${platform}\n\n${description}. Install the package \`nearfind\` and run \`npx nearfind\`.\n`,
);
const manifest = { name: `@nearfind/cli-${platform}`, version, description, license, os: [os], cpu: [cpu], preferUnplugged: true };
writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
