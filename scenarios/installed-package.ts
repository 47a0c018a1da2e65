import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { rootFolder } from './running-server.ts';

const run = promisify(execFile);

/** Without what npm says to its own scripts, and no settings of ours. */
export function userEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|HOB_|DATABASE_URL|NODE_)/.test(name)),
  );
}

/** Packs the npm package and installs it into an empty project, as npm does it. Resolves with the folder of the project. */
export async function installPacked(environment: NodeJS.ProcessEnv): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'hob-package-'));
  await run('npm', ['pack', '--silent', '--pack-destination', project], {
    cwd: rootFolder,
    env: environment,
  });
  const [tarball = ''] = await readdir(project);
  await run('tar', ['-xzf', tarball], { cwd: project });
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await cp(join(project, 'package'), join(modules, 'hob'), { recursive: true });
  // As npm installs them, without asking a registry. The examples use the last two as well.
  const { dependencies, optionalDependencies } = await packageOf(join(modules, 'hob'));
  const installed = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const name of [...installed, '@aws-sdk/client-lambda', 'vitest']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(rootFolder, 'node_modules', name), join(modules, name));
  }
  await symlink('../hob/dist/hob/bin.cjs', join(modules, '.bin', 'hob'));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }\n');
  return project;
}

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

async function packageOf(folder: string): Promise<Package> {
  const { default: read } = await import(join(folder, 'package.json'), { with: { type: 'json' } });
  return read;
}
