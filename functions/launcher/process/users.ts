/** The user ids that programs run as: ids of the host, of which no two servers on the host use the same. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { errorCode } from '#platform/error-code.ts';

/** No distribution assigns ids from here on (systemd's "UIDS-GIDS"); 2^31 - 1 is the last that all tools accept. */
const firstUser = 1_900_000_000;

/** Users of a range: so many environments before the first user comes back. */
const rangeSize = 100_000;

/** Ranges of users, and so servers with root's rights on one host. */
const rangeCount = 2400;

export class UserRange {
  readonly #first: number;
  #taken = 0;

  private constructor(first: number) {
    this.#first = first;
  }

  /**
   * Claims a range for as long as this process lives, by a name that the kernel gives to one process at a time and takes back when it
   * ends: an abstract socket (unix(7)). Servers with different data folders rarely try the same range first.
   */
  static async claim(folder: string): Promise<UserRange> {
    const start = createHash('sha256').update(folder).digest().readUInt32BE() % rangeCount;
    for (let tried = 0; tried < rangeCount; tried += 1) {
      const first = firstUser + ((start + tried) % rangeCount) * rangeSize;
      if (await isClaimed(`\0hob-users-${first}`)) return new UserRange(first);
    }
    throw new Error('Other processes use all user id ranges (abstract sockets hob-users-…).');
  }

  /** For the self-test. */
  get first(): number {
    return this.#first;
  }

  /** A user for each sandbox; an id is reused only after all others have been used. */
  next(): number {
    this.#taken = (this.#taken % (rangeSize - 1)) + 1;
    return this.#first + this.#taken;
  }
}

/** Whether the name is ours from now on. */
async function isClaimed(name: string): Promise<boolean> {
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen(name);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') return false;
    throw error;
  }
}

/**
 * Arguments for `setpriv`. A real change of user, not a mapped one: it has no rights to the host's files beyond those of any other
 * user, except that `group` lets it traverse directories.
 */
export function asUserCommand(user: number, group?: number): string[] {
  const groups = group === undefined ? ['--clear-groups'] : ['--groups', String(group)];
  const ids = ['--reuid', String(user), '--regid', String(user), ...groups];
  return [...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}
