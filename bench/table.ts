import type { Measured } from './load.ts';

/** The results of one run, each printed as it comes. */
export class Table {
  constructor() {
    this.#print(['what', 'result', '', 'aim']);
  }

  /** Hob against the bare server that writes the same bytes: ratios within this run. */
  compare(name: string, hob: Measured, bare: Measured, aim: number | string): void {
    const ratio = bare.cpuMicroseconds / hob.cpuMicroseconds;
    this.#print([
      name,
      `${ratio.toFixed(2)} of bare by CPU`,
      `${hob.cpuMicroseconds.toFixed(0)} us against ${bare.cpuMicroseconds.toFixed(0)}; ` +
        `p50 ${hob.p50Milliseconds.toFixed(2)} ms against ${bare.p50Milliseconds.toFixed(2)}; ` +
        `${hob.requestsPerSecond.toFixed(0)}/s against ${bare.requestsPerSecond.toFixed(0)}/s` +
        (hob.status < 400 ? '' : ` (status ${hob.status}!)`),
      typeof aim === 'number' ? `at least ${aim}` : aim,
    ]);
  }

  add(name: string, value: number, unit: string, aim: string): void {
    this.#print([name, `${value.toFixed(2)} ${unit}`, '', aim]);
  }

  /** A row that could not be measured here. */
  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  #print(row: readonly string[]): void {
    const [what = '', result = '', detail = '', aim = ''] = row;
    process.stdout.write(`${what.padEnd(46)} ${result.padEnd(34)} ${aim.padEnd(14)} ${detail}\n`);
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
