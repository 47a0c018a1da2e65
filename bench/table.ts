import type { Measured } from './load.ts';

/** The results of one run, printed at its end. */
export class Table {
  readonly #rows: string[][] = [['what', 'result', '', 'aim']];

  /** Hob against the bare server that writes the same bytes: ratios within this run. */
  compare(name: string, hob: Measured, bare: Measured, aim: number): void {
    const ratio = bare.cpuMicroseconds / hob.cpuMicroseconds;
    this.#rows.push([
      name,
      `${ratio.toFixed(2)} of bare by CPU`,
      `${hob.cpuMicroseconds.toFixed(0)} us against ${bare.cpuMicroseconds.toFixed(0)}; ` +
        `p50 ${hob.p50Milliseconds.toFixed(2)} ms against ${bare.p50Milliseconds.toFixed(2)}; ` +
        `${hob.requestsPerSecond.toFixed(0)}/s against ${bare.requestsPerSecond.toFixed(0)}/s` +
        (hob.status < 400 ? '' : ` (status ${hob.status}!)`),
      `at least ${aim}`,
    ]);
  }

  add(name: string, value: number, unit: string, aim: string): void {
    this.#rows.push([name, `${value.toFixed(2)} ${unit}`, '', aim]);
  }

  print(): void {
    const widths = [0, 1, 2, 3].map((column) =>
      Math.max(...this.#rows.map((row) => row[column]?.length ?? 0)),
    );
    for (const row of this.#rows) {
      const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
      process.stdout.write(`${line.trimEnd()}\n`);
    }
  }
}
