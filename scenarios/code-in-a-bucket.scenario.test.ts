import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  LambdaClient,
  ServiceException,
  UpdateFunctionCodeCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { type S3Server, startS3Server } from '#functions/code/testing/s3-server.ts';
import { insertClaim, markClaim } from '#functions/code/archives/claim-store.ts';
import { zipOf } from '#functions/code/testing/zip-of.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { errorCode } from '#platform/error-code.ts';
import { createLog } from '#platform/log.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { takeLease } from '../commands/serve/nodes/lease-store.ts';
import { rendezvous } from '../commands/serve/nodes/rendezvous.ts';
import { descendants } from '../faults/host.ts';
import { freePort } from '../faults/server-under-test.ts';
import { migrationsFolder } from '../program-files.ts';
import { endWithThisProcess } from './child-processes.ts';
import { accessKey, functionEnvironment, functionOf, invokeBy } from './function-service.ts';
import { until } from './patience.ts';
import {
  databaseOf,
  emptyDatabaseOf,
  removeFolder,
  rootFolder,
  type RunningServer,
  startServer,
} from './running-server.ts';

const patience = { maxWaitTime: 60, minDelay: 0.1, maxDelay: 0.5 };
const programOf = (text: string): Record<string, string> => ({
  'index.mjs': `export const handler = async () => ({ text: '${text}', environment: process.env });`,
});

function clientOf(url: string): LambdaClient {
  // A refusal is to be seen, not repeated until another answer comes.
  const options = { region: 'us-east-1', credentials: accessKey, maxAttempts: 1 };
  return new LambdaClient({ ...options, endpoint: url });
}

function settingsOf({ location }: S3Server): Record<string, string> {
  return {
    ...functionEnvironment,
    HOB_CODE: `s3://${location.bucket}/${location.prefix}`,
    HOB_CODE_ENDPOINT: location.endpoint ?? '',
    HOB_CODE_ACCESS_KEY_ID: location.key?.id ?? '',
    HOB_CODE_SECRET_ACCESS_KEY: location.key?.secret ?? '',
    // As in a shell in which the README was followed.
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_REGION: 'eu-north-1',
    AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
  };
}

async function create(client: LambdaClient, name: string, text: string): Promise<void> {
  await client.send(new CreateFunctionCommand(functionOf(name, programOf(text))));
  await waitUntilFunctionActiveV2({ client, ...patience }, { FunctionName: name });
}

const archivesIn = ({ objects }: S3Server): number =>
  [...objects.keys()].filter((name) => name.endsWith('.zip')).length;

function unavailable(error: unknown): true {
  assert.ok(error instanceof ServiceException, String(error));
  assert.equal(error.$metadata.httpStatusCode, 503);
  assert.match(error.message, /^The store of code archives is unavailable/);
  return true;
}

describe('code of a server in a bucket', { timeout: 120_000 }, () => {
  let folder: string;
  let store: S3Server;
  let server: RunningServer;
  let client: LambdaClient;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-bucket-'));
    store = await startS3Server();
    server = await startServer(join(folder, 'data'), { environment: settingsOf(store) });
    client = clientOf(server.url);
    await create(client, 'greet', 'hello');
  });
  after(async () => {
    client.destroy();
    await server.kill();
    await store.close();
    await removeFolder(folder);
  });

  async function run(...args: readonly string[]): Promise<string> {
    const child = server.start(...args);
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => output.push(chunk));
    const [code] = await once(child, 'close');
    return `${code}: ${Buffer.concat(output).toString()}`;
  }

  test('is run, and downloaded', async () => {
    assert.equal(archivesIn(store), 1);
    assert.equal((await invokeBy(client, 'greet')).value.text, 'hello');
    const { Code } = await client.send(new GetFunctionCommand({ FunctionName: 'greet' }));
    const archive = await fetch(Code?.Location ?? '');
    assert.equal(archive.status, 200);
    assert.equal(
      Buffer.from(await archive.arrayBuffer())
        .subarray(0, 2)
        .toString(),
      'PK',
    );
  });

  test('needs credentials that functions, and programs that the server starts, never have', async () => {
    const { secret = '' } = store.location.key ?? {};
    const { environment } = (await invokeBy(client, 'greet')).value;
    assert.equal(JSON.stringify(environment).includes(secret), false);
    assert.ok((await readFile(`/proc/${server.pid}/environ`, 'utf8')).includes(secret));
    const others = descendants(server.pid);
    assert.ok(others.length > 0);
    for (const pid of others) {
      const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch((error: unknown) => {
        // It has ended since.
        if (!['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) throw error;
        return '';
      });
      assert.equal(text.includes(secret), false, String(pid));
      assert.equal(/(?:^|\0)HOB_CODE/.test(text), false, String(pid));
    }
  });

  test('is in a backup, and a restored server runs it without the bucket', async () => {
    const backup = join(folder, 'backup');
    assert.match(await run('backup', backup, '--data', join(folder, 'data')), /^0: [^]*Saved/);
    const without = promisify(execFile)(
      process.execPath,
      ['hob.ts', 'backup', join(folder, 'without'), '--data', join(folder, 'data')],
      { cwd: rootFolder, env: { ...process.env, ...(await databaseOf(join(folder, 'data'))) } },
    );
    await assert.rejects(without, /The code of functions is in s3:.*run the backup with HOB_CODE/);
    const archives = await readdir(join(backup, 'data', 'functions', 'archives'));
    assert.equal(archives.length, 1);
    const restored = join(folder, 'restored');
    const postgres = testPostgresUrl === undefined ? {} : await emptyDatabaseOf(restored);
    const database = postgres['DATABASE_URL'];
    const flags = database === undefined ? [] : ['--database', database];
    assert.match(await run('restore', backup, '--data', restored, ...flags), /^0: [^]*Restored/);
    const second = await startServer(restored, { environment: functionEnvironment });
    const other = clientOf(second.url);
    try {
      assert.equal((await invokeBy(other, 'greet')).value.text, 'hello');
      const { Code } = await other.send(new GetFunctionCommand({ FunctionName: 'greet' }));
      assert.equal((await fetch(Code?.Location ?? '')).status, 200);
    } finally {
      other.destroy();
      assert.equal(await second.stop(), 0, second.output());
    }
    // The bucket is still that of the first server.
    const third = startServer(restored, { environment: settingsOf(store) });
    await assert.rejects(third, /has the code of another installation/);
  });

  test('that does not answer leaves what is unpacked running, and refuses the rest for now', async () => {
    store.fault = (_request, response) => {
      response.destroy();
      return true;
    };
    const again = { FunctionName: 'greet', ZipFile: zipOf(programOf('again')) };
    try {
      assert.equal((await invokeBy(client, 'greet')).value.text, 'hello');
      const created = new CreateFunctionCommand(functionOf('later', programOf('later')));
      await assert.rejects(client.send(created), unavailable);
      await assert.rejects(client.send(new UpdateFunctionCodeCommand(again)), unavailable);
      assert.equal((await invokeBy(client, 'greet')).value.text, 'hello');
    } finally {
      store.fault = undefined;
    }
    await create(client, 'later', 'later');
    await client.send(new UpdateFunctionCodeCommand(again));
    await waitUntilFunctionUpdatedV2({ client, ...patience }, { FunctionName: 'greet' });
    assert.equal((await invokeBy(client, 'greet')).value.text, 'again');
    assert.equal(archivesIn(store), 3);
  });
});

const skip = testPostgresUrl === undefined ? 'is of PostgreSQL' : false;

describe('code of two servers in a bucket', { skip, timeout: 180_000 }, () => {
  let folder: string;
  let store: S3Server;
  let environment: Record<string, string>;
  const running = new Map<string, Node>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-bucket-'));
    store = await startS3Server();
    environment = {
      ...settingsOf(store),
      ...(await databaseOf(folder)),
      HOB_NODE_ADDRESS: '127.0.0.1:0',
      HOB_CLUSTER_DATA: join(folder, 'shared'),
      HOB_BASE_URL: 'http://code.test',
    };
    await mkdir(join(folder, 'shared'));
    const { HOB_CODE: _, ...former } = environment;
    for (const name of [
      'HOB_CODE_ENDPOINT',
      'HOB_CODE_ACCESS_KEY_ID',
      'HOB_CODE_SECRET_ACCESS_KEY',
    ])
      delete former[name];
    const { server, client } = await start('a', former);
    await create(client, 'former', 'former');
    client.destroy();
    await assert.rejects(start('b'), /runs without HOB_CODE/);
    assert.equal(await server.stop(), 0, server.output());
    assert.equal(archivesIn(store), 0);
    // What a server leaves that is killed during an upload.
    const upload = join(folder, 'shared', 'functions', 'code', 'new-AbC123');
    await mkdir(upload, { recursive: true });
    await writeFile(join(upload, 'archive.zip'), 'part');
    await Promise.all([start('a'), start('b')]);
    assert.equal(archivesIn(store), 1);
    assert.equal((await invokeBy(node('b').client, 'former')).value.text, 'former');
  });
  after(async () => {
    for (const { server, client } of running.values()) {
      client.destroy();
      await server.kill();
    }
    await store.close();
    await removeFolder(folder);
  });

  interface Node {
    readonly serverId: string;
    readonly server: RunningServer;
    readonly client: LambdaClient;
  }

  async function start(name: string, settings = environment): Promise<Node> {
    const data = join(folder, name);
    const port = await freePort();
    const server = await startServer(data, { environment: settings, port });
    const client = clientOf(`http://127.0.0.1:${port}`);
    const serverId = (await readFile(join(data, 'server-id'), 'utf8')).trim();
    const node = { serverId, server, client };
    running.set(name, node);
    return node;
  }

  const node = (name: string): Node => running.get(name) ?? assert.fail(`${name} does not run.`);

  /** Whose home is the server. */
  function functionAt(home: string): string {
    for (let number = 0; ; number += 1) {
      const name = `of-${home}-${number}`;
      if (rendezvous(`123456789012 ${name}`, [...running.values()]) === node(home)) return name;
    }
  }

  const unpacked = async (name: string): Promise<string[]> =>
    (await readdir(join(folder, name, 'functions', 'code'))).toSorted();

  test('is created at one server and runs at the other', async () => {
    const FunctionName = functionAt('a');
    await create(node('a').client, FunctionName, 'first');
    assert.equal((await invokeBy(node('b').client, FunctionName)).value.text, 'first');
    const update = { FunctionName, ZipFile: zipOf(programOf('second')) };
    await node('b').client.send(new UpdateFunctionCodeCommand(update));
    const { client } = node('a');
    await waitUntilFunctionUpdatedV2({ client, ...patience }, { FunctionName });
    assert.equal((await invokeBy(client, FunctionName)).value.text, 'second');
    // Nothing of it has been on the second server, and nothing is left in the shared folder.
    const unpackedBefore = await unpacked('b');
    assert.deepEqual(await readdir(join(folder, 'shared', 'functions', 'archives')), []);
    assert.equal(archivesIn(store), 3);

    client.destroy();
    await node('a').server.kill();
    running.delete('a');
    // The other one gets it, and a store that does not answer.
    store.fault = (_request, response) => {
      response.destroy();
      return true;
    };
    await until(
      async () => {
        const answer = await invokeBy(node('b').client, FunctionName).catch(
          (error: unknown) => error,
        );
        assert.ok(answer instanceof ServiceException, JSON.stringify(answer));
        assert.equal(answer.$metadata.httpStatusCode, 503);
        return answer.message.startsWith('The store of code archives') || undefined;
      },
      { seconds: 60 },
    );
    store.fault = undefined;
    const value = await until(
      async () => {
        try {
          return (await invokeBy(node('b').client, FunctionName)).value;
        } catch (error) {
          // Until the lease of the other one is over.
          assert.ok(error instanceof ServiceException, String(error));
          assert.equal(error.$metadata.httpStatusCode, 503);
          return undefined;
        }
      },
      { seconds: 60 },
    );
    assert.equal(value.text, 'second');
    assert.equal((await unpacked('b')).length, unpackedBefore.length + 1);

    await start('a');
    await node('a').client.send(new DeleteFunctionCommand({ FunctionName }));
    await assert.rejects(node('b').client.send(new GetFunctionCommand({ FunctionName })), {
      name: 'ResourceNotFoundException',
    });
  });

  test('that is gone from it is an error of the server, which its log explains', async () => {
    const FunctionName = functionAt('a');
    await create(node('a').client, FunctionName, 'lost');
    const { client, server } = node('a');
    client.destroy();
    await server.kill();
    running.delete('a');
    store.objects.clear();
    const error = await until(
      async () => {
        const answer = await invokeBy(node('b').client, FunctionName).catch(
          (fault: unknown) => fault,
        );
        assert.ok(answer instanceof ServiceException, JSON.stringify(answer));
        return answer.$metadata.httpStatusCode === 503 ? undefined : answer;
      },
      { seconds: 60 },
    );
    assert.equal(error.$metadata.httpStatusCode, 500);
    assert.match(error.message, /^The archive of this code cannot be read\. See the server log\.$/);
    assert.match(node('b').server.output(), /The archive [0-9a-f]{64} is missing from the store/);
  });

  test('is not started by a server that names no bucket, or another one', async () => {
    const program = promisify(execFile);
    const started = (changes: Record<string, string>): Promise<unknown> =>
      program(process.execPath, ['hob.ts', 'serve', '--data', join(folder, 'c'), '--port', '0'], {
        cwd: rootFolder,
        env: { ...process.env, ...environment, ...changes },
      });
    const without = { HOB_CODE: '', HOB_CODE_ENDPOINT: '', HOB_CODE_ACCESS_KEY_ID: '' };
    await assert.rejects(
      started({ ...without, HOB_CODE_SECRET_ACCESS_KEY: '' }),
      (error: Error) => {
        assert.match(
          error.message,
          /The code of functions is in s3:\/\/code\/hob\/ at \S+: set HOB_CODE/,
        );
        return true;
      },
    );
    await assert.rejects(started({ HOB_CODE: 's3://code/other' }), (error: Error) => {
      assert.match(
        error.message,
        /The server ".+" runs with the code in s3:\/\/code\/hob\/ at http/,
      );
      return true;
    });
  });
});

describe(
  'a node that looked for a store before another one claimed it',
  { skip, timeout: 60_000 },
  () => {
    test('does not run without HOB_CODE once it has joined', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hob-bucket-'));
      const settings = await databaseOf(folder);
      const log = createLog('silent');
      const database = await openDatabase(settings['DATABASE_URL'] ?? '', {
        migrationsFolder,
        log,
      });
      try {
        // It waits for this one, between its look and its joining.
        await database.write(async (sql) => {
          await takeLease(sql, { serverId: 'alone', name: 'alone.test' });
          await sql.run('update nodes set lease_until = lease_until + 60000');
        });
        await mkdir(join(folder, 'shared'));
        const args = ['hob.ts', 'serve', '--data', join(folder, 'a'), '--port', '0'];
        const env = {
          ...process.env,
          ...functionEnvironment,
          ...settings,
          HOB_NODE_ADDRESS: '127.0.0.1:0',
          HOB_CLUSTER_DATA: join(folder, 'shared'),
          HOB_BASE_URL: 'http://code.test',
        };
        const child = spawn(process.execPath, args, { cwd: rootFolder, env });
        endWithThisProcess(child);
        const closed = once(child, 'close');
        let output = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
        const waits = (): true | undefined =>
          output.includes('waiting for a lease to end') || undefined;
        await until(waits, { seconds: 30 }).catch((cause: unknown) => {
          throw new Error(output, { cause });
        });
        await database.write(async (sql) => {
          await insertClaim(sql, 'key', '/store');
          await markClaim(sql, 'key', '/store');
          await sql.run("update nodes set lease_until = 0 where server_id = 'alone'");
        });
        const [code] = await closed;
        assert.equal(code, 1, output);
        assert.match(output, /The code of functions is in \/store: set HOB_CODE/);
      } finally {
        await database.close();
        await removeFolder(folder);
      }
    });
  },
);
