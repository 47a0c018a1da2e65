/** Push, and the check is there: from the acknowledgement of a push until the status that a function sets for it is visible. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { CreateFunctionCommand, waitUntilFunctionActiveV2 } from '@aws-sdk/client-lambda';

import { clientOf, functionEnvironment, functionOf } from '../scenarios/function-service.ts';
import { generateHistory } from '../scenarios/generated-history.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import { type ApiResponse, api, openUrl, webhookSecret } from '../scenarios/push-to-status.ts';
import { type RunningServer, startServer } from '../scenarios/running-server.ts';
import { makeBranches } from './filling.ts';
import { isQuiet } from './machine.ts';
import { folder, progress } from './server-under-test.ts';
import type { Table } from './table.ts';

const pushes = 200;
const warmUps = 10;
const intervalMilliseconds = 200;
/** A status that takes longer counts as lost. */
const patienceMilliseconds = 10_000;

/** What a tutorial has: checks the signature, and answers with a status. When it began is in the description. */
const handler = `
import { createHmac, timingSafeEqual } from 'node:crypto';
const { WEBHOOK_SECRET, GITHUB_TOKEN } = process.env;
export const handler = async ({ headers, body }) => {
  const began = Date.now();
  const expected = 'sha256=' + createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
  const signed = headers['x-hub-signature-256'] ?? '';
  if (signed.length !== expected.length || !timingSafeEqual(Buffer.from(signed), Buffer.from(expected)))
    return { statusCode: 401 };
  const { after, repository } = JSON.parse(body);
  if (!after) return { statusCode: 204 };
  const answer = await fetch(repository.statuses_url.replace('{sha}', after), {
    method: 'POST',
    headers: { authorization: 'token ' + GITHUB_TOKEN, 'user-agent': 'gate' },
    body: JSON.stringify({ state: 'success', context: 'pair', description: String(began) }),
  });
  return { statusCode: answer.status };
};`;

export async function measurePair(table: Table): Promise<void> {
  const wasQuiet = await isQuiet();
  progress('a server with a function as its webhook');
  const rounds: Round[] = [];
  const server = await startServer(join(folder, 'pair-data'), {
    environment: {
      ...functionEnvironment,
      HOB_RATE_LIMIT_USER: '1000000000',
    },
  });
  try {
    const work = await prepare(server);
    const started = performance.now();
    const running: Promise<void>[] = [];
    for (let number = 0; number < pushes + warmUps; number += 1) {
      await delay(Math.max(0, started + number * intervalMilliseconds - performance.now()));
      if (number % 25 === 0) progress(`${number} of ${pushes + warmUps} pushes`);
      const push = measurePush(server, work, `p${number}`);
      running.push(push.then((round) => void (number >= warmUps && rounds.push(round))));
    }
    await Promise.all(running);
  } finally {
    await server.stop();
  }
  report(table, rounds, wasQuiet && (await isQuiet()));
}

interface Round {
  /** From the acknowledgement of the push to the start of the function; less than 0 if the function was faster. */
  readonly started: number;
  /** From there until the status is visible. */
  readonly answered: number;
  readonly all: number;
}

/** A repository with a branch for each push, and a function that its webhook calls. */
async function prepare(server: RunningServer): Promise<string> {
  const work = join(folder, 'pair');
  await git(folder, 'init', '-q', '-b', 'main', work);
  await generateHistory(work, { commits: 100, files: 200 });
  const names = Array.from({ length: pushes + warmUps }, (_, index) => `p${index}`);
  await makeBranches(work, names);
  await request(server, 'POST', '/user/repos', { name: 'pair' });
  const fullName = `${server.login}/pair`;
  const remote = remoteUrl(server.url, server.login, server.token, fullName);
  await git(work, 'remote', 'add', 'origin', remote);
  await git(work, 'push', '-q', 'origin', 'main');
  const url = await makeFunction(server);
  const config = { url, content_type: 'json', secret: webhookSecret };
  await request(server, 'POST', `/repos/${fullName}/hooks`, { config, events: ['push'] });
  return work;
}

async function makeFunction(server: RunningServer): Promise<string> {
  const client = clientOf(server.url);
  const FunctionName = 'gate';
  const Environment = { Variables: { WEBHOOK_SECRET: webhookSecret, GITHUB_TOKEN: server.token } };
  const files = { 'index.mjs': handler };
  await client.send(new CreateFunctionCommand(functionOf(FunctionName, files, { Environment })));
  await waitUntilFunctionActiveV2({ client, maxWaitTime: 60, minDelay: 0.05 }, { FunctionName });
  const url = await openUrl(client, FunctionName);
  client.destroy();
  return url;
}

async function measurePush(server: RunningServer, work: string, branch: string): Promise<Round> {
  const sha = await git(work, 'rev-parse', branch);
  await git(work, 'push', '-q', 'origin', branch);
  const acknowledged = Date.now();
  for (;;) {
    const path = `/repos/${server.login}/pair/commits/${sha}/statuses`;
    const [status] = await request(server, 'GET', path);
    const visible = Date.now();
    if (status) {
      const began = Number(status.description);
      return {
        started: began - acknowledged,
        answered: visible - began,
        all: visible - acknowledged,
      };
    }
    if (visible - acknowledged > patienceMilliseconds) throw new Error(`No status for ${branch}.`);
    await delay(1);
  }
}

/** The run fails beyond its aims; on a machine that others use as well, the median may be twice its aim. */
function report(table: Table, rounds: readonly Round[], quiet: boolean): void {
  if (!quiet) table.say('Other programs used the processors: a median of up to 50 ms passes.');
  for (const [name, of, limited] of [
    ['push acknowledged to status visible', ({ all }: Round) => all, true],
    ['  to the start of the function', ({ started }: Round) => started, false],
    ['  from there to the status', ({ answered }: Round) => answered, false],
  ] as const) {
    const sorted = rounds.map(of).toSorted((one, other) => one - other);
    const row = (percent: number, aim: number, most: number): void => {
      const value = sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
      const label = `${name}, p${percent}`;
      if (limited) table.add(label, value, 'ms', `at most ${aim}`, most);
      else table.add(label, value, 'ms', '');
    };
    row(50, 25, quiet ? 25 : 50);
    row(99, 100, 100);
  }
}

async function request(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse['body']> {
  const response = await api(server, method, path, body);
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}`);
  return response.body;
}
