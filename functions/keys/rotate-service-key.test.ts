import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';
import { migrationsFolder } from '#platform/testing/test-postgres.ts';

import { createAccessKey } from '../access-keys/administer-access-keys.ts';
import { createCredentials } from '../access-keys/find-credential.ts';
import { createSessionTokens } from '../access-keys/session-tokens.ts';
import {
  declarationContext,
  listResources,
  storeResource,
} from '../added-resources/added-resource-store.ts';
import { sealedColumns } from '../persistent-parts.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createKey } from './administer-keys.ts';
import type { AccountRegion } from '../model/function-name.ts';
import { keyArn } from './key.ts';
import { createKeyRing } from './key-ring.ts';
import { type RotationStep, rotateServiceKey } from './rotate-service-key.ts';
import { unseal } from './seal.ts';
import { keyOf, openServiceKey, type ServiceKey } from './service-key.ts';
import { readKeyFile } from './service-key-file.ts';

const accountRegion: AccountRegion = { region: 'us-east-1', accountId: '123456789012' };
const steps: readonly RotationStep[] = [
  'key-made',
  'announced',
  'some-sealed',
  'switched',
  'replaced',
];

const subnet = { kind: 'subnet', name: 'subnet-1' } as const;

/** The process ends here. */
class Killed extends Error {}

describe('a change of the service key', () => {
  let folder = '';
  let database: Database;
  let userId = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-rotation-'));
    database = await openTestDatabase();
    const row = await database.write((sql) =>
      sql.get<{ id: number }>(
        `insert into accounts (kind, login, login_key, site_admin, created_at, updated_at)
         values ('user', 'ada', 'ada', 1, 0, 0) returning id`,
      ),
    );
    userId = row?.id ?? assert.fail();
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const ports = () => ({ database, clock: systemClock, random: systemRandom, folder });
  const keyring = (serviceKey: ServiceKey) =>
    createKeyRing({ ...ports(), serviceKey, accountRegion });

  /** Something of every kind that the service key seals. */
  async function sealSomething(serviceKey: ServiceKey) {
    const all = { ...ports(), serviceKey };
    const pair = await createAccessKey(all, userId);
    const arn = keyArn(accountRegion, (await createKey({ ...all, accountRegion }, '')).id);
    const ofRing = await keyring(serviceKey).encrypt(Buffer.from('of the ring'), arn, 'f');
    const declared = serviceKey.seal(Buffer.from('10.0.0.0/8'), declarationContext(subnet));
    await database.write((sql) =>
      storeResource(sql, { ...subnet, sealedDeclaration: declared }, 0),
    );
    return { pair, ofRing: ofRing.kind === 'encrypted' ? ofRing.sealed : assert.fail() };
  }

  async function assertReadable(stored: Awaited<ReturnType<typeof sealSomething>>): Promise<void> {
    const serviceKey = await openServiceKey(ports());
    const credentials = createCredentials({
      database,
      serviceKey,
      sessionTokens: createSessionTokens({ ...ports(), serviceKey }),
      accountId: accountRegion.accountId,
    });
    const found = await credentials.find(stored.pair.accessKeyId, undefined);
    assert.equal(found?.secret(), stored.pair.secretAccessKey);
    const opened = await keyring(serviceKey).decrypt(stored.ofRing, 'f');
    assert.equal(
      opened.kind === 'decrypted' && Buffer.from(opened.plain).toString(),
      'of the ring',
    );
    const [declared] = await database.read(listResources);
    assert.ok(declared);
    const declaration = serviceKey.unseal(declared.sealedDeclaration, declarationContext(subnet));
    assert.equal(Buffer.from(declaration ?? []).toString(), '10.0.0.0/8');
    // What is sealed now is of use too.
    await createAccessKey({ ...ports(), serviceKey }, userId);
  }

  const rotate = (dieAt?: RotationStep) =>
    rotateServiceKey(ports(), sealedColumns, async (step) => {
      if (step === dieAt) throw new Killed();
    });

  for (const step of steps) {
    it(`that is killed after the step “${step}” leaves everything readable, and is finished`, async () => {
      const stored = await sealSomething(await openServiceKey(ports()));
      const old = (await readKeyFile(join(folder, 'service-key'))) ?? assert.fail();
      await assert.rejects(rotate(step), Killed);
      await assertReadable(stored);
      await rotate();
      await assertReadable(stored);
      assert.deepEqual(await readdir(folder), ['service-key']);
      await assertOpensNothing(old);
    });
  }

  async function assertOpensNothing(key: Buffer): Promise<void> {
    const { sealing } = keyOf(key);
    let texts = 0;
    for (const column of sealedColumns) {
      for (const { text, context } of await database.read((sql) =>
        column.list(sql, 'none', '', 100),
      )) {
        texts += 1;
        assert.equal(unseal(sealing, text.slice(text.indexOf('.') + 1), context), undefined);
      }
    }
    assert.ok(texts >= 2);
  }

  it('invalidates the old file', async () => {
    const stored = await sealSomething(await openServiceKey(ports()));
    const path = join(folder, 'service-key');
    await copyFile(path, join(folder, 'old'));
    assert.equal((await rotate()).sealed, 3);
    await assertReadable(stored);
    await copyFile(join(folder, 'old'), path);
    await assert.rejects(openServiceKey(ports()), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /is not the key that encrypts the secrets of this database/);
      return true;
    });
  });

  it('ends what the old key derives, in servers that were there before too', async () => {
    const server = await openServiceKey(ports());
    const { name, key } = server.derive('connections');
    assert.deepEqual(server.deriveFrom(name, 'connections'), key);
    assert.notDeepEqual(server.deriveFrom(name, 'other'), key);
    assert.equal(server.deriveFrom('none', 'connections'), undefined);
    await rotateServiceKey(ports(), sealedColumns);
    assert.equal(server.deriveFrom(name, 'connections'), undefined);
    const present = server.derive('connections');
    assert.notEqual(present.name, name);
    const other = await openServiceKey(ports());
    assert.deepEqual(other.deriveFrom(present.name, 'connections'), present.key);
  });

  it('removes what one that was killed left while it made its key', async () => {
    await openServiceKey(ports());
    await writeFile(join(folder, 'service-key.next.some-id'), 'a key');
    await rotate();
    const names = await readdir(folder);
    assert.deepEqual(
      names.filter((name) => name.startsWith('service-key')),
      ['service-key'],
    );
  });

  it('cannot go on without the new file', async () => {
    await openServiceKey(ports());
    await assert.rejects(rotate('announced'), Killed);
    await rm(join(folder, 'service-key.next'));
    await assert.rejects(
      openServiceKey(ports()),
      /the new key is missing: restore .*service-key\.next/,
    );
    await assert.rejects(rotate(), OperatorError);
  });

  it('is used by servers that were there before, for tokens that no row has', async () => {
    const running = await openServiceKey(ports());
    await rotate();
    const token = running.seal(Buffer.from('a token'), 'session');
    const later = await openServiceKey(ports());
    assert.equal(String(later.unseal(token, 'session')), 'a token');
    assert.equal(String(running.unseal(token, 'session')), 'a token');
  });

  it('refuses to store what only the replaced key opens', async () => {
    const running = await openServiceKey(ports());
    await assert.rejects(rotate('announced'), Killed);
    const create = () => createAccessKey({ ...ports(), serviceKey: running }, userId);
    await assert.rejects(create(), /The service key was replaced at the same time/);
    await running.reload();
    await create();
  });

  it('leaves what no key opens, and says how much that is', async () => {
    await sealSomething(await openServiceKey(ports()));
    await database.write((sql) => sql.run(`update function_keys set sealed_material = 'torn'`));
    assert.deepEqual(await rotate(), { sealed: 2, unreadable: 1 });
    assert.deepEqual(await rotate(), { sealed: 2, unreadable: 1 });
  });

  it('takes up texts from before keys had names', async () => {
    const serviceKey = await openServiceKey(ports());
    const stored = await sealSomething(serviceKey);
    await database.write(async (sql) => {
      await sql.run('update function_access_keys set sealed_secret = substr(sealed_secret, 18)');
      await sql.run('update function_keys set sealed_material = substr(sealed_material, 18)');
    });
    await assertReadable(stored);
    assert.equal((await rotate()).unreadable, 0);
    await assertReadable(stored);
  });

  it('covers every sealed column of the database', async () => {
    const columns = new Set<string>();
    for (const name of await readdir(migrationsFolder)) {
      const text = await readFile(join(migrationsFolder, name), 'utf8');
      for (const [column] of text.matchAll(/\bsealed_\w+/g)) columns.add(column);
    }
    assert.deepEqual([...columns].toSorted(), [
      'sealed_declaration',
      'sealed_material',
      'sealed_secret',
      'sealed_variables',
    ]);
    assert.equal(sealedColumns.length, columns.size);
  });
});

describe('a running function service whose service key is changed', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const rotate = () =>
    rotateServiceKey({ ...functions.ports, folder: functions.folder }, sealedColumns);

  async function variablesOf(FunctionName: string): Promise<unknown> {
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName });
    return body.Environment?.Variables ?? body;
  }

  it('answers and stores as before, and takes the tokens that it gave out', async () => {
    const Environment = { Variables: { WORD: '1' } };
    await functions.create('retained', { Environment });
    const sessions = createSessionTokens(functions.ports);
    const { sessionToken } = sessions.issue('arn:aws:iam::123456789012:role/r', 'f', 60);
    const { body } = await functions.call('GetFunction', { FunctionName: 'retained' });
    await rotate();
    assert.deepEqual(await variablesOf('retained'), { WORD: '1' });
    assert.ok(sessions.read(sessionToken));
    const archive = await functions.send({
      method: 'GET',
      target: new URL(body.Code.Location).pathname,
    });
    assert.equal(archive.status, 200);
    await functions.create('made-after', { Environment });
    assert.deepEqual(await variablesOf('made-after'), { WORD: '1' });
    await rotate();
    // Takes over the variables as they are stored.
    const changed = { FunctionName: 'retained', MemorySize: 256 };
    assert.equal((await functions.call('UpdateFunctionConfiguration', changed)).status, 200);
    await functions.untilProvisioned();
    await rotate();
    const published = await functions.call('PublishVersion', { FunctionName: 'retained' });
    assert.equal(published.status, 201, published.text);
    assert.deepEqual(await variablesOf('retained:1'), { WORD: '1' });
  });
});
