import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { openVariables } from '../configuration/sealed-variables.ts';
import type { Variables } from '../configuration/configuration.ts';
import { decryptionSentence } from '../keys/key-refusal.ts';
import type { Mount, Place } from '../launcher/launcher.ts';
import { createRuntimeChannel } from '../runtime-api/create-runtime-channel.ts';
import type { RuntimeChannel } from '../runtime-api/runtime-channel.ts';
import { planRuntime, type RuntimePlan } from '../runtimes/runtimes.ts';
import type { EnvironmentHost } from './environment-host.ts';
import { Environment } from './environment.ts';
import type { MadeEnvironment, MakeEnvironment } from './environment-pools.ts';
import { openSockets, type EnvironmentSockets } from './environment-sockets.ts';
import { networkOf } from './network-of.ts';
import { programEnvironment, socketFolderInside } from './program-environment.ts';
import type { StartFailure, Subject } from './subject.ts';

/** Makes environments: the whole configuration becomes a place, its mounts, its limits and a program's variables. */
export function createMakeEnvironment(host: EnvironmentHost): MakeEnvironment {
  return async (subject) => {
    const opened = await openVariables(host.keys, subject.functionName, subject.sealedVariables);
    if (opened.kind === 'refused') {
      return failed({ code: opened.code, text: decryptionSentence(opened) });
    }
    const variables = opened.kind === 'open' ? opened.variables.reveal() : {};
    const task = host.code.treeFolder(subject.configuration.Code.sha256);
    const layers = await layerFolder(host, subject);
    const plan = await planOf(host, subject, variables, task, layers);
    if (plan.kind === 'cannot-run') {
      return failed({ code: 'InvalidRuntime', text: plan.reason });
    }
    const mounts: Mount[] = [
      { from: task, to: '/var/task' },
      ...(layers === undefined ? [] : [{ from: layers, to: '/opt' }]),
      ...plan.mounts,
      ...fileSystems(host, subject),
    ];
    return { kind: 'made', environment: await make(host, subject, plan, mounts, variables) };
  };
}

type Running = Extract<RuntimePlan, { kind: 'runs' }>;

async function planOf(
  { runtimes }: EnvironmentHost,
  { configuration }: Subject,
  variables: Variables,
  task: string,
  layers: string | undefined,
): Promise<RuntimePlan> {
  const wrapper = variables['AWS_LAMBDA_EXEC_WRAPPER'];
  const bootstraps = [
    ...((await exists(join(task, 'bootstrap'))) ? ['/var/task/bootstrap'] : []),
    ...(layers !== undefined && (await exists(join(layers, 'bootstrap')))
      ? ['/opt/bootstrap']
      : []),
  ];
  return planRuntime(
    {
      runtime: configuration.Runtime ?? '',
      handler: configuration.Handler ?? '',
      bootstraps,
      ...(wrapper === undefined ? {} : { wrapper }),
    },
    runtimes,
  );
}

async function make(
  host: EnvironmentHost,
  subject: Subject,
  plan: Running,
  mounts: readonly Mount[],
  variables: Variables,
): Promise<Environment> {
  const { configuration, functionName, version } = subject;
  const { log, stream } = host.openLog(subject);
  const id = host.random.bytes(8).toString('hex');
  // The connections of a program that was started again belong to the conversation of its last start.
  let conversation: RuntimeChannel | undefined;
  const accept: Parameters<Place['listenInside']>[0] = (socket) => {
    if (conversation) conversation.accept(socket);
    else socket.destroy();
  };
  const sockets = await openSockets(host.folder, id, {
    runtime: accept,
    output: (bytes) => log.output(bytes),
  });
  const place = await openPlace(host, subject, id, mounts, sockets);
  const runtimeApi = plan.bundledClient ? usualAddress : await place.listenInside(accept);
  const { region } = host;
  return new Environment({
    place,
    program: {
      command: plan.command,
      directory: '/var/task',
      output: sockets.output,
      environment: programEnvironment({
        functionName,
        version,
        configuration,
        variables,
        runtime: plan.environment,
        credentials: host.sessions.issue(configuration.Role, functionName, sessionSeconds),
        region,
        logStream: stream,
        runtimeApi,
        initializationType: 'on-demand',
      }),
    },
    converse: () => {
      conversation = createRuntimeChannel();
      return conversation;
    },
    log,
    initStart: { runtime: configuration.Runtime ?? 'image', runtimeVersionArn: '' },
    version,
    timeoutSeconds: configuration.Timeout,
    memorySizeMiB: configuration.MemorySize,
    release: () => sockets.close(),
  });
}

async function openPlace(
  host: EnvironmentHost,
  subject: Subject,
  id: string,
  mounts: readonly Mount[],
  sockets: EnvironmentSockets,
): Promise<Place> {
  const { configuration } = subject;
  try {
    return await host.launcher.open({
      id,
      memoryMiB: configuration.MemorySize,
      temporaryMiB: configuration.EphemeralStorage.Size,
      mounts: [...mounts, { from: sockets.folder, to: socketFolderInside }],
      network: networkOf(configuration, host.declared, host.hostNetwork),
    });
  } catch (error) {
    await sockets.close();
    throw error;
  }
}

/** Where the vendor's platform has the Runtime API; nothing listens there unless a program needs it. */
const usualAddress = '127.0.0.1:9001';

/** An environment may live long; its credentials as long as the service lets a role's last. */
const sessionSeconds = 12 * 60 * 60;

function fileSystems({ declared }: EnvironmentHost, { configuration }: Subject): Mount[] {
  return configuration.FileSystemConfigs.flatMap(({ Arn, LocalMountPath }) => {
    const accessPoint = declared.accessPoints.get(Arn);
    return accessPoint ? [{ from: accessPoint.folder, to: LocalMountPath, writable: true }] : [];
  });
}

/** `/opt`; nothing is removed from disk while the service runs, so the folder need not be held. */
async function layerFolder(
  { layers }: EnvironmentHost,
  { configuration }: Subject,
): Promise<string | undefined> {
  const archives = configuration.Layers.map(({ sha256 }) => sha256);
  return archives.length === 0 ? undefined : layers.use(archives, async (folder) => folder);
}

/** A link counts as what it is: nothing in this process follows what a package has unpacked. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function failed(failure: StartFailure): MadeEnvironment {
  return { kind: 'failed', failure };
}
