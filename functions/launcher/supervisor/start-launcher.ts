import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { HeartbeatTimes } from '#platform/heartbeat.ts';
import { RestartBackoff } from '#platform/restart-backoff.ts';

import { isolationTiers, type Isolation, type IsolationTier } from '../isolation.ts';
import {
  LauncherUnavailableError,
  type Launcher,
  type LoopbackConnection,
  type PeerOwner,
  type ServiceAddress,
  type Sandbox,
  type SandboxSpec,
} from '../launcher.ts';
import { findHostTools, type HostTools, type OptionalTool } from '../process/host-tools.ts';
import { LauncherConnection } from './launcher-connection.ts';
import { SandboxHandle } from './sandbox-handle.ts';

export interface LauncherSettings {
  /** For the launcher alone; what is in it is removed. */
  readonly folder: string;
  /**
   * Directories of the server that are closed to other users, on the path to files of programs. Without mounts, programs traverse
   * them by a group of their own.
   */
  readonly ownFolders?: readonly string[];
  /** Logs one line from the launcher process. */
  readonly log: (line: string) => void;
  /** What only a stronger tier needs is not used. */
  readonly strongestTier?: IsolationTier;
  /** Tools that are not used even if the host has them. */
  readonly without?: readonly OptionalTool[];
  /** What sandboxes find at the base URL's host and port is passed to `Sandbox.serveOnLoopback`; undefined: they find nothing. */
  readonly service?: ServiceAddress | undefined;
  /** Whether to find out if sandboxes can have the network `internet`. */
  readonly internet?: boolean;
  /** When a process that does not answer counts as hanging. */
  readonly heartbeat?: HeartbeatTimes;
  /** How long a caller waits for a launcher that is being restarted. */
  readonly patienceMilliseconds?: number;
}

/** Starts the launcher process, waits for its self-test, and starts it again whenever it dies or hangs. */
export async function startLauncher(settings: LauncherSettings): Promise<Launcher> {
  return new Supervisor(settings, await connectLauncher(settings));
}

/** Time that an event waits for a launcher that is being started again; then it is answered 500. */
const patienceMilliseconds = 4000;

class Supervisor implements Launcher {
  readonly isolation: Isolation;
  readonly #settings: LauncherSettings;
  readonly #closing = new AbortController();
  /** Undefined while there is none. */
  #connection: LauncherConnection | undefined;
  /** When the last one ended, by the monotonic clock. */
  #endedAt = 0;
  /** Resolves when there is one again; rejects only when the launcher is closed. */
  #restarted: Promise<void> = Promise.resolve();
  readonly #backoff = new RestartBackoff();

  constructor(settings: LauncherSettings, first: LauncherConnection) {
    this.#settings = settings;
    this.isolation = first.isolation;
    this.#use(first);
  }

  get isAvailable(): boolean {
    return this.#connection !== undefined || performance.now() - this.#endedAt < this.#patience;
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    const connection = await this.#living();
    await connection.ask({ do: 'open', sandbox: spec });
    return new SandboxHandle(connection, spec.id);
  }

  async ownersOf(connections: readonly LoopbackConnection[]): Promise<readonly PeerOwner[]> {
    const answer = await this.#connection?.ask({ do: 'owners', connections });
    return answer?.owners ?? [];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#restarted.catch(() => {});
    await this.#connection?.close();
  }

  async #living(): Promise<LauncherConnection> {
    if (this.#closing.signal.aborted) throw new Error('The launcher is closed.');
    if (!this.#connection) {
      const late = new AbortController();
      const patience = delay(this.#patience, undefined, { signal: late.signal });
      await Promise.race([this.#restarted, patience]).finally(() => late.abort());
    }
    if (!this.#connection) throw new LauncherUnavailableError();
    return this.#connection;
  }

  get #patience(): number {
    return this.#settings.patienceMilliseconds ?? patienceMilliseconds;
  }

  #use(connection: LauncherConnection): void {
    this.#connection = connection;
    this.#backoff.started();
    connection.onDeath((reason) => {
      this.#connection = undefined;
      this.#endedAt = performance.now();
      if (this.#closing.signal.aborted) return;
      this.#settings.log(
        `The launcher process exited (${reason}), with all running functions. Restarting it.`,
      );
      this.#restarted = this.#restart();
      // Its callers handle the rejection.
      this.#restarted.catch(() => {});
    });
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await delay(this.#backoff.failed(), undefined, { signal });
      try {
        const connection = await connectLauncher(this.#settings, signal);
        await this.#accept(connection);
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#settings.log(`Restarting the launcher process failed: ${String(error)}`);
      }
    }
  }

  /** Functions never run with less isolation than at the start of the service. */
  async #accept(connection: LauncherConnection): Promise<void> {
    const { tier } = connection.isolation;
    if (this.#closing.signal.aborted || isWeaker(tier, this.isolation.tier)) {
      await connection.close();
      throw new Error(`The host now provides only isolation tier "${tier}".`);
    }
    this.#use(connection);
  }
}

function isWeaker(tier: IsolationTier, than: IsolationTier): boolean {
  return isolationTiers.indexOf(tier) > isolationTiers.indexOf(than);
}

/** Tries the kinds of namespaces in turn: one host allows what another forbids. */
async function connectLauncher(
  settings: LauncherSettings,
  signal?: AbortSignal,
): Promise<LauncherConnection> {
  const strongestTier = settings.strongestTier ?? 'full';
  const root = process.getuid?.() === 0;
  const { folder, ownFolders = [], log, without = [], heartbeat } = settings;
  let reason: unknown;
  for (const namespaces of supervisorNamespaces(findHostTools(without), root, strongestTier)) {
    try {
      const start = {
        folder,
        ownFolders,
        ownNamespaces: namespaces.ownNamespaces,
        strongestTier,
        without,
        service: settings.service,
        internet: settings.internet === true,
      };
      return await LauncherConnection.open(namespaces.command, start, log, heartbeat, signal);
    } catch (error) {
      reason = error;
    }
  }
  throw new Error('Starting the launcher process failed.', { cause: reason });
}

/**
 * The namespaces of the launcher process: a mount and a PID namespace where the host allows them. The launcher's mounts then end
 * with it, and the kernel ends every process in the PID namespace when the launcher ends, for whatever reason.
 */
interface SupervisorNamespaces {
  readonly ownNamespaces: boolean;
  readonly command: readonly [string, ...string[]];
}

const program = fileURLToPath(new URL('launcher-process.ts', import.meta.url));

/** The ways to start the launcher process, the strongest first. */
function supervisorNamespaces(
  tools: HostTools,
  root: boolean,
  strongest: IsolationTier,
): SupervisorNamespaces[] {
  const plain: SupervisorNamespaces = {
    ownNamespaces: false,
    command: [process.execPath, program],
  };
  const mayUseNamespaces = strongest === 'full' || strongest === 'user';
  const { unshare, sh, mount } = tools;
  if (!mayUseNamespaces || unshare === undefined || sh === undefined || mount === undefined) {
    return [plain];
  }
  const own: SupervisorNamespaces = {
    ownNamespaces: true,
    command: [
      unshare,
      ...(root ? [] : ['--user', '--map-root-user']),
      '--mount',
      // We see later mounts of the host; the host does not see ours.
      '--propagation',
      'slave',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      // The first process of a PID namespace inherits all orphans, and Node does not reap processes that it did not start.
      sh,
      '-c',
      '"$@"; exit $?',
      'sh',
      ...plain.command,
    ],
  };
  return [own, plain];
}
