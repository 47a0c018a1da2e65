/** What clients sent during a run and what was acknowledged. Times are milliseconds since the epoch, by the clock of the clients. */
export interface Journal {
  readonly statuses: { readonly id: number; readonly context: string }[];
  readonly comments: { readonly id: number; readonly body: string }[];
  readonly repositories: string[];
  /** By pushes and by the API. */
  readonly moves: AcknowledgedMove[];
  readonly merges: { readonly number: number; readonly title: string; readonly sha: string }[];
  /** Updates of a function by its name. */
  readonly updates: Map<string, { acknowledged: number; sent: number }>;
  readonly versions: PublishedVersion[];
  /** Asynchronous events, by what was sent with each. */
  readonly events: string[];
  /** ARNs of durable executions. */
  readonly executions: string[];
  /** Invocations of the function with reserved concurrency, as its program saw them. */
  readonly invocations: Span[];
  readonly probes: Probe[];
  readonly disturbances: Disturbance[];
  /** Responses that were refused, by their reason. */
  readonly refused: Map<string, number>;
  /** Responses that no fault of the run excuses. */
  readonly unexpected: string[];
}

interface AcknowledgedMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

export interface PublishedVersion {
  readonly name: string;
  readonly version: string;
  readonly round: number;
}

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** A small request, sent again and again: `api` needs the database alone, `git` the owner of the repositories, `functions` the home of a function. */
export interface Probe extends Span {
  readonly kind: ProbeKind;
  /** Of the response; 0: there was none. */
  readonly status: number;
}

export function succeeded({ status }: Pick<Probe, 'status'>): boolean {
  return status >= 200 && status < 300;
}

export const probeKinds = ['api', 'git', 'functions'] as const;
export type ProbeKind = (typeof probeKinds)[number];

/** A fault, from its injection until its end. */
export interface Disturbance extends Span {
  readonly name: string;
  /** Whether functions and repositories may move to other nodes. */
  readonly changesMembership: boolean;
  /** For how many seconds probes may fail or wait; invocations for as long as git where nothing else is said. */
  readonly limits: { readonly api: number; readonly git: number; readonly functions?: number };
}

export function createJournal(): Journal {
  return {
    statuses: [],
    comments: [],
    repositories: [],
    moves: [],
    merges: [],
    updates: new Map(),
    versions: [],
    events: [],
    executions: [],
    invocations: [],
    probes: [],
    disturbances: [],
    refused: new Map(),
    unexpected: [],
  };
}

/** Writes that were acknowledged in all. */
export function acknowledgedIn(journal: Journal): number {
  const { statuses, comments, repositories, moves, merges, versions, events, executions } = journal;
  const lists = [statuses, comments, repositories, moves, merges, versions, events, executions];
  const updates = [...journal.updates.values()].reduce((sum, each) => sum + each.acknowledged, 0);
  return lists.reduce((sum, { length }) => sum + length, updates);
}

/**
 * For how many milliseconds requests of a kind were refused or had to wait because of a disturbance: until the last one that failed, or
 * the longest time without one that succeeded. The next disturbance begins a new count.
 */
export function millisecondsAway(
  { probes, disturbances }: Pick<Journal, 'probes' | 'disturbances'>,
  index: number,
  kind: ProbeKind,
): number {
  const from = disturbances[index]?.from ?? 0;
  let longest = 0;
  let answered = from;
  for (const each of probesDuring({ probes, disturbances }, index, kind)) {
    if (succeeded(each)) {
      longest = Math.max(longest, each.until - answered);
      answered = each.until;
    } else longest = Math.max(longest, each.until - from);
  }
  return longest;
}

/** From a disturbance until the next one. */
export function probesDuring(
  { probes, disturbances }: Pick<Journal, 'probes' | 'disturbances'>,
  index: number,
  kind: ProbeKind,
): readonly Probe[] {
  const from = disturbances[index]?.from ?? 0;
  const next = disturbances[index + 1]?.from ?? Number.POSITIVE_INFINITY;
  return probes.filter((probe) => probe.kind === kind && probe.until >= from && probe.until < next);
}
