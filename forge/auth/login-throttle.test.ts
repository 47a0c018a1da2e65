import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { createUser } from '../accounts/create-user.ts';
import { countersInMemory } from '../testing/counters-in-memory.ts';
import { startTestForge, type TestResponse, type TestForge } from '../testing/test-forge.ts';
import { createLoginThrottle, type LoginAttempt } from './login-throttle.ts';
import { makeToken } from './token.ts';

const lockedMessage = 'Maximum number of login attempts exceeded. Please try again later.';
const minutes = 60_000;

describe('the lock after bad passwords', () => {
  let forge: TestForge;
  let serial = 0;
  let login: string;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());
  // A login of its own for each test; the address is everybody's, so its failures must have ended.
  beforeEach(async () => {
    forge.clock.advance(30 * minutes);
    serial += 1;
    login = `guessed-${serial}`;
    await createUser(forge.ports, { login, password: 'the right one' });
  });

  function basic(name: string, password: string): Record<string, string> {
    return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
  }

  async function guess(times: number, name = login): Promise<TestResponse[]> {
    const responses: TestResponse[] = [];
    for (let turn = 0; turn < times; turn += 1) {
      responses.push(await forge.anonymous.get('/user', basic(name, `wrong ${turn}`)));
    }
    return responses;
  }

  const withPassword = (path = '/user'): Promise<TestResponse> =>
    forge.anonymous.get(path, basic(login, 'the right one'));

  test('after ten bad passwords the right one is refused too, and says why', async () => {
    for (const response of await guess(10)) assert.equal(response.body.message, 'Bad credentials');
    for (const name of [login, login.toUpperCase()]) {
      const response = await forge.anonymous.get('/user', basic(name, 'the right one'));
      assert.equal(response.status, 403);
      assert.equal(response.body.message, lockedMessage);
      assert.match(response.body.documentation_url, /#failed-login-limit$/);
      assert.equal(response.headers['retry-after'], undefined);
    }
  });

  test('the lock ends after ten minutes, however often it was tried meanwhile', async () => {
    await guess(10);
    forge.clock.advance(9 * minutes);
    for (const response of await guess(12)) assert.equal(response.status, 403);
    forge.clock.advance(minutes);
    assert.equal((await withPassword()).status, 200);
  });

  test('bad passwords are forgotten after ten minutes, not by a right one', async () => {
    await guess(9);
    assert.equal((await withPassword()).status, 200);
    forge.clock.advance(10 * minutes);
    await guess(9);
    assert.equal((await withPassword()).status, 200);
    await guess(1);
    assert.equal((await withPassword()).status, 403);
  });

  test('a lock holds for git and for the pages as well, and counts their attempts', async () => {
    const owner = await forge.user();
    const name = await forge.repository(owner, { init: true });
    for (let turn = 0; turn < 5; turn += 1) {
      const wrong = basic(login, `wrong ${turn}`);
      const git = await forge.anonymous.get(
        `/${name}.git/info/refs?service=git-upload-pack`,
        wrong,
      );
      assert.equal(git.status, 401);
      assert.equal((await forge.anonymous.get(`/${name}`, wrong)).status, 401);
    }
    const git = await withPassword(`/${name}.git/info/refs?service=git-upload-pack`);
    assert.deepEqual([git.status, git.text], [403, `${lockedMessage}\n`]);
    assert.equal(git.headers['www-authenticate'], undefined);
    const page = await withPassword(`/${name}`);
    assert.equal(page.status, 429);
    assert.match(page.text, /login attempts exceeded/);
    assert.equal((await withPassword()).status, 403);
  });

  test('a cached response does not accept a locked-out password', async () => {
    const name = await forge.repository(await forge.user(), { init: true });
    const path = `/repos/${name}/branches`;
    assert.equal((await withPassword(path)).status, 200);
    assert.equal((await withPassword(path)).status, 200);
    await guess(10);
    assert.equal((await withPassword(path)).status, 403);
  });

  test('tokens of a locked login go on, in every form', async () => {
    const user = await forge.user(`busy-${serial}`);
    await guess(10, user.login);
    assert.equal((await guess(1, user.login))[0]?.status, 403);
    assert.equal((await user.get('/user')).status, 200);
    assert.equal((await forge.anonymous.get('/user', basic(user.login, user.token))).status, 200);
  });

  test('another login is not locked, and one that does not exist never is', async () => {
    await guess(10);
    const other = await createUser(forge.ports, { login: `${login}-2`, password: 'p' });
    assert.equal((await forge.anonymous.get('/user', basic(other.login, 'p'))).status, 200);
    for (const response of await guess(12, 'nobody-at-all')) assert.equal(response.status, 401);
  });

  test('parallel guesses get no more checks than the limit', async (t) => {
    const verify = t.mock.method(forge.ports.passwords, 'verify');
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        forge.anonymous.get('/user', basic(login, `wrong ${turn}`)),
      ),
    );
    assert.equal(verify.mock.callCount(), 10);
    assert.equal(responses.filter(({ status }) => status === 401).length, 10);
    assert.equal(responses.filter(({ status }) => status === 403).length, 30);
  });

  test('parallel requests with the right password wait for each other and all come in', async () => {
    const responses = await Promise.all(Array.from({ length: 40 }, () => withPassword()));
    for (const response of responses) assert.equal(response.status, 200);
  });

  test('a hundred bad passwords of any login lock passwords from their address, tokens not', async () => {
    const user = await forge.user();
    for (let turn = 0; turn < 100; turn += 1) {
      assert.equal((await guess(1, `nobody-${turn}`))[0]?.status, 401);
    }
    const refused = await withPassword();
    assert.deepEqual([refused.status, refused.body.message], [403, lockedMessage]);
    assert.equal((await user.get('/user')).status, 200);
    forge.clock.advance(10 * minutes);
    assert.equal((await withPassword()).status, 200);
  });

  test('bad tokens lock no passwords, however many come from an address', async () => {
    const token = makeToken(Buffer.alloc(32, 7));
    const headers = [
      { authorization: `token ${token}` },
      { authorization: 'Basic ?' },
      basic('x-access-token', token),
      basic(login, token),
    ];
    for (let turn = 0; turn < 120; turn += 1) {
      const response = await forge.anonymous.get('/user', headers[turn % headers.length] ?? {});
      assert.equal(response.status, 401);
    }
    assert.equal((await withPassword()).status, 200);
  });

  test('an attempt that waits hears of the lock', async () => {
    const { id } = await createUser(forge.ports, { login: `${login}-waits`, password: 'p' });
    const throttle = createLoginThrottle(forge.ports);
    const running = await Promise.all(
      Array.from({ length: 10 }, () => throttle.begin(id, '127.0.0.1')),
    );
    const waiting = throttle.begin(id, '127.0.0.1');
    for (const attempt of running) await attempt?.end('wrong');
    assert.equal(await waiting, undefined);
  });

  test('failures on several nodes count together, and their lock outlives a restart', async () => {
    const { id } = await createUser(forge.ports, { login: `${login}-nodes`, password: 'p' });
    const nodes = [createLoginThrottle(forge.ports), createLoginThrottle(forge.ports)];
    for (let turn = 0; turn < 10; turn += 1) {
      const attempt = await nodes[turn % 2]?.begin(id, '127.0.0.1');
      assert.ok(attempt, `attempt ${turn}`);
      await attempt.end('wrong');
    }
    for (const node of [...nodes, createLoginThrottle(forge.ports)]) {
      assert.equal(await node.begin(id, '127.0.0.1'), undefined);
    }
    forge.clock.advance(10 * minutes);
    const attempt = await nodes[0]?.begin(id, '127.0.0.1');
    assert.ok(attempt);
    await attempt.end('right');
  });

  test('failures from an address count on several nodes together, and on each while they cannot', async () => {
    let isAway = false;
    const { clock, database } = forge.ports;
    const counters = countersInMemory(() => isAway);
    const node = (): ReturnType<typeof createLoginThrottle> =>
      createLoginThrottle({ clock, database, counters });
    const nodes = [node(), node()];
    const fail = async (turn: number, address: string): Promise<boolean> => {
      const attempt = await nodes[turn % 2]?.begin(undefined, address);
      await attempt?.end('wrong');
      return attempt !== undefined;
    };
    for (let turn = 0; turn < 100; turn += 1) assert.ok(await fail(turn, '192.0.2.1'));
    isAway = true;
    for (const turn of [0, 1]) assert.ok(await fail(turn, '192.0.2.2'));
    isAway = false;
    for (const each of [...nodes, node()]) {
      assert.equal(await each.begin(undefined, '192.0.2.1'), undefined);
      const other = await each.begin(undefined, '192.0.2.2');
      assert.ok(other, 'another address');
    }
    isAway = true;
    assert.equal(await fail(0, '192.0.2.1'), false, 'what Redis had counted still counts');
    for (let turn = 0; turn < 198; turn += 1) assert.ok(await fail(turn, '192.0.2.2'), `${turn}`);
    assert.equal(await fail(0, '192.0.2.2'), false);
    forge.clock.advance(10 * minutes);
    assert.ok(await fail(0, '192.0.2.1'));
  });

  test('attempts that fail during the lock of their address do not count on any node', async () => {
    const { clock, database } = forge.ports;
    const counters = countersInMemory(() => false);
    const throttle = createLoginThrottle({ clock, database, counters });
    const begin = (): Promise<LoginAttempt | undefined> => throttle.begin(undefined, '192.0.2.3');
    const running = await Promise.all(Array.from({ length: 103 }, begin));
    for (const attempt of running) await attempt?.end('wrong');
    assert.equal((await counters.add('bad passwords 192.0.2.3', 0, 1))?.sum, 100);
  });

  test('failures count even if they cannot be stored', async () => {
    const { id } = await createUser(forge.ports, { login: `${login}-full`, password: 'p' });
    const { clock, database } = forge.ports;
    const full = new Error('The disk is full.');
    const throttle = createLoginThrottle({
      clock,
      database: {
        ...database,
        read: (run) => database.read(run),
        write: () => Promise.reject(full),
      },
    });
    for (let turn = 0; turn < 10; turn += 1) {
      const attempt = await throttle.begin(id, '127.0.0.1');
      assert.ok(attempt, `attempt ${turn}`);
      await assert.rejects(attempt.end('wrong'), full);
    }
    assert.equal(await throttle.begin(id, '127.0.0.1'), undefined);
  });
});
