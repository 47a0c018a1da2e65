/** `npm run faults`: injects every known fault into a server, and reports what was lost. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { clockStep } from './clock-step.ts';
import { type Fault, type FaultReport, passed } from './fault.ts';
import { fullDisk } from './full-disk.ts';
import { has, runUnshared } from './host.ts';
import { kills } from './kill.ts';
import { postgresOutage } from './postgres-outage.ts';
import { powerCut } from './power-cut.ts';
import { randomRequests } from './random-requests.ts';
import { redisOutage } from './redis-outage.ts';
import { slowClients } from './slow-clients.ts';

const faults: readonly Fault[] = [
  ...kills,
  powerCut,
  fullDisk,
  postgresOutage,
  redisOutage,
  clockStep,
  slowClients,
  randomRequests,
];

const usage = `Usage: npm run faults -- [FAULT]... [--rounds N] [--seed N] [--short] [--json FILE]

Without a name all faults are run. --short takes as few rounds as the suite does.

${faults.map(({ name, description: about, rounds }) => `  ${name.padEnd(16)} ${about} (${rounds.whole} rounds)`).join('\n')}
`;

interface Outcome {
  readonly fault: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly why?: string;
  readonly seed: number;
  readonly seconds: number;
  readonly report?: FaultReport;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const unknown = positionals.find((name) => !faults.some((fault) => fault.name === name));
if (values.help === true || unknown !== undefined) {
  process.stdout.write(unknown === undefined ? usage : `There is no fault ${unknown}.\n\n${usage}`);
  process.exit(unknown === undefined ? 0 : 2);
}
// What others mount and start meanwhile must not hold our file systems: they would not end with us.
const unshared = 'HOB_FAULTS_UNSHARED';
if (process.getuid?.() === 0 && has('unshare') && process.env[unshared] === undefined) {
  process.exit(await runUnshared(process.argv.slice(1), { ...process.env, [unshared]: '1' }));
}
const chosen = faults.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31));
const outcomes: Outcome[] = [];
for (const fault of chosen) outcomes.push(await runOne(fault));
const summary = { processors: cpus().length, processor: cpus()[0]?.model, outcomes };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`);
process.stdout.write(`\n${table(outcomes)}\n`);
process.exitCode = outcomes.some(({ result }) => result === 'failed') ? 1 : 0;

async function runOne(fault: Fault): Promise<Outcome> {
  const say = (line: string): void => {
    process.stdout.write(`${fault.name}: ${line}\n`);
  };
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const missing = fault.missing();
  if (missing !== undefined) {
    say(`skipped, ${missing}`);
    return { fault: fault.name, result: 'skipped', why: missing, seed, seconds: 0 };
  }
  const rounds = Number(values.rounds ?? (values.short ? fault.rounds.short : fault.rounds.whole));
  try {
    const report = await fault.run({ rounds, seed, say });
    const result = passed(report) ? 'passed' : 'failed';
    for (const line of linesOf(report)) say(line);
    return { fault: fault.name, result, seed, seconds: seconds(), report };
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`failed: ${why}`);
    return { fault: fault.name, result: 'failed', why, seed, seconds: seconds() };
  }
}

function linesOf(report: FaultReport): string[] {
  const shown = (name: string, lines: readonly string[]): string[] => [
    ...lines.slice(0, 20).map((line) => `${name}: ${line}`),
    ...(lines.length > 20 ? [`${name}: and ${lines.length - 20} more`] : []),
  ];
  return [
    ...shown('lost', report.lost),
    ...shown('left behind', report.leftBehind),
    ...shown('unexpected', report.unexpected),
    ...shown('not met', report.failures),
    ...report.notes,
    `refused: ${
      Object.entries(report.refused)
        .map(([why, count]) => `${count} × ${why}`)
        .join(', ') || 'nothing'
    }`,
  ];
}

function table(all: readonly Outcome[]): string {
  const rows = all.flatMap(({ fault, result, why, report, seconds }) => {
    const head = [fault.padEnd(16), result.padEnd(8)];
    if (!report) return [[...head, why?.split('\n')[0] ?? ''].join(' ')];
    const { rounds, acknowledged, lost, leftBehind } = report;
    const counts = `${rounds} rounds, ${acknowledged} acknowledged, ${lost.length} lost, ${leftBehind.length} left behind, ${seconds} s`;
    const measured = Object.entries(report.measured).map(
      ([label, times]) =>
        `${' '.repeat(26)}${label}: median ${median(times)}, longest ${Math.max(...times)}`,
    );
    return [[...head, counts].join(' '), ...measured];
  });
  return rows.join('\n');
}

function median(values_: readonly number[]): number {
  return values_.toSorted((a, b) => a - b)[Math.trunc(values_.length / 2)] ?? 0;
}
