import type { Installation, InstallationOptions } from './installation.ts';
import type { Disturbance } from './journal.ts';
import type { Workload } from './workload.ts';

/** One way in which a cluster under load is disturbed. */
export interface ClusterRun {
  readonly name: string;
  /** One line for the list. */
  readonly summary: string;
  readonly rounds: { readonly whole: number; readonly short: number };
  /** Why it cannot be run here with so many nodes; undefined: it can. */
  missing(nodes: number): string | undefined;
  /** Statuses that it excuses. */
  excused(nodes: number): readonly number[];
  /** Prepares what the nodes need before they start. */
  prepare?(): Promise<PreparedHost>;
  /** While all clients work. */
  disturb(context: RunContext): Promise<void>;
}

export interface PreparedHost {
  readonly options: Omit<InstallationOptions, 'nodes'>;
  /** After the nodes have ended. */
  remove(): Promise<void>;
}

export interface RunContext {
  readonly installation: Installation;
  readonly workload: Workload;
  readonly rounds: number;
  /** One line of progress. */
  readonly say: (line: string) => void;
  demand(met: boolean, sentence: string): void;
  /** Runs the work as a disturbance, and goes on when everything is back. */
  disturb(
    kind: Pick<Disturbance, 'name' | 'changesMembership' | 'limits'>,
    work: () => Promise<void>,
  ): Promise<void>;
}
