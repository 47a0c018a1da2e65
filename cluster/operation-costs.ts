import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CreateFunctionCommand, InvokeCommand } from '@aws-sdk/client-lambda';

import { faultLines } from '../faults/fault-lines.ts';
import { elapsed } from '../faults/server-under-test.ts';
import { functionOf, invokeBy } from '../scenarios/function-service.ts';
import { generateHistory } from '../scenarios/generated-history.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import { Client } from './client.ts';
import { startHookReceiver } from './hook-receiver.ts';
import { Installation } from './installation.ts';
import { createJournal } from './journal.ts';
import { leftBehind } from './left-behind.ts';
import {
  idleSecondOf,
  type Used,
  usedBy,
  usedPerOperation,
  withoutIdle,
} from './processor-time.ts';

/** A repository of middle size. */
const history = { commits: 2000, files: 500 };
const finishSeconds = 30;
/** At each node: load grows with the nodes, and one that wakes for single requests would cost more for each. */
const callersPerNode = 4;
const nodesMax = 3;

interface Operation {
  readonly name: string;
  readonly count: number;
  /** At each node before; by default as many as it has callers, three times. */
  readonly warmUps?: number;
  readonly run: (serial: number) => Promise<unknown>;
}

/** One operation at a time, by a few callers at once, on nodes with nothing else to do. */
export async function measureOperations(
  { nodes, inTurn }: { readonly nodes: number; readonly inTurn: boolean },
  report: (name: string, count: number, used: Used) => void,
): Promise<void> {
  const installation = await Installation.start({ nodes, inTurn });
  const { login, token } = installation.firstNode.server;
  const { url } = installation;
  const client = new Client({ url, login, token, journal: createJournal(), excused: [] });
  const hooks = await startHookReceiver();
  try {
    const folder = join(installation.folder, 'measured');
    const sha = await prepare(client, folder, { hook: hooks.url, nodes });
    const measured: { name: string; count: number; used: Used; seconds: number }[] = [];
    const callers = callersPerNode * nodes;
    for (const { name, count, warmUps = 3 * callersPerNode, run } of operationsOf(
      client,
      folder,
      sha,
      nodes,
    )) {
      // Each node has compiled what answers.
      const first = warmUps * nodes;
      await callAtOnce(callers, 0, first, run);
      await untilFinished(installation);
      const before = usedBy(installation);
      const started = performance.now();
      await callAtOnce(callers, first, count, run);
      // What an operation leaves to be done is its cost as well.
      await untilFinished(installation);
      const seconds = (performance.now() - started) / 1000 / count;
      const used = usedPerOperation(before, usedBy(installation), count);
      measured.push({ name, count, used, seconds });
    }
    const idle = await idleSecondOf(installation);
    for (const { name, count, used, seconds } of measured)
      report(name, count, withoutIdle(used, idle, seconds));
    report('idle second', 1, idle);
  } finally {
    client.close();
    hooks.close();
    await installation.remove();
  }
}

/** Until nothing is left of operations. */
export async function untilFinished({ postgres, data, nodes }: Installation): Promise<void> {
  const left = await leftBehind(postgres.url, [data], finishSeconds);
  if (left.length === 0) return;
  const logged = nodes.flatMap((node) =>
    faultLines(node.output()).map((line) => `${node.name} ${line}`),
  );
  throw new Error(`Operations do not end: ${[...left, ...logged].join('\n')}`);
}

async function callAtOnce(
  callers: number,
  first: number,
  count: number,
  run: (serial: number) => Promise<unknown>,
): Promise<void> {
  let serial = first;
  const call = async (): Promise<void> => {
    while (serial < first + count) {
      serial += 1;
      await run(serial - 1);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
}

/** A repository and a function for each node: load grows with the nodes, and writes of one repository run one after the other. */
function nameOf(serial: number, nodes: number): string {
  return `measured-${(serial % nodes) + 1}`;
}

/** Gives a commit that all repositories have. */
async function prepare(
  client: Client,
  folder: string,
  { hook, nodes }: { readonly hook: string; readonly nodes: number },
): Promise<string> {
  await client.ask('POST', '/user/repos', { name: 'pushed', auto_init: true }, [201]);
  await mkdir(folder);
  await git(folder, 'init', '-q', '-b', 'main', '.');
  await generateHistory(folder, history);
  await git(folder, 'reset', '-q', '--hard');
  // Each fetch takes one commit that its clone does not have.
  for (let serial = 0; serial < fetches + 3 * callersPerNode * nodesMax; serial += 1) {
    await git(folder, 'commit', '-q', '--allow-empty', '-m', `fetched ${serial}`);
    await git(folder, 'branch', `fetched-${serial}`);
    await git(folder, 'reset', '-q', '--hard', 'HEAD~1');
  }
  for (let number = 0; number < nodes; number += 1) {
    const name = nameOf(number, nodes);
    const path = `/repos/root/${name}`;
    await client.ask('POST', '/user/repos', { name }, [201]);
    await git(folder, 'push', '-q', remoteOf(client, name), '--all');
    await client.ask('POST', `${path}/issues`, { title: 'comments' }, [201]);
    const config = { url: hook, content_type: 'json' };
    await client.ask('POST', `${path}/hooks`, { config, events: ['issue_comment'] }, [201]);
    const handler = { 'index.mjs': 'export const handler = async () => 1;' };
    await client.lambda.send(new CreateFunctionCommand(functionOf(name, handler)));
    const active = await elapsed(async () => (await invokeBy(client.lambda, name)).value === 1);
    if (!Number.isFinite(active)) throw new Error('The function does not answer.');
  }
  const first = remoteOf(client, nameOf(0, nodes));
  await git(folder, 'clone', '-q', '--single-branch', '--bare', first, 'fetching.git');
  await git(folder, 'clone', '-q', remoteOf(client, 'pushed'), 'pushing');
  return git(folder, 'rev-parse', 'HEAD');
}

function remoteOf({ url, login, token }: Client, name: string): string {
  return remoteUrl(url, login, token, `root/${name}`);
}

const fetches = 40;

function operationsOf(
  client: Client,
  folder: string,
  sha: string,
  nodes: number,
): readonly Operation[] {
  const pathOf = (serial: number): string => `/repos/root/${nameOf(serial, nodes)}`;
  const get = (serial: number, query: string): Promise<unknown> =>
    client.ask('GET', `${pathOf(serial)}/commits?${query}`, undefined, [200]);
  const serially = oneAfterAnother();
  return [
    // As many at each node: with fewer, more of this short operation would be compilation.
    { name: 'GET, cached', count: 4000 * nodes, warmUps: 1500, run: (serial) => get(serial, '') },
    {
      name: 'GET, computed',
      count: 600,
      warmUps: 200,
      run: (serial) => get(serial, `per_page=30&serial=${serial}`),
    },
    {
      name: 'POST a status',
      count: 900,
      warmUps: 300,
      run: (serial) => {
        const status = { state: 'success', context: `c${serial}` };
        return client.ask('POST', `${pathOf(serial)}/statuses/${sha}`, status, [201]);
      },
    },
    {
      name: 'POST a comment, delivered',
      count: 400,
      warmUps: 150,
      run: (serial) =>
        client.ask('POST', `${pathOf(serial)}/issues/1/comments`, { body: `${serial}` }, [201]),
    },
    {
      name: 'fetch of one commit',
      count: fetches,
      run: (serial) =>
        git(join(folder, 'fetching.git'), 'fetch', '-q', 'origin', `fetched-${serial}`),
    },
    {
      name: `clone of ${history.commits} commits`,
      count: 12,
      run: (serial) =>
        git(
          folder,
          'clone',
          '-q',
          '--bare',
          remoteOf(client, nameOf(serial, nodes)),
          `clone-${serial}.git`,
        ),
    },
    {
      name: 'push of one commit',
      count: 40,
      run: (serial) => serially(() => push(join(folder, 'pushing'), serial)),
    },
    {
      name: 'Invoke',
      count: 2000 * nodes,
      warmUps: 700,
      run: (serial) => invokeBy(client.lambda, nameOf(serial, nodes)),
    },
    {
      name: 'Invoke, asynchronous',
      count: 600,
      warmUps: 200,
      run: (serial) =>
        client.lambda.send(
          new InvokeCommand({ FunctionName: nameOf(serial, nodes), InvocationType: 'Event' }),
        ),
    },
  ];
}

async function push(clone: string, serial: number): Promise<void> {
  await writeFile(join(clone, 'file'), `${serial}\n`);
  await git(clone, 'add', '-A');
  await git(clone, 'commit', '-qm', `push ${serial}`);
  await git(clone, 'push', '-q', 'origin', 'HEAD');
}

/** A clone has one work tree. */
function oneAfterAnother(): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work);
    return last;
  };
}
