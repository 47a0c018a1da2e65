/** One way in which a server is disturbed, and what came of it. */
export interface Fault {
  readonly name: string;
  /** One line for the list. */
  readonly description: string;
  /** How often it happens in a whole run, and in the short form that the suite runs. */
  readonly rounds: { readonly whole: number; readonly short: number };
  /** Why this host cannot do it; undefined: it can. */
  missing(): string | undefined;
  run(options: FaultOptions): Promise<FaultReport>;
}

export interface FaultOptions {
  readonly rounds: number;
  /** The same seed asks the same questions. */
  readonly seed: number;
  /** One line of progress. */
  readonly say: (line: string) => void;
}

export interface FaultReport {
  readonly rounds: number;
  /** Writes that were acknowledged in all. */
  readonly acknowledged: number;
  /** One sentence for each thing that was acknowledged and is not there, or is there by half. */
  readonly lost: readonly string[];
  /** Processes, mounts and files that should be gone. */
  readonly leftBehind: readonly string[];
  /** Answers that the fault does not excuse. */
  readonly unexpected: readonly string[];
  /** How requests were refused meanwhile, and how often. */
  readonly refused: Readonly<Record<string, number>>;
  /** What was measured, by name: milliseconds of each round. */
  readonly measured: Readonly<Record<string, readonly number[]>>;
  /** Requirements that were not met, as text. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

/** Whether all that was demanded was met. */
export function passed(report: FaultReport): boolean {
  const { lost, leftBehind, unexpected, failures } = report;
  return [lost, leftBehind, unexpected, failures].every((list) => list.length === 0);
}

/** A report that grows. */
export class FaultLog {
  acknowledged = 0;
  rounds = 0;
  readonly lost: string[] = [];
  readonly leftBehind: string[] = [];
  readonly unexpected: string[] = [];
  readonly refused: Record<string, number> = {};
  readonly measured: Record<string, number[]> = {};
  readonly failures: string[] = [];
  readonly notes: string[] = [];

  measure(label: string, milliseconds: number): void {
    (this.measured[label] ??= []).push(Math.round(milliseconds));
  }

  demand(met: boolean, sentence: string): void {
    if (!met) this.failures.push(sentence);
  }
}
