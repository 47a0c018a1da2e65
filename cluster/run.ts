/** `npm run cluster`: plays load against several nodes, disturbs them, and checks everything that was acknowledged. */
import { globSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { has, runUnshared } from '../faults/host.ts';
import { missingForRedis } from '../faults/redis-server.ts';
import type { ClusterRun } from './cluster-run.ts';
import { measureCosts } from './costs.ts';
import { measureDeliveries } from './delivery-backlog.ts';
import { executeRun, type Outcome } from './execute-run.ts';
import { clocks, fullDisk, nameCaches, postgresRestart, redisKilled } from './host-runs.ts';
import { probeKinds } from './journal.ts';
import { killedMoves } from './move-run.ts';
import { severalShards } from './shard-run.ts';
import { kills, pauses, rollingRestart, rollingUpgrade, undisturbed } from './node-runs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Three take three times the processors: the usual run is that of a machine with two.
    nodes: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    'in-turn': { type: 'boolean', default: false },
    from: { type: 'string' },
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const runs: readonly ClusterRun[] = [
  undisturbed,
  kills,
  pauses,
  postgresRestart,
  redisKilled,
  clocks,
  nameCaches,
  fullDisk,
  rollingRestart,
  severalShards,
  killedMoves,
  rollingUpgrade(values.from === undefined ? undefined : resolve(values.from)),
];
/** What the short form runs: it takes less than five minutes. */
const shortRuns: readonly ClusterRun[] = [
  undisturbed,
  kills,
  pauses,
  postgresRestart,
  rollingRestart,
];
const nodesMax = 3;

const usage = `Usage: npm run cluster -- [RUN]... [--nodes 1|2|3] [--in-turn] [--rounds N] [--from FOLDER] [--short] [--json FILE]
       npm run cluster -- costs [--nodes 1|2|3] [--in-turn] [--rounds N]
       npm run cluster -- deliveries [--nodes 1|2|3]

Without a name all runs are made. --short makes few of them, in few rounds. costs measures processor time per operation with as many nodes and with fewer, in rounds.
deliveries measures how fast they send a backlog of deliveries to webhooks.
--in-turn sends each request to the next node, also where another one is known to have its repository or function.
--from has a checkout of an earlier version, with its node_modules.

${runs.map(({ name, summary, rounds }) => `  ${name.padEnd(12)} ${summary} (${rounds.whole} rounds)`).join('\n')}
`;

const labels = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' };

interface Row {
  readonly run: string;
  readonly result: keyof typeof labels;
  readonly why?: string;
  readonly seconds: number;
  readonly outcome?: Outcome;
}

const nodes = Number(values.nodes);
const inTurn = values['in-turn'];
const names = ['costs', 'deliveries', ...runs.map(({ name }) => name)];
const unknown = positionals.find((name) => !names.includes(name));
if (values.help || unknown !== undefined || ![1, 2, nodesMax].includes(nodes)) {
  process.stdout.write(unknown === undefined ? usage : `There is no run ${unknown}.\n\n${usage}`);
  process.exit(values.help ? 0 : 2);
}
const missing = missingPrograms();
if (missing !== undefined) {
  process.stdout.write(`Skipped: the cluster ${missing}.\n`);
  process.exit(0);
}
// What others mount and start meanwhile must not hold our file systems.
const unshared = 'HOB_CLUSTER_UNSHARED';
if (process.getuid?.() === 0 && has('unshare') && process.env[unshared] === undefined) {
  process.exit(await runUnshared(process.argv.slice(1), { ...process.env, [unshared]: '1' }));
}
endInTime();
if (positionals.includes('costs'))
  await measureCosts({ most: nodes, passes: Number(values.rounds ?? 1), inTurn });
else if (positionals.includes('deliveries')) await measureDeliveries(nodes);
else await makeRuns();

async function makeRuns(): Promise<void> {
  const usual = values.short ? shortRuns : runs;
  const chosen =
    positionals.length === 0 ? usual : runs.filter(({ name }) => positionals.includes(name));
  const rows: Row[] = [];
  for (const run of chosen) rows.push(await makeRun(run));
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ nodes, rows }, null, 2)}\n`);
  }
  process.stdout.write(`\n${table(rows)}\n`);
  process.exitCode = rows.some(({ result }) => result === 'failed') ? 1 : 0;
}

async function makeRun(run: ClusterRun): Promise<Row> {
  const say = (line: string): void => {
    process.stdout.write(`${run.name}: ${line}\n`);
  };
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const why = run.missing(nodes);
  if (why !== undefined) {
    say(`skipped, ${why}`);
    return { run: run.name, result: 'skipped', why, seconds: 0 };
  }
  const rounds = Number(values.rounds ?? (values.short ? run.rounds.short : run.rounds.whole));
  try {
    const outcome = await executeRun(run, { nodes, inTurn, rounds, say });
    const { lost, leftBehind, broken } = outcome;
    for (const line of linesOf(outcome)) say(line);
    const held = [lost, leftBehind, broken].every((list) => list.length === 0);
    return { run: run.name, result: held ? 'passed' : 'failed', seconds: seconds(), outcome };
  } catch (error) {
    const reason = textOf(error);
    say(`failed: ${reason}`);
    return { run: run.name, result: 'failed', why: reason, seconds: seconds() };
  }
}

/** With what caused it. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nbecause of ${textOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

function linesOf({ lost, leftBehind, broken, refused, notes }: Outcome): string[] {
  const reasons = [...refused].map(([reason, count]) => `${count} × ${reason}`);
  return [
    ...shown('lost', lost),
    ...shown('left behind', leftBehind),
    ...shown('broken', broken),
    ...shown('logged', [...notes.filter(isNoOutage), ...notes.filter((note) => !isNoOutage(note))]),
    `refused: ${reasons.join(', ') || 'nothing'}`,
  ];
}

/** What an outage does not explain is shown first. */
function isNoOutage(note: string): boolean {
  return !/cannot be reached|unavailable|exited before it responded/.test(note);
}

function shown(label: string, lines: readonly string[]): string[] {
  return [
    ...lines.slice(0, 20).map((line) => `${label}: ${line}`),
    ...(lines.length > 20 ? [`${label}: and ${lines.length - 20} more`] : []),
  ];
}

/** A line for each run begins with `ok` or `FAILED`, as those of `npm run check` do. */
function table(rows: readonly Row[]): string {
  const lines = rows.map(({ run, result, why, outcome, seconds }) => {
    const head = `${labels[result].padEnd(8)} ${run.padEnd(12)}`;
    if (!outcome) return `${head} ${why?.split('\n')[0] ?? ''}`;
    const { acknowledged, lost, leftBehind, broken, away } = outcome;
    const counts = [acknowledged, lost.length, leftBehind.length, broken.length];
    const times = [...probeKinds.map((kind) => away[kind].toFixed(1)), String(seconds)];
    return `${head} ${columns([...counts.map(String), ...times])}`;
  });
  const titles = [
    'acknowledged',
    'lost',
    'left behind',
    'broken',
    'api away s',
    'git away s',
    'functions',
    's',
  ];
  return [`${`nodes: ${nodes}`.padEnd(21)} ${columns(titles)}`, ...lines].join('\n');
}

function columns(texts: readonly string[]): string {
  return texts.map((text) => text.padStart(13)).join('');
}

function missingPrograms(): string | undefined {
  const postgres = has('initdb') || globSync('/usr/lib/postgresql/*/bin/initdb').length > 0;
  if (!postgres) return 'needs PostgreSQL';
  return missingForRedis() ?? (has('haproxy') ? undefined : 'needs haproxy');
}

/** Whatever hangs: the processes that were started end with this one. */
function endInTime(): void {
  const minutes = values.short ? 5 : 120;
  const end = (): void => {
    process.stdout.write(`FAILED after ${minutes} minutes.\n`);
    process.exit(1);
  };
  setTimeout(end, minutes * 60_000).unref();
}
