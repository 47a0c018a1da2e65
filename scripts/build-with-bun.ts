import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { buildTool, run } from './build-tools.ts';

const version = '1.4.5';
const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
};

/** The program that compiles, or undefined where there is none for this machine. */
export function findBun(): string | undefined {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  const bun = join(buildTool(name, version), 'bin', 'bun');
  // Older processors and other C libraries cannot start it.
  return spawnSync(bun, ['--version'], { stdio: 'ignore' }).status === 0 ? bun : undefined;
}

export function buildWithBun(bun: string, entry: string, executable: string): void {
  run(bun, [
    'build',
    '--compile',
    '--bytecode',
    '--format=esm',
    '--minify',
    // The folder that the client is run in has no say in what it is.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    entry,
    '--outfile',
    executable,
  ]);
}
