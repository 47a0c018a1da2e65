/** What the host sees of the programs of a launcher. */
import { readdir, readFile } from 'node:fs/promises';

/** The process that runs a command, its arguments separated by U+0000, on the host; -1 when there is none. */
export async function userRunning(command: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const args = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (args !== `${command}\0`) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return -1;
}

/** An argument of sleep(1) by which only this process's tests find the sleeper: others on the host run the same tests. */
export function ownSeconds(seconds: number): string {
  return `${seconds}.${String(process.pid).padStart(7, '0')}`;
}
