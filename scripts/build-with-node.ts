import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from './build-tools.ts';
import { projectFolder } from './test-parts.ts';

/** Node's single executable application: this Node, with the client as one script inside. */
export function buildWithNode(entry: string, executable: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'hob-build-'));
  try {
    const main = join(folder, 'client.cjs');
    const bundler = join(projectFolder, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
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
