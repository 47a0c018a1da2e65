import { present } from '#platform/present.ts';
import { traced } from '#platform/tracing.ts';

import {
  type Configuration,
  type Variables,
  runtimeVersionArn,
} from '../configuration/configuration.ts';
import { openVariables } from '../configuration/variables-store.ts';
import { decryptionErrorMessage } from '../keys/key.ts';
import type { Sandbox, SandboxSpec, Program } from '../launcher/launcher.ts';
import { createRuntimeChannel } from '../runtime-api/create-runtime-channel.ts';
import type { RuntimeChannel } from '../runtime-api/runtime-channel.ts';
import type { EnvironmentPorts } from './environment-ports.ts';
import {
  openSockets,
  type EnvironmentSockets,
  type SocketHandlers,
} from './environment-sockets.ts';
import { SandboxedEnvironment } from './sandboxed-environment.ts';
import type { CreateEnvironment } from './execution-environment.ts';
import { ExtensionHost } from './extension-host.ts';
import { InvocationChain } from './invocation-chain.ts';
import { planProgram, type ProgramPlan } from './plan-program.ts';
import { planResources, type PlannedResources } from './plan-resources.ts';
import {
  initializationTypeOf,
  ownVariables,
  programEnvironment,
  socketFolderInside,
} from './program-environment.ts';
import {
  certificatesMount,
  openServiceInSandbox,
  recogniseRequests,
} from './service-in-sandbox.ts';
import type { VersionSpec } from './version-spec.ts';

/** Creates environments: turns a configuration into a sandbox with its mounts, its limits and the program's variables. */
export function createMakeEnvironment(ports: EnvironmentPorts): CreateEnvironment {
  return async (spec) => {
    await ports.configured.refresh?.();
    const opened = await openVariables(ports.keys, spec.functionName, spec.sealedVariables);
    if (opened.kind === 'refused') {
      const failure = { code: opened.code, text: decryptionErrorMessage(opened) };
      return { kind: 'failed', failure };
    }
    const variables = opened.kind === 'open' ? opened.variables.reveal() : {};
    const plan = await planProgram(ports, spec, variables);
    if (plan.kind === 'failed') return plan;
    const resources = await planResources(spec.configuration, ports.configured, ports.network);
    if (resources.kind === 'failed') return resources;
    return { kind: 'created', environment: await make(ports, spec, plan, resources, variables) };
  };
}

async function make(
  ports: EnvironmentPorts,
  spec: VersionSpec,
  plan: ProgramPlan,
  resources: PlannedResources,
  variables: Variables,
): Promise<SandboxedEnvironment> {
  const { configuration, version, concurrency = 1, fromSnapshot = false } = spec;
  const { log: environmentLog, stream } = ports.openLog(spec);
  const id = ports.random.bytes(8).toString('hex');
  const createdAt = ports.clock.now();
  // The connections of a restarted program belong to the session of its last start.
  let channel: RuntimeChannel | undefined;
  const accept: Parameters<Sandbox['listenOnLoopback']>[0] = (socket) => {
    if (channel) channel.accept(socket);
    else socket.destroy();
  };
  const { extensions } = plan;
  const needsRuntimeApiAddress = !plan.bundledRuntimeInterfaceClient || extensions.length > 0;
  const extensionHost = needsRuntimeApiAddress
    ? new ExtensionHost(ports, spec, extensions, environmentLog, () => sandbox)
    : undefined;
  const log = extensionHost?.log ?? environmentLog;
  const handlers: SocketHandlers = {
    runtime: accept,
    output: (bytes) => log.output(bytes),
    extensionOutput:
      extensions.length === 0 ? undefined : (bytes) => extensionHost?.log.extensionOutput(bytes),
  };
  const sockets = await closingUnless(() => openSockets(ports.folder, id, handlers), log);
  const opening = (): Promise<Sandbox> => openSandbox(ports, spec, id, plan, resources, sockets);
  const sandbox: Sandbox = await closingUnless(opening, log, sockets);
  const runtimeApi = needsRuntimeApiAddress
    ? await closingUnless(() => sandbox.listenOnLoopback(accept), sandbox, log, sockets)
    : awsRuntimeApiAddress;
  const chain = new InvocationChain(spec.traceHeader ?? `Lineage=${spec.functionHash}:1`);
  const own = ownVariables(plan, variables);
  const network = resources.network.kind;
  const service = await closingUnless(
    () => openServiceInSandbox(ports, { sandbox, spec, id, network, chain, own }),
    sandbox,
    log,
    sockets,
  );
  const forget = recogniseRequests(ports, { id, network, chain });
  const program: Program = {
    command: plan.command,
    directory: plan.directory,
    output: sockets.output,
    environment: programEnvironment(spec, plan, {
      service,
      variables,
      credentials: ports.sessions.issue(configuration.Role, spec.functionName, sessionSeconds),
      region: ports.region,
      logStream: stream,
      runtimeApi,
    }),
  };
  return new SandboxedEnvironment({
    sandbox,
    program,
    newSession: () => {
      const started = extensionHost?.begin(program, sockets.extensionOutput);
      channel = createRuntimeChannel({
        concurrency,
        snapStart: fromSnapshot,
        ...(started ? { otherCalls: started.calls } : {}),
      });
      return { channel, extensions: started?.extensions };
    },
    log,
    chain,
    clock: ports.clock,
    initStart: {
      initializationType: initializationTypeOf(spec),
      runtime: configuration.Runtime ?? 'image',
      runtimeVersionArn: runtimeVersionArn(configuration, ports.region) ?? '',
    },
    version,
    timeoutSeconds: configuration.Timeout,
    memorySizeMiB: configuration.MemorySize,
    isExpired: () => ports.clock.now() >= createdAt + usableSeconds * 1000,
    async release() {
      forget();
      await sockets.close();
    },
  });
}

async function openSandbox(
  ports: EnvironmentPorts,
  { configuration }: VersionSpec,
  id: string,
  plan: ProgramPlan,
  { network, fileSystems }: PlannedResources,
  sockets: EnvironmentSockets,
): Promise<Sandbox> {
  const socketFolder = { from: sockets.folder, to: socketFolderInside, sockets: true };
  const sandbox = {
    id,
    memoryMiB: configuration.MemorySize,
    ...processorsOf(configuration),
    ephemeralStorageMiB: configuration.EphemeralStorage.Size,
    mounts: [
      ...plan.mounts,
      ...fileSystems,
      ...certificatesMount(ports),
      ...(plan.bundledRuntimeInterfaceClient ? [socketFolder] : []),
    ],
    network,
    ...present({ root: plan.root }),
  };
  return traced('open sandbox', {}, () => ports.launcher.open(sandbox));
}

/** When a step fails, closes what was opened before it; the first error is the cause. */
async function closingUnless<T>(
  step: () => Promise<T>,
  ...opened: readonly { close(): Promise<void> }[]
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const closed = await Promise.allSettled(opened.map((part) => part.close()));
    const errors = closed.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    throw errors.length === 0 ? error : new AggregateError([error, ...errors], String(error));
  }
}

/** On a capacity provider a function may set the memory per processor. */
function processorsOf({
  CapacityProviderConfig,
}: Configuration): Pick<SandboxSpec, 'memoryMiBPerProcessor'> {
  const managed = CapacityProviderConfig?.LambdaManagedInstancesCapacityProviderConfig;
  const gibibytes = managed?.ExecutionEnvironmentMemoryGiBPerVCpu;
  return gibibytes === undefined ? {} : { memoryMiBPerProcessor: gibibytes * 1024 };
}

/** The address of the Runtime API on AWS; nothing listens there unless a program needs it. */
const awsRuntimeApiAddress = '127.0.0.1:9001';

/** Validity of the credentials of an environment: as long as IAM allows for a role's session. */
const sessionSeconds = 12 * 60 * 60;

/**
 * Time after which an environment gets no more events: its credentials would end while one runs, or before work that the event
 * has started.
 */
const usableSeconds = 11 * 60 * 60;
