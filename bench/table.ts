import type { Measured } from './load.ts';
import type { Load } from './loads.ts';

/** The results of one run, each printed as it comes. */
export class Table {
  constructor() {
    this.#print(['what', 'result', '', 'aim']);
  }

  /** Hob against the bare server that writes the same bytes: ratios within this run. */
  compare(name: string, hob: Load, bare: Load, aim: number | string): void {
    const ratio = bare.loaded.cpuMicroseconds / hob.loaded.cpuMicroseconds;
    const { status } = hob.loaded;
    this.#print([
      name,
      `${ratio.toFixed(2)} of bare by CPU`,
      `${hob.loaded.cpuMicroseconds.toFixed(0)} us against ${bare.loaded.cpuMicroseconds.toFixed(0)}` +
        (status < 400 ? '' : ` (status ${status}!)`),
      typeof aim === 'number' ? `at least ${aim}` : aim,
    ]);
    if (hob.loaded.inFlight > 1) this.#print(['', latencies(hob.alone, bare.alone)]);
    this.#print(['', latencies(hob.loaded, bare.loaded)]);
  }

  /** Beyond `most`, the run fails. */
  add(name: string, value: number, unit: string, aim: string, most = Infinity): void {
    this.#print([name, `${value.toFixed(2)} ${unit}`, '', aim]);
    if (value > most) process.exitCode = 1;
  }

  /** A row that could not be measured here. */
  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  #print(row: readonly string[]): void {
    const [label = '', result = '', detail = '', aim = ''] = row;
    process.stdout.write(`${label.padEnd(46)} ${result.padEnd(34)} ${aim.padEnd(14)} ${detail}\n`);
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function latencies(hob: Measured, bare: Measured): string {
  return (
    `${hob.inFlight} in flight: p50 ${hob.p50Milliseconds.toFixed(2)} ms against ${bare.p50Milliseconds.toFixed(2)}, ` +
    `p99 ${hob.p99Milliseconds.toFixed(2)} against ${bare.p99Milliseconds.toFixed(2)}, ` +
    `${hob.requestsPerSecond.toFixed(0)}/s against ${bare.requestsPerSecond.toFixed(0)}/s`
  );
}
