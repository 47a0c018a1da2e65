import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startChild, type ChildOptions } from '#platform/child-process.ts';
import { OperatorError } from '#platform/operator-error.ts';

import {
  findPackageSet,
  recordName,
  setNumbers,
  setsFolder,
  type PackagedRuntime,
  type PackageSet,
} from './runtime-packages.ts';

export interface AddOptions {
  readonly functionsFolder: string;
  readonly runtime: PackagedRuntime;
  /** In addition to the default ones. */
  readonly packages: readonly string[];
  /** Python interpreters of the host, the best first. */
  readonly pythons: readonly string[];
  /** For the installers, which read proxies and registries from it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly print: (line: string) => void;
}

/** Whether anything had to be installed, and what is there now. */
export interface Added {
  readonly isNew: boolean;
  readonly set: PackageSet;
}

/**
 * Installs the AWS SDK for a runtime from the registry of its language, atomically, as a set of its own. Earlier packages stay. The
 * server mounts the newest set from its next start on.
 */
export async function addPackages(options: AddOptions): Promise<Added> {
  const { functionsFolder, runtime, packages, print } = options;
  for (const each of packages) checkName(runtime, each);
  const before = await findPackageSet(functionsFolder, runtime);
  const wanted = new Set([...usualPackages[runtime], ...Object.keys(before?.versions ?? {})]);
  const known = before && [...wanted].every((name) => name in before.versions);
  if (before && known && packages.every((each) => each in before.versions)) {
    return { isNew: false, set: before };
  }
  for (const each of packages) wanted.add(each);
  const names = [...wanted].toSorted();
  const sets = setsFolder(functionsFolder, runtime);
  await mkdir(sets, { recursive: true });
  const staging = join(sets, 'new');
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { mode: 0o755 });
  print(`Installing ${names.length} packages for ${runtime}. This can take several minutes.`);
  try {
    await installers[runtime](options, staging, names);
    const versions = await versionsIn(runtime, staging, names);
    await writeFile(join(staging, recordName), `${JSON.stringify(versions, null, 2)}\n`);
    const number = ((await setNumbers(sets)).at(-1) ?? 0) + 1;
    const folder = join(sets, String(number));
    await rename(staging, folder);
    return { isNew: true, set: { runtime, folder, versions } };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Installer = (options: AddOptions, folder: string, names: readonly string[]) => Promise<void>;

const installers: Readonly<Record<PackagedRuntime, Installer>> = {
  async nodejs({ environment }, folder, names) {
    // The newest of major version 3, as in AWS's runtimes.
    const dependencies = Object.fromEntries(
      names.map((name) => [name, name.startsWith('@aws-sdk/') ? '3' : 'latest']),
    );
    const manifest = { private: true, dependencies };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const message = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run({ command: 'npm', arguments: message, environment, directory: folder }, 'npm');
  },

  async python({ environment, pythons }, folder, names) {
    const [python] = pythons;
    if (python === undefined) {
      throw new OperatorError('No Python was found on this host. Install python3 first.');
    }
    const message = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
    const install = [...message, '--only-binary=:all:', '--target', folder, ...names];
    await run({ command: python, arguments: install, environment, directory: folder }, 'pip');
  },
};

/** Lines of an installer's output that are shown when it fails. */
const shownLines = 12;

async function run(options: ChildOptions, name: 'npm' | 'pip'): Promise<void> {
  const child = startChild(options);
  child.stdin.end();
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      lines.splice(0, Math.max(0, lines.length - shownLines));
    });
  }
  const { status, startError } = await child.ended;
  if (startError) {
    throw new OperatorError(
      `Cannot run ${options.command}. Install ${name} first (Debian: ${name === 'npm' ? 'npm' : 'python3-pip'}).`,
      { cause: startError },
    );
  }
  if (status !== 0) {
    const hint = lines.some((line) => line.includes('No module named pip'))
      ? '\nInstall pip first (Debian: python3-pip).'
      : '';
    throw new OperatorError(`${name} could not install the packages.${hint}\n${lines.join('\n')}`);
  }
}

async function versionsIn(
  runtime: PackagedRuntime,
  folder: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const found = runtime === 'nodejs' ? nodeVersion : await pythonVersions(folder);
  const versions = await Promise.all(
    names.map(async (name) => [name, await found(folder, name)] as const),
  );
  return Object.fromEntries(versions);
}

async function nodeVersion(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/** Next to each package there is a directory `NAME-VERSION.dist-info`. */
async function pythonVersions(
  target: string,
): Promise<(folder: string, name: string) => Promise<string>> {
  const entries = await readdir(target);
  return async (_folder, name) => {
    const prefix = `${name.replaceAll(/[-_.]+/g, '_').toLowerCase()}-`;
    const info = entries.find(
      (entry) =>
        entry.endsWith('.dist-info') && entry.replaceAll('.', '_').toLowerCase().startsWith(prefix),
    );
    return info === undefined ? 'unknown' : info.slice(prefix.length, -'.dist-info'.length);
  };
}

/** Names only: an installer would take anything else for an option, a folder or an address. */
function checkName(runtime: PackagedRuntime, name: string): void {
  const form =
    runtime === 'nodejs'
      ? /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/
      : /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;
  if (!form.test(name))
    throw new OperatorError(`${name} is not a valid package name for ${runtime}.`);
}

/** What is added for a runtime unless more is asked for: the clients that functions use most; all of them take a gigabyte. */
export const usualPackages: Readonly<Record<PackagedRuntime, readonly string[]>> = {
  nodejs: [
    ...[
      'api-gateway',
      'apigatewaymanagementapi',
      'appconfigdata',
      'athena',
      'bedrock-runtime',
      'cloudformation',
      'cloudfront',
      'cloudwatch',
      'cloudwatch-logs',
      'cognito-identity-provider',
      'dynamodb',
      'dynamodb-streams',
      'ec2',
      'ecs',
      'eventbridge',
      'firehose',
      'iam',
      'kinesis',
      'kms',
      'lambda',
      'rds-data',
      's3',
      'scheduler',
      'secrets-manager',
      'ses',
      'sesv2',
      'sfn',
      'sns',
      'sqs',
      'ssm',
      'sts',
      'xray',
    ].map((service) => `@aws-sdk/client-${service}`),
    '@aws-sdk/credential-providers',
    '@aws-sdk/lib-dynamodb',
    '@aws-sdk/lib-storage',
    '@aws-sdk/s3-request-presigner',
  ],
  python: ['boto3'],
};
