import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** With less than this idle, times say more about the rest of the machine than about Hob. */
const idleShareMin = 0.9;

/** Whether other programs leave the machine alone for a second in which a benchmark does nothing. */
export async function isQuiet(): Promise<boolean> {
  const before = processorTimes();
  await delay(1000);
  const after = processorTimes();
  return (after.idle - before.idle) / (after.all - before.all) >= idleShareMin;
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (numbers: readonly number[]): number => numbers.reduce((one, next) => one + next, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((each) => Object.values(each))),
  };
}
