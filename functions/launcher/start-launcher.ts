import { findHostTools } from './host-tools.ts';
import type { ToolName } from './host-tools.ts';
import type { IsolationTier } from './isolation.ts';
import type { Launcher } from './launcher.ts';
import { LauncherConnection } from './launcher-connection.ts';
import { RemotePlace } from './remote-place.ts';
import { rooms } from './room.ts';

export interface LauncherSettings {
  /** For the launcher alone; what is in it is removed. */
  readonly folder: string;
  /**
   * Folders of the server that are closed to other users, on the way to what programs are shown. Where there are no mounts,
   * programs pass through them by a group that nobody else is in.
   */
  readonly ownFolders?: readonly string[];
  /** One line of what the launcher process has to say. */
  readonly log: (line: string) => void;
  /** Nothing stronger is used than this tier has. */
  readonly strongestTier?: IsolationTier;
  /** Tools of the host that are not used though they are there. */
  readonly without?: readonly ToolName[];
}

/** Starts the launcher process, waits for its self-test, and starts it again when it is needed after it died. */
export async function startLauncher(settings: LauncherSettings): Promise<Launcher> {
  const first = await connectLauncher(settings);
  let connection = Promise.resolve(first);
  let closed = false;

  async function living(): Promise<LauncherConnection> {
    if (closed) throw new Error('The launcher is closed.');
    const current = await connection;
    if (current.alive) return current;
    settings.log('The launcher process ended, with all its programs, and is started again.');
    const next = connectLauncher(settings);
    connection = next.catch(() => current);
    return next;
  }

  return {
    isolation: first.isolation,
    async open(options) {
      const current = await living();
      await current.ask({ do: 'open', place: options });
      return new RemotePlace(current, options.id);
    },
    async close() {
      closed = true;
      await (await connection).close();
    },
  };
}

/** Tries the rooms in turn: what one kind of host allows, another forbids. */
async function connectLauncher(settings: LauncherSettings): Promise<LauncherConnection> {
  const strongestTier = settings.strongestTier ?? 'full';
  const root = process.getuid?.() === 0;
  const { folder, ownFolders = [], log, without = [] } = settings;
  let reason: unknown;
  for (const room of rooms(findHostTools(without), root, strongestTier)) {
    try {
      const start = { folder, ownFolders, ownRoom: room.ownRoom, strongestTier, without };
      return await LauncherConnection.open(room.command, start, log);
    } catch (error) {
      reason = error;
    }
  }
  throw new Error('The launcher process does not start.', { cause: reason });
}
