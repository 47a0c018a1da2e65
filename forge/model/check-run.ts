import type { ObjectId } from '../git/names.ts';

export const checkStatuses = ['queued', 'in_progress', 'completed'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

export const checkConclusions = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
] as const;
export type CheckConclusion = (typeof checkConclusions)[number];

/** A check run has a conclusion if and only if it is completed. */
export type CheckState =
  | { readonly status: 'queued' | 'in_progress'; readonly conclusion: null }
  | { readonly status: 'completed'; readonly conclusion: CheckConclusion };

/** The result of a check of a commit, reported by a GitHub App. */
export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  readonly repositoryId: number;
  readonly appId: number;
  readonly sha: ObjectId;
  readonly name: string;
  readonly state: CheckState;
  readonly detailsUrl: string | null;
  readonly externalId: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly output: CheckOutput;
  /** How many there are. */
  readonly annotations: number;
  readonly actions: readonly CheckAction[];
}

export interface CheckOutput {
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
}

/** A button that the App offers. */
export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** A remark about lines of a file. */
export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn: number | null;
  readonly endColumn: number | null;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
  readonly rawDetails: string | null;
}

/** The runs of one App for one commit. */
export interface CheckSuite {
  readonly id: number;
  readonly repositoryId: number;
  readonly appId: number;
  readonly sha: ObjectId;
  readonly branch: string | null;
  /** The commit that the pushed branch had before; null: unknown, or the branch was new. */
  readonly before: ObjectId | null;
  /** Its checks were asked for again, and none has been reported since. */
  readonly rerequested: boolean;
  /** Of the latest run of each name. */
  readonly states: readonly CheckState[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A check that a protected branch requires. */
export interface RequiredContext {
  /** The context of a status, or the name of a check run. */
  readonly context: string;
  /** The App that must report it; null: anybody may. */
  readonly appId: number | null;
}

/** Conclusions that block what requires the check, worst first; those that are not listed count as success. */
const failing: readonly CheckConclusion[] = [
  'failure',
  'timed_out',
  'cancelled',
  'action_required',
];
const passing: readonly CheckConclusion[] = ['success', 'neutral', 'skipped'];

/** The state of a check as that of a commit status, which mergeability depends on. */
export function asCommitStatus(state: CheckState): 'pending' | 'failure' | 'success' {
  if (state.status !== 'completed') return 'pending';
  return failing.includes(state.conclusion) ? 'failure' : 'success';
}

/** The state of a suite: queued once it is rerequested, else that of its runs. */
export function suiteStateOf({ rerequested, states }: CheckSuite): CheckState {
  return rerequested ? { status: 'queued', conclusion: null } : suiteState(states);
}

/** The state of the runs of a suite: completed with its runs, with the worst of their conclusions. */
export function suiteState(states: readonly CheckState[]): CheckState {
  const conclusions = states.flatMap(({ conclusion }) => conclusion ?? []);
  if (conclusions.length < states.length) {
    return { status: 'in_progress', conclusion: null };
  }
  const worst = [...failing, ...passing].find((each) => conclusions.includes(each));
  return worst
    ? { status: 'completed', conclusion: worst }
    : { status: 'queued', conclusion: null };
}
