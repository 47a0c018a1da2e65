/** The command-line client: what each command costs before and after it does its work. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { rootFolder } from '../scenarios/running-server.ts';
import { folder, progress, timed } from './server-under-test.ts';
import { median, type Table } from './table.ts';

const run = promisify(execFile);
const rounds = 15;

const hob = join(rootFolder, 'hob');
const built = join(rootFolder, 'dist', 'hob-client');
/** Debian's where it is, else whatever is called so. */
const vendors = existsSync('/usr/bin/aws') ? '/usr/bin/aws' : 'aws';

const update =
  'update-function-configuration --function-name greet --timeout 30 --environment Variables={GREETING=Hello} --region us-east-1'.split(
    ' ',
  );

/** All in turn, round by round, so that whatever else the machine does falls on each of them. */
export async function measureClient(table: Table): Promise<void> {
  progress('client');
  const vendor = await vendorVersion();
  const stub = await startStub();
  const sent = [...update, '--endpoint-url', stub.url];
  const commands: Record<string, readonly [string, ...string[]]> = {
    bare: [process.execPath, '-e', '0'],
    version: [hob, '--version'],
    update: [hob, 'functions', ...sent],
    ...(existsSync(built) && {
      builtVersion: [built, '--version'],
      builtUpdate: [built, 'functions', ...sent],
    }),
    ...(vendor !== undefined && { vendor: [vendors, 'lambda', ...sent] }),
  };
  try {
    const times = await timesOf(commands);
    report(table, times, vendor);
  } finally {
    stub.end();
  }
}

function report(
  table: Table,
  times: ReadonlyMap<string, number>,
  vendor: string | undefined,
): void {
  const of = (name: string): number => times.get(name) ?? Number.NaN;
  const shown = (name: string): string => `${of(name).toFixed(0)} ms`;
  const bare = `against bare Node (${shown('bare')})`;
  table.add(`hob --version ${bare}`, of('version') / of('bare'), 'times its time', 'at most 2');
  table.add('hob functions update-…, a stub answers', of('update'), 'ms', 'at most 60');
  if (times.has('builtVersion')) {
    table.add('one file: --version', of('builtVersion'), 'ms', 'at most 25');
    table.add('one file: update-…', of('builtUpdate'), 'ms', '');
  } else table.say('one file: not built (npm run build)');
  if (vendor === undefined) return table.say('aws: not installed (apt-get install awscli)');
  const slower = (name: string): number => of('vendor') / of(name);
  table.add(
    `${vendor}: the same (${shown('vendor')})`,
    slower('update'),
    "times hob's time",
    'at least 10',
  );
  if (times.has('builtUpdate'))
    table.add(`${vendor}: against one file`, slower('builtUpdate'), 'times its time', '');
}

async function timesOf(
  commands: Readonly<Record<string, readonly [string, ...string[]]>>,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>();
  // The first round fills caches, ours and the system's, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, [command, ...args]] of Object.entries(commands)) {
      const time = await timed(() => run(command, args, { env: environment }));
      if (round > 0) times.set(name, [...(times.get(name) ?? []), time]);
    }
  }
  return new Map([...times].map(([name, each]) => [name, median(each)]));
}

/** No profile is read. */
const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: folder,
  AWS_ACCESS_KEY_ID: 'AKIABENCH',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_PAGER: '',
};

/** `aws-cli/2.31.4`; undefined where there is none. */
async function vendorVersion(): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await run(vendors, ['--version'], { env: environment });
    return /aws-cli\/\S+/.exec(stdout + stderr)?.[0];
  } catch {
    return undefined;
  }
}

interface Stub {
  readonly url: string;
  end(): void;
}

/** A service that has nothing to do. */
async function startStub(): Promise<Stub> {
  const record = JSON.stringify({
    FunctionName: 'greet',
    Runtime: 'nodejs24.x',
    Timeout: 30,
    Environment: { Variables: { GREETING: 'Hello' } },
    State: 'Active',
    LastUpdateStatus: 'InProgress',
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(record);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, end: () => server.close() };
}
