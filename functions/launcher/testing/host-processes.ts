/** What the host sees of the programs of a launcher. */
import assert from 'node:assert/strict';
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

/** Whether the command line of a process of the host has this text. */
export async function anyRuns(text: string): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (command.includes(text)) return true;
  }
  return false;
}

/** The kernel ends what SIGKILL was sent to a little later than that returns. */
export async function untilNoneRuns(text: string): Promise<void> {
  for (let poll = 0; poll < 1000; poll += 1) {
    if (!(await anyRuns(text))) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail('It is still running.');
}
