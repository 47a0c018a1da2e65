/** What faults do to the host: processes, loop devices, mounts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { endWithThisProcess } from '../scenarios/child-processes.ts';

/** Runs a program to its end; throws what it said when it fails. */
export function run(program: string, ...args: readonly string[]): string {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  if (result.status === 0) return result.stdout;
  throw new Error(`${program} ${args.join(' ')} failed: ${result.stderr}${result.error ?? ''}`);
}

export function has(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

const ownMounts = ['unshare', '--mount', '--propagation', 'private'] as const;

/** Runs a program of Node with mounts of its own, which ends with this one; gives its exit status. */
export async function runUnshared(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const [program, ...options] = ownMounts;
  const command = [...options, process.execPath, ...args];
  const child = spawn(program, command, { stdio: 'inherit', env: environment });
  endWithThisProcess(child);
  const [status] = await once(child, 'exit');
  return typeof status === 'number' ? status : 1;
}

/** Why there can be no file system in a file here; undefined: there can. */
export function missingForDisks(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  for (const program of ['mkfs.ext4', 'mount', 'umount', 'unshare', 'perl']) {
    if (!has(program)) return `needs ${program}`;
  }
  try {
    run('losetup', '--find');
    return undefined;
  } catch {
    return 'needs a loop device';
  }
}

/** A file system of its own, in a file. */
export class LoopDisk {
  readonly folder: string;
  readonly #image: string;
  #mounted = false;

  constructor(folder: string, image: string, mebibytes: number) {
    this.folder = folder;
    this.#image = image;
    run('truncate', '-s', `${mebibytes}M`, image);
    // No blocks are reserved for root, who fills it in these runs.
    run('mkfs.ext4', '-q', '-F', '-m', '0', image);
    run('mkdir', '-p', folder);
    this.mount();
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#image, this.folder);
    this.#mounted = true;
  }

  /**
   * What a cut of power leaves: from now on nothing reaches the file, not even what the file system's journal holds
   * (EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH; see ext4.h).
   */
  cutPower(): void {
    const program =
      'open(my $d, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); defined(ioctl($d, 0x8004587D, $how)) or die $!';
    run('perl', '-e', program, this.folder);
  }

  unmount(): void {
    if (!this.#mounted) return;
    run('umount', this.folder);
    this.#mounted = false;
    this.#awaitRelease();
  }

  /**
   * The kernel gives up the file system, and with it the loop device, once the last namespace that saw it is gone. Until then
   * another mount would give the same one again, with its power cut.
   */
  #awaitRelease(): void {
    const patient = performance.now() + 30_000;
    while (run('losetup', '-j', this.#image) !== '') {
      if (performance.now() > patient) throw new Error(`Something still holds ${this.folder}.`);
      run('sleep', '0.05');
    }
  }

  remove(): void {
    this.unmount();
    rmSync(this.#image, { force: true });
  }

  /** Writes until no byte is free. Clients of this process go on meanwhile. */
  async fill(): Promise<void> {
    const file = await open(join(this.folder, 'filler'), 'a');
    try {
      for (let size = 1 << 20; size >= 1;) {
        try {
          const { bytesWritten } = await file.write(Buffer.alloc(size));
          if (bytesWritten < size) size = Math.trunc(size / 2);
        } catch (error) {
          if (errorCode(error) !== 'ENOSPC') throw error;
          size = Math.trunc(size / 2);
        }
      }
    } finally {
      await file.close();
    }
  }

  freeSpace(): void {
    rmSync(join(this.folder, 'filler'), { force: true });
  }
}

/** The processes below one, whose command line has a word in it. */
export function descendants(pid: number, word = ''): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readIfThere(`/proc/${name}/stat`);
    // The name of the program is in brackets and may have any character.
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const below = (id: number): number[] =>
    [...parents].flatMap(([child, parent]) => (parent === id ? [child, ...below(child)] : []));
  return below(pid).filter((id) => readIfThere(`/proc/${id}/cmdline`).includes(word));
}

/** What names a folder among the mounts and the processes of the host, one line each. */
export function tracesOf(folder: string): string[] {
  const mounts = readIfThere('/proc/self/mounts').split('\n');
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => {
      const args = readIfThere(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
      return { args: `${name} ${args}`, mounts: readIfThere(`/proc/${name}/mountinfo`) };
    });
  return [
    ...mounts.filter((line) => line.includes(`${folder}/`)),
    ...processes.flatMap(({ args, mounts: seen }) =>
      args.includes(`${folder}/`) || seen.includes(`${folder}/`) ? [args] : [],
    ),
  ];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Processes end at any time.
    return '';
  }
}
