/**
 * The sandbox's user may lack permission to traverse the host's paths: the data directory, or the home of the user who runs Hob, may
 * be closed to others. The first entry below such a directory is bind-mounted where every user in the mount namespace may traverse,
 * once for all that it contains: a mount takes two processes, and a cold start waits for it.
 */
import { constants, realpathSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { HostTools } from '../process/host-tools.ts';
import { shellQuoted } from '../process/shell-quote.ts';
import { runTool } from '../process/start-process.ts';

export interface BoundFolder {
  /** Paths to the same files without symbolic links, in the order of the request. */
  readonly paths: readonly string[];
  /** Called once nothing runs on them any more. */
  release(): Promise<void>;
}

interface Mounted {
  readonly key: string;
  readonly to: string;
  readonly ready: Promise<void>;
  users: number;
}

/** Mounted folders that no environment uses any more and the next may, the last released ones. */
const unusedMax = 64;

export class BindMountCache {
  readonly #tools: HostTools & { readonly sh: string };
  readonly #folder: string;
  /** In the order in which they were released. */
  readonly #mounted = new Map<string, Mounted>();
  #mountsMade = 0;

  constructor(tools: HostTools & { readonly sh: string }, folder: string) {
    this.#tools = tools;
    this.#folder = folder;
  }

  /** `user` is the sandbox's own; undefined where programs run as the server's user, with its permissions. */
  async use(paths: readonly string[], user: number | undefined): Promise<BoundFolder> {
    const real = paths.map((path) => realpathSync(path));
    const uses = real.map((path) => {
      const closed = user === undefined ? undefined : firstNonTraversable(path);
      return closed && { mounted: this.#mountOf(closed.path), rest: closed.rest };
    });
    const held = uses.flatMap((use) => (use ? [use.mounted] : []));
    try {
      await Promise.all(held.map(({ ready }) => ready));
    } catch (error) {
      await this.#release(held);
      throw error;
    }
    return {
      paths: uses.map((use, index) => (use ? use.mounted.to + use.rest : (real[index] ?? ''))),
      release: () => this.#release(held),
    };
  }

  #mountOf(path: string): Mounted {
    const { dev, ino } = statSync(path);
    // A directory that was removed and created again is another one.
    const key = `${dev} ${ino} ${path}`;
    let mounted = this.#mounted.get(key);
    if (!mounted) {
      this.#mountsMade += 1;
      const to = join(this.#folder, String(this.#mountsMade));
      const ready = this.#mount(path, to);
      mounted = { key, to, ready, users: 0 };
      this.#mounted.set(key, mounted);
      // The next caller tries again.
      ready.catch(() => this.#mounted.delete(key));
    }
    mounted.users += 1;
    return mounted;
  }

  async #mount(from: string, to: string): Promise<void> {
    const { sh, mount = 'mount' } = this.#tools;
    const script = 'if [ -d "$1" ]; then mkdir "$2"; else : >"$2"; fi; exec "$3" --rbind "$1" "$2"';
    await mkdir(this.#folder, { recursive: true, mode: 0o711 });
    await runTool([sh, '-e', '-c', script, 'sh', from, to, mount]);
  }

  async #release(held: readonly Mounted[]): Promise<void> {
    for (const mounted of held) {
      mounted.users -= 1;
      if (mounted.users > 0 || !this.#mounted.delete(mounted.key)) continue;
      this.#mounted.set(mounted.key, mounted);
    }
    const unused = [...this.#mounted.values()].filter(({ users }) => users === 0);
    await this.#unmount(unused.slice(0, Math.max(0, unused.length - unusedMax)));
  }

  async #unmount(unused: readonly Mounted[]): Promise<void> {
    const { sh, umount = 'umount' } = this.#tools;
    if (unused.length === 0) return;
    for (const { key } of unused) this.#mounted.delete(key);
    const lines = unused.map(({ to }) => {
      const path = shellQuoted(to);
      return `${shellQuoted(umount)} --lazy ${path}; if [ -d ${path} ]; then rmdir ${path}; else rm ${path}; fi`;
    });
    await runTool([sh, '-e', '-c', lines.join('\n')]);
  }
}

interface NonTraversable {
  readonly path: string;
  /** The path from there to the requested file, through directories that are open. */
  readonly rest: string;
}

/** The entry below the last directory on the path that other users may not traverse; undefined where there is none. */
function firstNonTraversable(real: string): NonTraversable | undefined {
  for (let path = real; path !== '/'; path = dirname(path)) {
    const open = (statSync(dirname(path)).mode & constants.S_IXOTH) !== 0;
    if (!open) return { path, rest: real.slice(path.length) };
  }
  return undefined;
}
