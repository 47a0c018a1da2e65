import {
  type Disturbance,
  type Journal,
  millisecondsAway,
  type Probe,
  probesDuring,
  probeKinds,
  type Span,
  succeeded,
} from './journal.ts';
import type { Observed } from './observed.ts';

/** Compares what clients saw with what is there; one sentence for each promise that was broken. */
export interface Checker {
  readonly name: string;
  /** How the table counts what it finds. */
  readonly finds: 'lost' | 'left behind' | 'broken';
  readonly check: (journal: Journal, observed: Observed) => readonly string[];
}

/** Of the function that counts itself. */
export const reservedConcurrency = 2;
/** For how long after a change of membership two nodes may take themselves for the home of a function: a lease. */
const leaseMilliseconds = 10_000;

export const checkers: readonly Checker[] = [
  {
    name: 'acknowledged',
    finds: 'lost',
    check: (journal, observed) => [
      ...lostWrites(journal, observed),
      ...lostMerges(journal, observed),
      ...lostUpdates(journal, observed),
    ],
  },
  {
    name: 'pull heads',
    finds: 'broken',
    check: (_journal, { pulls, refs }) =>
      pulls
        .filter(({ open }) => open)
        .flatMap(({ number, headRef, headSha }) => {
          const branch = refs.get(`refs/heads/${headRef}`);
          const head = refs.get(`refs/pull/${number}/head`);
          if (branch === headSha && head === headSha) return [];
          return [`pull ${number} has ${headSha}, its branch ${branch}, refs/pull ${head}`];
        }),
  },
  {
    name: 'merges',
    finds: 'broken',
    check: (_journal, { pulls, base }) =>
      pulls.flatMap(({ number, title, mergeSha }) => {
        const commits = base.filter(({ subject }) => subject.split(/[\s/]/).includes(title));
        if (mergeSha === undefined) {
          return commits.length === 0 ? [] : [`pull ${number} is in the base but not merged`];
        }
        if (commits.length !== 1) {
          return [`pull ${number} has ${commits.length} commits in the base`];
        }
        return base.some(({ sha }) => sha === mergeSha)
          ? []
          : [`pull ${number} is merged as ${mergeSha}, which the base does not contain`];
      }),
  },
  { name: 'chains', finds: 'broken', check: brokenChains },
  { name: 'events', finds: 'lost', check: lostEvents },
  {
    name: 'durable steps',
    finds: 'broken',
    check: ({ executions }, observed) =>
      executions.flatMap((arn) => {
        const seen = observed.executions.get(arn);
        if (!seen) return [`the execution ${arn} is gone`];
        if (seen.status !== 'SUCCEEDED') return [`the execution ${arn} is ${seen.status}`];
        if (seen.returned.length > 0 && seen.returned.join() === seen.checkpointed.join()) {
          return [];
        }
        return [
          `the execution ${arn} returned ${seen.returned.join()}, its checkpoints have ${seen.checkpointed.join()}`,
        ];
      }),
  },
  { name: 'reserved concurrency', finds: 'broken', check: overReservations },
  { name: 'nothing left', finds: 'left behind', check: (_journal, { leftBehind }) => leftBehind },
  { name: 'git fsck', finds: 'broken', check: (_journal, { damage }) => damage },
  { name: 'times', finds: 'broken', check: tooLongAway },
];

function lostWrites(journal: Journal, observed: Observed): string[] {
  const statuses = new Set(observed.statuses.map(({ id, context }) => `${id} ${context}`));
  const comments = new Set(observed.comments.map(({ id, body }) => `${id} ${body}`));
  const repositories = new Set(observed.repositories);
  const histories = new Map(
    [...observed.histories].map(([ref, commits]) => [ref, new Set(commits)]),
  );
  return [
    ...journal.statuses
      .filter(({ id, context }) => !statuses.has(`${id} ${context}`))
      .map(({ context }) => `the status ${context}`),
    ...journal.comments
      .filter(({ id, body }) => !comments.has(`${id} ${body}`))
      .map(({ body }) => `the comment ${body}`),
    ...journal.repositories
      .filter((name) => !repositories.has(name))
      .map((name) => `the repository ${name}`),
    ...journal.moves
      .filter(({ ref, to }) => histories.get(ref)?.has(to) !== true)
      .map(({ ref, to }) => `the move of ${ref} to ${to}`),
  ];
}

function lostMerges({ merges }: Journal, { pulls }: Observed): string[] {
  const merged = new Map(pulls.map(({ number, mergeSha }) => [number, mergeSha]));
  return merges
    .filter(({ number, sha }) => merged.get(number) !== sha)
    .map(({ number }) => `the merge of ${number}`);
}

function lostUpdates({ updates, versions }: Journal, observed: Observed): string[] {
  const lost: string[] = [];
  for (const [name, { acknowledged, sent }] of updates) {
    const now = observed.functions.get(name);
    if (!now) lost.push(`the function ${name}`);
    else if (!now.active) lost.push(`the function ${name} is not active`);
    else if (now.round < acknowledged || now.round > sent) {
      lost.push(`the update ${acknowledged} of ${name}, which has ${now.round}`);
    } else if (now.answered !== now.round) {
      lost.push(`the function ${name} has update ${now.round} and runs ${now.answered}`);
    }
  }
  for (const { name, version, round } of versions) {
    const now = observed.versions.get(`${name}:${version}`);
    if (now !== round) lost.push(`version ${version} of ${name} was ${round} and is ${now}`);
  }
  return lost;
}

/** Each acknowledged move starts where the one before it ended: in the history, `to` follows `from` directly. */
function brokenChains({ moves }: Journal, { histories }: Observed): string[] {
  const broken: string[] = [];
  const continued = new Map<string, string>();
  for (const { ref, from, to } of moves) {
    const other = continued.get(`${ref} ${from}`);
    if (other !== undefined && other !== to) {
      broken.push(`${ref} was moved from ${from} both to ${other} and to ${to}`);
    }
    continued.set(`${ref} ${from}`, to);
    const history = histories.get(ref) ?? [];
    const index = history.indexOf(to);
    // One that is not there at all is lost, which another checker reports.
    if (index >= 0 && history[index + 1] !== from) {
      broken.push(`${ref} has ${history[index + 1]} before ${to}, which was moved from ${from}`);
    }
  }
  return broken;
}

/** Events are handled at least once, and exactly once where nothing was disturbed; a delivery is repeated with the same GUID. */
function lostEvents(journal: Journal, { handled, deliveries }: Observed): string[] {
  const runs = new Map<string, string[]>();
  for (const { event, run } of handled) runs.set(event, [...(runs.get(event) ?? []), run]);
  const guids = new Map<number, Set<string>>();
  for (const { guid, comment } of deliveries) {
    guids.set(comment, (guids.get(comment) ?? new Set()).add(guid));
  }
  const isUndisturbed = journal.disturbances.length === 0;
  return [
    ...journal.events.flatMap((event) => {
      const count = runs.get(event)?.length ?? 0;
      if (count === 0) return [`the event ${event}`];
      return isUndisturbed && count > 1 ? [`the event ${event} was handled ${count} times`] : [];
    }),
    ...journal.comments.flatMap(({ id, body }) => {
      const count = guids.get(id)?.size ?? 0;
      if (count === 0) return [`the delivery of the comment ${body}`];
      return count > 1 ? [`the comment ${body} was delivered with ${count} GUIDs`] : [];
    }),
  ];
}

function overReservations({ invocations, disturbances }: Journal): string[] {
  const changes = disturbances.filter(({ changesMembership }) => changesMembership);
  return invocations.flatMap(({ from }) => {
    const atOnce = invocations.filter((other) => other.from <= from && from < other.until).length;
    const most = changes.some((change) => isDuring(change, from))
      ? 2 * reservedConcurrency
      : reservedConcurrency;
    return atOnce > most ? [`${atOnce} invocations ran at once, more than ${most}`] : [];
  });
}

function isDuring({ from, until }: Span, time: number): boolean {
  return from <= time && time < until + leaseMilliseconds;
}

function tooLongAway(journal: Journal): string[] {
  return journal.disturbances.flatMap((disturbance: Disturbance, index) =>
    probeKinds.flatMap((kind) => {
      const seconds = millisecondsAway(journal, index, kind) / 1000;
      const most = disturbance.limits[kind] ?? disturbance.limits.git;
      if (seconds <= most) return [];
      const why = failedOrSlow(probesDuring(journal, index, kind), disturbance.from).join(', ');
      return [
        `${disturbance.name}: ${kind} ${kind === 'functions' ? 'were' : 'was'} away for ${seconds.toFixed(1)} s, over ${most}: ${why}`,
      ];
    }),
  );
}

/** Requests that failed or took long, with when they ended; the last ones say most. */
function failedOrSlow(probes: readonly Probe[], since: number): string[] {
  return probes
    .filter((each) => !succeeded(each) || each.until - each.from > slowMilliseconds)
    .slice(-5)
    .map(
      ({ from, until, status }) =>
        `${status || 'no answer'} after ${until - from} ms at ${((until - since) / 1000).toFixed(1)} s`,
    );
}

const slowMilliseconds = 1000;
