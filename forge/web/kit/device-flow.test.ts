import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { createUser } from '../../accounts/create-user.ts';
import { createApplication, type CreatedApplication } from '../../auth/create-application.ts';
import { createDeviceCodeThrottle } from '../../auth/applications/device-code-throttle.ts';
import { createDeviceCode, createDeviceCodeLimit } from '../../auth/applications/device-flow.ts';
import { countersInMemory } from '../../testing/counters-in-memory.ts';
import { createTestBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestResponse } from '../../testing/test-forge.ts';

const device = '/login/device';
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const second = 1000;

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
}

describe('the device flow', () => {
  let forge: TestForge;
  let application: CreatedApplication;
  let browser: TestBrowser;
  let serial = 0;

  before(async () => {
    forge = await startTestForge();
    application = await createApplication(forge.ports, { name: 'The <tool>' });
  });
  after(() => forge.close());
  beforeEach(async () => {
    serial += 1;
    const login = `device-${serial}`;
    await createUser(forge.ports, { login, password: 'p w' });
    browser = createTestBrowser(forge);
    await browser.signIn(login, 'p w');
  });

  const post = (path: string, fields: Record<string, string>): Promise<TestResponse> =>
    forge.anonymous.send('POST', path, {
      body: new URLSearchParams(fields).toString(),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
    });

  const ask = async (scope = 'repo read:org'): Promise<Codes> =>
    (await post('/login/device/code', { client_id: application.clientId, scope })).body;

  const poll = ({ device_code }: Codes, clientId = application.clientId): Promise<TestResponse> =>
    post('/login/oauth/access_token', {
      client_id: clientId,
      device_code,
      grant_type: grantType,
    });

  /** After the interval, so that it is not too soon. */
  const pollLater = (codes: Codes): Promise<TestResponse> => {
    forge.clock.advance(60 * second);
    return poll(codes);
  };

  const enter = async (code: string): Promise<TestResponse> => {
    await browser.get(device);
    return browser.submit(device, { user_code: code });
  };

  const answer = async (code: string, authorize: '0' | '1'): Promise<TestResponse> => {
    await enter(code);
    return browser.submit(`${device}/authorize`, { user_code: code, authorize });
  };

  test('begins for a known application, with codes for the program and for its user', async () => {
    assert.equal((await post('/login/device/code', {})).status, 404);
    assert.equal((await post('/login/device/code', { client_id: 'none' })).status, 404);
    const response = await post('/login/device/code', { client_id: application.clientId });
    assert.equal(response.status, 200);
    assert.equal(response.headers['cache-control'], 'no-store');
    const { device_code, user_code, ...others } = response.body;
    assert.match(device_code, /^[0-9a-f]{40}$/);
    assert.match(user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    assert.deepEqual(others, {
      verification_uri: 'http://forge.test/login/device',
      expires_in: 900,
      interval: 5,
    });
  });

  test('gives a token once the user has entered the code and said yes', async () => {
    const codes = await ask();
    assert.equal((await poll(codes)).body.error, 'authorization_pending');
    const typed = ` ${codes.user_code.toLowerCase().replace('-', ' ')}`;
    const consent = await enter(typed);
    assert.equal(consent.status, 200);
    assert.match(consent.text, /Authorize The &lt;tool&gt;/);
    assert.match(consent.text, /<code>repo<\/code>/);
    const ended = await browser.submit(`${device}/authorize`, {
      user_code: codes.user_code,
      authorize: '1',
    });
    assert.deepEqual([ended.status, ended.headers['location']], [303, `${device}?answer=allowed`]);
    const { body } = await pollLater(codes);
    assert.deepEqual([body.token_type, body.scope], ['bearer', 'read:org,repo']);
    const user = await forge.anonymous.send('GET', '/user', {
      headers: { authorization: `token ${body.access_token}` },
    });
    assert.equal(user.body.login, `device-${serial}`);
    assert.equal((await pollLater(codes)).body.error, 'incorrect_device_code');
    const page = await browser.get('/settings/applications');
    assert.match(page.text, /The &lt;tool&gt;/);
  });

  test('ends where the user says no, or revokes the application first', async () => {
    const codes = await ask();
    const ended = await answer(codes.user_code, '0');
    assert.equal(ended.headers['location'], `${device}?answer=refused`);
    assert.equal((await pollLater(codes)).body.error, 'access_denied');
    const [first, later] = [await ask(), await ask('read:org')];
    await answer(first.user_code, '1');
    const page = await browser.get('/settings/applications');
    const [revoke = ''] = /\/settings\/applications\/\d+\/revoke/.exec(page.text) ?? [];
    assert.equal((await browser.submit(revoke, {})).status, 303);
    // A later grant, of less, does not revive the code that was allowed before.
    await answer(later.user_code, '1');
    assert.equal((await pollLater(first)).body.error, 'incorrect_device_code');
    assert.equal((await pollLater(later)).body.scope, 'read:org');
  });

  test('is not for applications with a callback URL, whose users it could deceive', async () => {
    const callbackUrl = 'https://ci.example.org/back';
    const { clientId } = await createApplication(forge.ports, { name: 'web', callbackUrl });
    const { status, body } = await post('/login/device/code', { client_id: clientId });
    assert.deepEqual([status, body.error], [400, 'device_flow_disabled']);
  });

  test('tells a program that asks too soon to slow down', async () => {
    const codes = await ask();
    assert.equal((await poll(codes)).body.error, 'authorization_pending');
    forge.clock.advance(3 * second);
    assert.equal((await poll(codes)).body.error, 'slow_down');
    forge.clock.advance(6 * second);
    assert.equal((await poll(codes)).body.error, 'slow_down');
    forge.clock.advance(16 * second);
    assert.equal((await poll(codes)).body.error, 'authorization_pending');
  });

  test('expires, for the program and for the user', async () => {
    const codes = await ask();
    forge.clock.advance(900 * second);
    assert.equal((await poll(codes)).body.error, 'expired_token');
    assert.equal((await enter(codes.user_code)).status, 422);
  });

  test('is bound to the application that began it, and knows other grants', async () => {
    const codes = await ask();
    const other = await createApplication(forge.ports, { name: 'other' });
    const wrong = await poll(codes, other.clientId);
    assert.equal(wrong.body.error, 'incorrect_device_code');
    assert.equal((await poll(codes, 'none')).body.error, 'incorrect_client_credentials');
    const unknown = { client_id: application.clientId, grant_type: 'password' };
    const { body } = await post('/login/oauth/access_token', unknown);
    assert.equal(body.error, 'unsupported_grant_type');
  });

  test('takes no code without a session, from another site, or a second answer', async () => {
    const codes = await ask();
    const visitor = createTestBrowser(forge);
    assert.match((await visitor.get(device)).headers['location'] ?? '', /^\/login\?return_to=/);
    const forged = await browser.post(`${device}/authorize`, {
      user_code: codes.user_code,
      authorize: '1',
      form_token: 'x',
    });
    assert.equal(forged.status, 403);
    assert.equal((await pollLater(codes)).body.error, 'authorization_pending');
    await answer(codes.user_code, '1');
    assert.equal((await enter(codes.user_code)).status, 422);
    assert.equal((await enter('BBBB-BBBB')).status, 422);
    assert.doesNotMatch(
      (await browser.get(`${device}?user_code=${codes.user_code}`)).text,
      new RegExp(codes.user_code),
    );
  });

  test('stops who tries codes, at both forms, in turn and in parallel, without locking a password', async () => {
    const codes = await ask();
    const [, form_token = ''] =
      /name="form_token" value="([^"]+)"/.exec((await browser.get(device)).text) ?? [];
    const guess = async (turn: number): Promise<number> => {
      const [path, fields] =
        turn % 2 === 0
          ? [device, { user_code: 'BBBB-BBBB' }]
          : [`${device}/authorize`, { user_code: 'BBBB-BBBB', authorize: '1' }];
      return (await browser.post(path, { ...fields, form_token })).status;
    };
    const inTurn = [await guess(0), await guess(1), await guess(2)];
    assert.deepEqual(inTurn, [422, 422, 422]);
    const inParallel = await Promise.all(Array.from({ length: 15 }, (_, turn) => guess(turn)));
    assert.deepEqual(
      [422, 429].map((status) => inParallel.filter((each) => each === status).length),
      [7, 8],
    );
    const right = await enter(codes.user_code);
    assert.equal(right.status, 429);
    assert.match(right.text, /Too many wrong codes/);
    assert.equal(
      (
        await browser.post(`${device}/authorize`, {
          user_code: codes.user_code,
          authorize: '1',
          form_token,
        })
      ).status,
      429,
    );
    assert.equal((await poll(codes)).body.error, 'authorization_pending');
    const other = createTestBrowser(forge);
    await other.signIn(`device-${serial}`, 'p w');
    assert.equal((await other.get('/settings/tokens')).status, 200);
    forge.clock.advance(600 * second);
    assert.equal((await enter(codes.user_code)).status, 200);
  });

  test('stops an address that tries codes with many accounts, on all nodes together', async () => {
    const { clock } = forge.ports;
    const counters = countersInMemory(() => false);
    const nodes = [0, 1].map(() => createDeviceCodeThrottle({ clock, counters }));
    const guess = async (accountId: number, address: string): Promise<string | undefined> =>
      (await nodes[accountId % 2]?.attempt({ accountId, address }, async () => undefined))?.kind;
    for (let account = 1; account <= 100; account += 1) {
      assert.equal(await guess(account, '192.0.2.7'), 'wrong');
    }
    assert.equal(await guess(101, '192.0.2.7'), 'too-many');
    assert.equal(await guess(102, '192.0.2.7'), 'too-many');
    assert.equal(await guess(101, '192.0.2.8'), 'wrong');
  });

  test('serves the command line client of GitHub', async () => {
    const { status, body } = await post('/login/device/code', {
      client_id: '178c6fc778ccc68e1d6a',
      scope: 'repo read:org gist',
    });
    assert.equal(status, 200);
    const page = await enter(body.user_code);
    assert.match(page.text, /Authorize GitHub CLI/);
  });

  test('is open again once the codes of an application have expired', async () => {
    const { clientId } = await createApplication(forge.ports, { name: 'asked for often' });
    const request = async (): Promise<string> =>
      (await createDeviceCode(forge.ports, { clientId, scope: '' })).kind;
    for (let count = 0; count < 1000; count += 1) assert.equal(await request(), 'code');
    assert.equal(await request(), 'too-many');
    forge.clock.advance(900 * second);
    assert.equal(await request(), 'code');
  });

  test('gives one address fifty codes of all nodes together, and of each while they cannot count', async () => {
    let isAway = false;
    const { clock } = forge.ports;
    const counters = countersInMemory(() => isAway);
    const one = createDeviceCodeLimit({ clock, counters });
    const other = createDeviceCodeLimit({ clock, counters });
    const askOften = async (address: string): Promise<number> => {
      const asked = Array.from({ length: 60 }, () => [one(address), other(address)]).flat();
      return (await Promise.all(asked)).filter(Boolean).length;
    };
    assert.equal(await askOften('192.0.2.1'), 50);
    isAway = true;
    assert.equal(await askOften('192.0.2.1'), 0, 'what Redis had counted still counts');
    assert.equal(await askOften('192.0.2.2'), 100);
    forge.clock.advance(600 * second);
    assert.equal(await askOften('192.0.2.1'), 100);
  });

  test('gives one address fifty codes in ten minutes', async () => {
    forge.clock.advance(3600 * second);
    const request = (): Promise<TestResponse> =>
      post('/login/device/code', { client_id: application.clientId });
    for (let count = 0; count < 50; count += 1) assert.equal((await request()).status, 200);
    const { status, headers, body } = await request();
    assert.deepEqual([status, headers['retry-after'], body.error], [429, '900', 'slow_down']);
    forge.clock.advance(600 * second);
    assert.equal((await request()).status, 200);
  });
});
