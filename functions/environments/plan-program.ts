import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { present } from '#platform/present.ts';

import type { Variables } from '../configuration/configuration.ts';
import type { Mount } from '../launcher/launcher.ts';
import { extensionsMax } from '../runtime-api/extensions.ts';
import { planRuntime } from '../runtimes/runtimes.ts';
import type { EnvironmentPorts } from './environment-ports.ts';
import type { StartFailure, VersionSpec } from './version-spec.ts';

/** How a function's program is started. */
export interface ProgramPlan {
  readonly kind: 'runs';
  readonly command: readonly [string, ...string[]];
  /** What the runtime, or the image, sets unless the function does. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly mounts: readonly Mount[];
  /** A directory to mount as `/`. */
  readonly root?: string;
  /** Names of the programs in `/opt/extensions`. */
  readonly extensions: readonly string[];
  /** Whether it uses the socket of our own runtime client; otherwise it needs the Runtime API at an address. */
  readonly bundledRuntimeInterfaceClient: boolean;
}

type Planned = ProgramPlan | { readonly kind: 'failed'; readonly failure: StartFailure };

const taskRoot = '/var/task';

export async function planProgram(
  ports: EnvironmentPorts,
  spec: VersionSpec,
  variables: Variables,
): Promise<Planned> {
  return spec.configuration.PackageType === 'Image'
    ? planImage(ports, spec)
    : planArchive(ports, spec, variables);
}

async function planArchive(
  ports: EnvironmentPorts,
  spec: VersionSpec,
  variables: Variables,
): Promise<Planned> {
  const { Code, Runtime = '', Handler = '' } = spec.configuration;
  const task = await ports.code.tree(Code.sha256);
  const layers = await layerFolder(ports, spec);
  const wrapper = variables['AWS_LAMBDA_EXEC_WRAPPER'];
  const plan = planRuntime(
    {
      runtime: Runtime,
      handler: Handler,
      bootstraps: await bootstrapsIn(task, layers),
      ...present({ wrapper }),
    },
    ports.runtimes,
  );
  if (plan.kind === 'cannot-run') {
    const code = Runtime.startsWith('provided')
      ? ('FunctionError.InvalidEntryPoint' as const)
      : ('InvalidRuntime' as const);
    return { kind: 'failed', failure: { code, text: plan.reason } };
  }
  const extensions = await findExtensions(layers, 'extensions');
  if (extensions.kind === 'failed') return extensions;
  return {
    ...plan,
    extensions: extensions.names,
    directory: taskRoot,
    mounts: [
      { from: task, to: taskRoot },
      ...(layers === undefined ? [] : [{ from: layers, to: '/opt' }]),
      ...plan.mounts,
    ],
  };
}

async function bootstrapsIn(task: string, layers: string | undefined): Promise<string[]> {
  const found = await Promise.all([
    exists(join(task, 'bootstrap')),
    layers === undefined ? false : exists(join(layers, 'bootstrap')),
  ]);
  return ['/var/task/bootstrap', '/opt/bootstrap'].filter((_path, index) => found[index]);
}

/**
 * `/opt`. The directory needs no reference: what the configuration names is retained, and for an hour longer (retention/remove-unused.ts).
 */
async function layerFolder(
  { layers }: EnvironmentPorts,
  { configuration }: VersionSpec,
): Promise<string | undefined> {
  const archives = configuration.Layers.map(({ sha256 }) => sha256);
  return archives.length === 0 ? undefined : layers.use(archives, async (folder) => folder);
}

/** Each setting of the configuration replaces that of the image as a whole. */
async function planImage(
  { images }: EnvironmentPorts,
  { configuration }: VersionSpec,
): Promise<Planned> {
  const uri = configuration.Code.image?.resolvedUri ?? '';
  const used = await images.use(uri, async (image) => image);
  if (used.kind === 'refused') {
    return { kind: 'failed', failure: { code: used.code, text: used.message } };
  }
  const { root, config } = used.result;
  const { EntryPoint, Command, WorkingDirectory } = configuration.ImageConfig ?? {};
  const [program, ...args] = [
    ...(EntryPoint ?? config.entryPoint),
    // An entry point of the configuration is not combined with the image's command.
    ...(Command ?? (EntryPoint ? [] : config.command)),
  ];
  if (program === undefined) {
    const text = 'The image has neither an entry point nor a command.';
    return { kind: 'failed', failure: { code: 'FunctionError.InvalidEntryPoint', text } };
  }
  const extensions = await findExtensions(root, 'opt', 'extensions');
  if (extensions.kind === 'failed') return extensions;
  return {
    kind: 'runs',
    extensions: extensions.names,
    command: [program, ...args],
    environment: { LAMBDA_TASK_ROOT: taskRoot, ...config.environment },
    directory: WorkingDirectory || config.workingDirectory,
    mounts: [],
    root,
    bundledRuntimeInterfaceClient: false,
  };
}

/** A symbolic link counts as existing: this process never follows the links of a package. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** The path of the extensions inside the sandbox. */
export const extensionsFolder = '/opt/extensions';

type FoundExtensions =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/**
 * The names of the extensions that a package contains; `steps` lead there from a directory of the host. No symbolic link is followed
 * on the path: a link of the package could lead outside it.
 */
async function findExtensions(
  folder: string | undefined,
  ...steps: readonly string[]
): Promise<FoundExtensions> {
  const names = folder === undefined ? [] : await programsIn(folder, steps);
  if (names.length <= extensionsMax) return { kind: 'found', names };
  const text = `The function has ${names.length} extensions; the maximum is ${extensionsMax}.`;
  return { kind: 'failed', failure: { code: 'FunctionError.TooManyExtensions', text } };
}

async function programsIn(folder: string, steps: readonly string[]): Promise<string[]> {
  let path = folder;
  for (const step of steps) {
    path = join(path, step);
    if (!(await isFolder(path))) return [];
  }
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    // There is nothing, as usual.
    return false;
  }
}
