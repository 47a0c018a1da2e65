import { readdir, readFile } from 'node:fs/promises';

export interface Process {
  readonly pid: number;
  /** Arguments separated by spaces. */
  readonly command: string;
}

/** Every process that a process has started, and those that they have. */
export async function childrenOf(pid: number): Promise<readonly Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(
    names.map(async (name) => ({
      pid: Number(name),
      parent: Number((await read(name, 'stat')).replace(/^.*\) /, '').split(' ')[1]),
      command: (await read(name, 'cmdline')).replaceAll('\0', ' '),
    })),
  );
  const found = new Set([pid]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const process of processes) if (found.has(process.parent)) found.add(process.pid);
  }
  return processes.filter((process) => process.pid !== pid && found.has(process.pid));
}

/** Memory shared with others counts for each by its part. */
export async function proportionalMebibytes(pid: number): Promise<number> {
  const kibibytes = /^Pss:\s+(\d+)/m.exec(await read(`${pid}`, 'smaps_rollup'))?.[1];
  return Number(kibibytes ?? 0) / 1024;
}

/** Empty when the process is gone. */
function read(pid: string, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
}
