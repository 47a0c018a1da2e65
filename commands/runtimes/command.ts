import { join } from 'node:path';

import { addPackages } from '#functions/runtimes/add-packages.ts';
import { findInstalledRuntimes } from '#functions/runtimes/find-installed-runtimes.ts';
import {
  findPackageSets,
  packagedRuntimes,
  type PackagedRuntime,
} from '#functions/runtimes/runtime-packages.ts';
import { openDataDirectory } from '#platform/data-directory.ts';
import { installerEnvironment, readSettings } from '#settings/settings.ts';

import { packageReport } from './package-report.ts';
import type { Settings } from '#settings/setting-values.ts';

const usage = `Usage: hob runtimes list [--data FOLDER]
       hob runtimes add nodejs|python [PACKAGE…] [--data FOLDER]

Adds the AWS SDK to a runtime, as in the runtimes of AWS Lambda: @aws-sdk/* 3.x from npm, boto3 from pip. Adds the most common
clients and the named packages. Restart the server to mount them into functions. Packages of a function or its layers take
precedence.
`;

/** `hob runtimes`. Resolves with the exit code. */
export async function runRuntimes(args: readonly string[]): Promise<number> {
  const [action, ...rest] = args;
  if (action === undefined || args.includes('--help') || args.includes('-h')) {
    (action === undefined ? process.stderr : process.stdout).write(usage);
    return action === undefined ? 2 : 0;
  }
  const names = rest.slice(0, firstFlag(rest));
  const read = readSettings(rest.slice(names.length));
  if (read.kind === 'problems') return refuse(read.problems);
  if (action === 'list' && names.length === 0) return list(read.settings);
  const [runtime, ...packages] = names;
  if (action !== 'add' || !isPackaged(runtime)) {
    return refuse([
      `invalid arguments: use "list", or "add" with ${packagedRuntimes.join(' or ')}. See hob runtimes --help.`,
    ]);
  }
  return add(read.settings, runtime, packages);
}

function firstFlag(args: readonly string[]): number {
  const found = args.findIndex((argument) => argument.startsWith('-'));
  return found < 0 ? args.length : found;
}

function isPackaged(runtime: string | undefined): runtime is PackagedRuntime {
  return packagedRuntimes.some((each) => each === runtime);
}

function refuse(problems: readonly string[]): number {
  for (const problem of problems) process.stderr.write(`hob: ${problem}\n`);
  return 2;
}

async function list({ data }: Settings): Promise<number> {
  const sets = await findPackageSets(join(data, 'functions'));
  for (const line of packageReport(sets)) process.stdout.write(`${line}\n`);
  return 0;
}

async function add(
  settings: Settings,
  runtime: PackagedRuntime,
  packages: readonly string[],
): Promise<number> {
  const { path } = await openDataDirectory(settings.data);
  // Functions run as other users, and must be able to read it.
  process.umask(0o022);
  const installed = await findInstalledRuntimes(settings.functions);
  const { isNew, set } = await addPackages({
    functionsFolder: join(path, 'functions'),
    runtime,
    packages,
    pythons: installed.interpreters
      .filter(({ language }) => language === 'python')
      .map((interpreter) => interpreter.path),
    environment: installerEnvironment(),
    print: (line) => process.stderr.write(`${line}\n`),
  });
  for (const line of packageReport([set])) process.stdout.write(`${line}\n`);
  process.stdout.write(
    isNew ? 'Restart the server to make them available to functions.\n' : 'Already up to date.\n',
  );
  return 0;
}
