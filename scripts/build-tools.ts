import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from './test-parts.ts';

/**
 * The folder of a package that only builds need, installed once under `.hob/`: it is too large for all users of Hob. None
 * of its scripts run. The folder is named for the version, so another version is another installation.
 */
export function buildTool(name: string, version: string): string {
  const folder = join(
    projectFolder,
    '.hob',
    'tools',
    `${name.replace('@', '').replace('/', '-')}-${version}`,
  );
  if (!existsSync(folder)) {
    process.stdout.write(`installing ${name} ${version} (once) …\n`);
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      const options = [
        '--no-save',
        '--no-package-lock',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
      ];
      run('npm', ['install', '--prefix', unfinished, ...options, `${name}@${version}`]);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(folder, 'node_modules', name);
}

/** Runs a program quietly; what it has printed shows when it fails. */
export function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  if (status === 0) return;
  throw new Error(
    `${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`,
  );
}
