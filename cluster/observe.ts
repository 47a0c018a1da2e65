import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import {
  GetDurableExecutionCommand,
  GetDurableExecutionHistoryCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ListVersionsByFunctionCommand,
} from '@aws-sdk/client-lambda';

import { invokeBy } from '../scenarios/function-service.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import type { Client } from './client.ts';
import { movedRefs } from './forge-clients.ts';
import { isActive, roundOf } from './function-clients.ts';
import type { HookReceiver } from './hook-receiver.ts';
import type { Installation } from './installation.ts';
import type { Journal } from './journal.ts';
import { bareRepositories, leftBehind } from './left-behind.ts';
import type { Observed, ObservedExecution, ObservedFunction, ObservedPull } from './observed.ts';

const run = promisify(execFile);

/** For how long unfinished work may last once no client sends requests. */
const finishSeconds = 30;

export interface ObserveOptions {
  readonly installation: Installation;
  readonly client: Client;
  /** `OWNER/NAME`. */
  readonly repository: string;
  readonly hooks: HookReceiver;
  readonly journal: Journal;
}

/** Reads everything that clients wrote, once nothing is under way any more. */
export async function observe(options: ObserveOptions): Promise<Observed> {
  const { installation, client, repository, hooks, journal } = options;
  const left = await leftBehind(
    installation.postgres.url,
    installation.repositoryFolders,
    finishSeconds,
  );
  const mirror = await mirrorOf(installation.folder, client, repository);
  const path = `/repos/${repository}`;
  // The first commit, on which statuses are set.
  const [root = ''] = (await git(mirror.folder, 'rev-list', '--max-parents=0', 'main')).split('\n');
  return {
    statuses: await all(client, `${path}/commits/${root}/statuses?`),
    comments: await all(client, `${path}/issues/1/comments?`),
    repositories: (await all(client, '/user/repos?')).map(({ name }) => name),
    refs: mirror.refs,
    histories: await historiesOf(mirror.folder),
    base: await baseOf(mirror.folder),
    pulls: (await all(client, `${path}/pulls?state=all`)).map(pullOf),
    functions: await functionsOf(client.lambda, journal),
    versions: await versionsOf(client.lambda, journal),
    handled: await handledIn(join(installation.folder, 'done')),
    deliveries: hooks.deliveries,
    executions: await executionsOf(client.lambda, journal),
    leftBehind: left,
    damage: await damageIn(installation.repositoryFolders),
  };
}

async function mirrorOf(folder: string, { url, login, token }: Client, repository: string) {
  const mirror = join(folder, 'mirror.git');
  await mkdir(mirror);
  await git(mirror, 'clone', '-q', '--mirror', remoteUrl(url, login, token, repository), '.');
  const lines = await git(mirror, 'for-each-ref', '--format=%(refname) %(objectname)');
  const pairs = lines.split('\n').map((line) => line.split(' '));
  return { folder: mirror, refs: new Map(pairs.map(([ref = '', sha = '']) => [ref, sha])) };
}

async function historiesOf(mirror: string): Promise<Map<string, readonly string[]>> {
  const histories = new Map<string, readonly string[]>();
  for (const ref of movedRefs) {
    const commits = await git(mirror, 'rev-list', '--first-parent', ref).catch(() => '');
    histories.set(ref, commits.split('\n'));
  }
  return histories;
}

async function baseOf(mirror: string): Promise<Observed['base']> {
  const lines = await git(mirror, 'log', '--first-parent', '--format=%H %s', 'refs/heads/main');
  return lines.split('\n').map((line) => {
    const [sha = '', ...rest] = line.split(' ');
    return { sha, subject: rest.join(' ') };
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- items of every shape
async function all(client: Client, path: string): Promise<any[]> {
  const items: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await client.send('GET', `${path}&per_page=100&page=${page}`);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}.`);
    items.push(...body);
    if (body.length < 100) return items;
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- as the API describes it
function pullOf(pull: any): ObservedPull {
  return {
    number: pull.number,
    title: pull.title,
    open: pull.state === 'open',
    headRef: pull.head.ref,
    headSha: pull.head.sha,
    mergeSha: pull.merged_at === null ? undefined : pull.merge_commit_sha,
  };
}

async function functionsOf(
  lambda: LambdaClient,
  { updates }: Journal,
): Promise<Map<string, ObservedFunction>> {
  const functions = new Map<string, ObservedFunction>();
  for (const name of updates.keys()) {
    const now = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    const { value } = await invokeBy(lambda, name);
    functions.set(name, { round: roundOf(now), answered: value, active: isActive(now) });
  }
  return functions;
}

async function versionsOf(
  lambda: LambdaClient,
  { updates }: Journal,
): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const name of updates.keys()) {
    let marker: string | undefined;
    do {
      const page = await lambda.send(
        new ListVersionsByFunctionCommand({ FunctionName: name, Marker: marker }),
      );
      for (const version of page.Versions ?? []) {
        versions.set(`${name}:${version.Version}`, roundOf(version));
      }
      marker = page.NextMarker;
    } while (marker !== undefined);
  }
  return versions;
}

/** Messages to the destination of successful events. */
async function handledIn(folder: string): Promise<Observed['handled']> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  return Promise.all(
    names.map(async (name) => {
      const { body } = JSON.parse(await readFile(join(folder, name), 'utf8'));
      return JSON.parse(body).responsePayload;
    }),
  );
}

async function executionsOf(
  lambda: LambdaClient,
  journal: Journal,
): Promise<Map<string, ObservedExecution>> {
  const executions = new Map<string, ObservedExecution>();
  for (const DurableExecutionArn of journal.executions) {
    const { Status = '', Result = '[]' } = await lambda.send(
      new GetDurableExecutionCommand({ DurableExecutionArn }),
    );
    const { Events = [] } = await lambda.send(
      new GetDurableExecutionHistoryCommand({ DurableExecutionArn }),
    );
    const steps = Events.flatMap(({ StepSucceededDetails: details }) =>
      details?.Result?.Payload === undefined ? [] : [JSON.parse(details.Result.Payload)],
    );
    executions.set(DurableExecutionArn, {
      status: Status,
      returned: JSON.parse(Result),
      checkpointed: steps,
    });
  }
  return executions;
}

async function damageIn(folders: readonly string[]): Promise<string[]> {
  const damage: string[] = [];
  for (const repository of (await Promise.all(folders.map(bareRepositories))).flat()) {
    const args = ['--git-dir', repository, 'fsck', '--connectivity-only', '--no-dangling'];
    await run('git', ['-c', 'safe.directory=*', ...args]).catch((error: unknown) => {
      damage.push(`${repository}: ${String(Object(error).stderr)}`);
    });
  }
  return damage;
}
