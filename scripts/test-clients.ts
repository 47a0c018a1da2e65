/**
 * Runs clients that people have against a real server with TLS, each through the whole life of invitations, statuses and
 * pulls. Installs nothing: what is not here is said to be skipped. One line begins with `ok` or `FAILED` for each step.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';

import { openTestQueue } from '../functions/event-source-mappings/testing/test-queue.ts';
import { type Client, clients } from '../scenarios/clients/clients.ts';
import { Installation } from '../cluster/installation.ts';
import { rootFolder, type RunningServer, startServer } from '../scenarios/running-server.ts';

const clientsFolder = join(rootFolder, 'scenarios', 'clients');

/** Of the site administrator, for clients of the function service. */
const accessKey = { id: 'AKIACLIENTS', secret: 'a-known-secret-for-clients' };

/** Declared on the server; a queue of its own process answers for it. */
const queueArn = 'arn:aws:sqs:us-east-1:123456789012:orders';

/** Of every server. */
const serverEnvironment = {
  HOB_RATE_LIMIT_USER: '1000000',
  HOB_RATE_LIMIT_SEARCH: '1000000',
  HOB_ACCESS_KEY_ID: accessKey.id,
  HOB_SECRET_ACCESS_KEY: accessKey.secret,
  // Updates are shown for longer than a client takes to ask twice.
  HOB_FUNCTION_UPDATE_MS: '1000',
};

/** One client may take so long. */
const playMilliseconds = 180_000;

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { nodes: { type: 'string' } },
});
/** Behind HAProxy; undefined: one server without a balancer. */
const nodes = values.nodes === undefined ? undefined : Number(values.nodes);
const unknown = wanted.filter((name) => !clients.some((client) => client.name === name));
if (nodes !== undefined && ![1, 2, 3].includes(nodes)) {
  process.stderr.write('--nodes must be 1, 2 or 3.\n');
  process.exitCode = 2;
} else if (unknown.length > 0) {
  process.stderr.write(
    `There is no client ${unknown.join(', ')}. Known: ${clients.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exitCode = 2;
} else {
  process.exitCode = await testClients(
    clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
  );
}

async function testClients(chosen: readonly Client[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-clients-'));
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  try {
    const stage = await openStage(folder);
    try {
      for (const client of chosen) {
        const way = client.ways.find(({ probe }) => succeeds(probe));
        process.stdout.write(`\n${client.name}\n`);
        if (!way) {
          process.stdout.write(`skipped: it is not installed (${client.install})\n`);
          skipped += 1;
          continue;
        }
        const result = await play(way.run, { ...stage.environment, HOB_WORK: folder });
        passed += result.passed;
        failed += result.failed;
      }
    } finally {
      await stage.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} clients skipped\n`);
  return failed === 0 ? 0 : 1;
}

interface Stage {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<unknown>;
}

/** A server, or nodes behind a balancer, with HTTPS, an owner and a guest, and a queue. */
async function openStage(folder: string): Promise<Stage> {
  const queue = await openTestQueue();
  try {
    const stage = await openServer(folder, queue.url);
    return {
      environment: { ...stage.environment, QUEUE_ARN: queueArn, QUEUE_URL: queue.url },
      async close() {
        await stage.close();
        await queue.close();
      },
    };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

async function openServer(folder: string, queueUrl: string): Promise<Stage> {
  const data = join(folder, 'data');
  const program = join(rootFolder, 'hob.ts');
  await promisify(execFile)(process.execPath, [program, 'dev-cert', '--data', data]);
  const tls = join(data, 'tls');
  const resources = join(folder, 'resources.json');
  const targets = { [queueArn]: { endpoint: queueUrl } };
  await writeFile(resources, JSON.stringify({ targets }), { mode: 0o600 });
  const environment = { ...serverEnvironment, HOB_RESOURCES: resources };
  const server =
    nodes === undefined
      ? await startAlone(data, tls, environment)
      : await startBehind(nodes, tls, environment);
  const authority = join(tls, 'authority.pem');
  const user = async (login: string): Promise<string> => {
    await server.admin('create-user', login, '--email', `${login}@example.test`);
    const scopes = ['--scopes', 'repo,user,read:org,delete_repo,admin:public_key'];
    const created = await server.admin('create-token', login, ...scopes, '--json');
    const { token }: { token: string } = JSON.parse(created);
    return token;
  };
  try {
    return {
      environment: {
        // The name that the certificate and every client take for this machine.
        HOB_HOST: `localhost:${new URL(server.url).port}`,
        HOB_NODE: process.execPath,
        OWNER: 'ada',
        OWNER_TOKEN: await user('ada'),
        GUEST: 'ben',
        GUEST_TOKEN: await user('ben'),
        AWS_ACCESS_KEY_ID: accessKey.id,
        AWS_SECRET_ACCESS_KEY: accessKey.secret,
        AWS_CA_BUNDLE: authority,
        AWS_EC2_METADATA_DISABLED: 'true',
        // Go and Ruby, git, Python's requests and curl each have their own variable for it.
        SSL_CERT_FILE: authority,
        GIT_SSL_CAINFO: authority,
        REQUESTS_CA_BUNDLE: authority,
        CURL_CA_BUNDLE: authority,
        // Settings of the current user must not affect the clients.
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
      close: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

type Environment = Readonly<Record<string, string>>;

interface Stand extends Pick<RunningServer, 'url' | 'admin'> {
  stop(): Promise<unknown>;
}

function startAlone(data: string, tls: string, environment: Environment): Promise<Stand> {
  const [certificate, key] = identityIn(tls);
  const flags = [`--tls-cert=${certificate}`, `--tls-key=${key}`, '--ssh-port=0'];
  return startServer(data, { flags, environment });
}

/** The clients speak TLS with HAProxy, which sends each request, and each connection of SSH, to the next node. */
async function startBehind(count: number, tls: string, environment: Environment): Promise<Stand> {
  const parts = await Promise.all(identityIn(tls).map((file) => readFile(file, 'utf8')));
  const certificate = join(tls, 'balancer.pem');
  await writeFile(certificate, parts.join('\n'), { mode: 0o600 });
  const installation = await Installation.start({
    nodes: count,
    certificate,
    ssh: true,
    environment,
  });
  const { url, firstNode } = installation;
  return {
    url,
    admin: (...args) => firstNode.server.admin(...args),
    stop: () => installation.remove(),
  };
}

function identityIn(tls: string): [certificate: string, key: string] {
  return [join(tls, 'certificate.pem'), join(tls, 'key.pem')];
}

function succeeds([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** A script that ends badly without a failed step counts as one failure. */
async function play(
  [command = '', script = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ passed: number; failed: number }> {
  const child = spawn(command, [join(clientsFolder, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...environment },
    timeout: playMilliseconds,
  });
  let passed = 0;
  let failed = 0;
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    if (line.startsWith('ok ')) passed += 1;
    if (line.startsWith('FAILED ')) failed += 1;
  }
  const [status] = await ended;
  if (status === 0 || failed > 0) return { passed, failed };
  process.stdout.write(`FAILED ${script} ended with ${String(status ?? 'a signal')}\n`);
  return { passed, failed: 1 };
}
