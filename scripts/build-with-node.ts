import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildTool, run } from './build-tools.ts';

const bundlerVersion = '1.2.16';

/** Node's single executable application: this Node, with the client as one script inside. */
export function buildWithNode(entry: string, executable: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'hob-build-'));
  try {
    const main = join(folder, 'client.cjs');
    const bundler = join(buildTool('rolldown', bundlerVersion), 'bin', 'cli.mjs');
    const shape = ['--format', 'cjs', '--platform', 'node', '--minify', '--no-codeSplitting'];
    run(process.execPath, [bundler, entry, ...shape, '--file', main]);
    const configuration = join(folder, 'application.json');
    writeFileSync(
      configuration,
      JSON.stringify({
        main,
        output: executable,
        disableExperimentalSEAWarning: true,
        useCodeCache: true,
        execArgvExtension: 'none',
      }),
    );
    run(process.execPath, [`--build-sea=${configuration}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
