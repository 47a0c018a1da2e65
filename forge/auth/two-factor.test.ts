import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { present } from '#platform/present.ts';

import { findAccount } from '../accounts/account-store.ts';
import { createUser } from '../accounts/create-user.ts';
import { refusalSentence } from '../errors/error-message.ts';
import { RefusalError } from '../errors/api-error.ts';
import { startTestForge, type TestResponse, type TestForge } from '../testing/test-forge.ts';
import { createToken } from './create-token.ts';
import {
  checkSecondFactor,
  disableTwoFactor,
  enableTwoFactor,
  type Enrolment,
} from './two-factor.ts';
import { oneTimePassword, stepAt } from './one-time-password.ts';
import { findSecondFactor } from './second-factor-store.ts';

const minutes = 60_000;

describe('the second factor', () => {
  let forge: TestForge;
  let serial = 0;
  let enrolment: Enrolment;
  let secret: Uint8Array;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());
  // A user of its own for each test, since the failures of one would lock the next.
  beforeEach(async () => {
    forge.clock.advance(30 * minutes);
    serial += 1;
    const account = await createUser(forge.ports, { login: `careful-${serial}`, password: 'p w' });
    enrolment = await enableTwoFactor(forge.ports, account.login);
    const factor = await forge.database.read((sql) => findSecondFactor(sql, account.id));
    assert.ok(factor);
    secret = factor.secret;
  });

  function ask(code?: string, path = '/user', password = 'p w'): Promise<TestResponse> {
    const basic = Buffer.from(`${enrolment.login}:${password}`).toString('base64');
    return forge.anonymous.get(path, {
      authorization: `Basic ${basic}`,
      ...present({ 'x-github-otp': code }),
    });
  }

  const presentCode = (): string => oneTimePassword(secret, stepAt(forge.clock.now()));

  /** A code that is not right now, nor soon. */
  const wrongCode = (): string => {
    const codes = [-1, 0, 1].map((step) =>
      oneTimePassword(secret, stepAt(forge.clock.now()) + step),
    );
    return ['000000', '000001', '000002', '000003'].find((code) => !codes.includes(code)) ?? '';
  };

  function assertCodeRequired(response: TestResponse): void {
    assert.equal(response.status, 401);
    assert.equal(response.body.message, 'Must specify two-factor authentication OTP code.');
    assert.equal(response.headers['x-github-otp'], 'required; app');
    assert.match(response.body.documentation_url, /#working-with-two-factor-authentication$/);
    assert.equal(response.headers['www-authenticate'], undefined);
  }

  test('the password alone is not enough, and the response asks for a code', async () => {
    assertCodeRequired(await ask());
    assertCodeRequired(await ask(''));
  });

  test('a code is that of the clock of the host, where a test has set the clock of the server', async () => {
    const host = forge.clock.now();
    const clock = { now: () => host + 365 * 24 * 60 * minutes, hostNow: () => host };
    const { database } = forge;
    const account = await database.read((sql) => findAccount(sql, enrolment.login));
    assert.ok(account);
    const check = checkSecondFactor({ database, clock }, account.id, presentCode());
    assert.equal(await check, 'right');
  });

  test('a wrong password gets the usual answer, whatever the code', async () => {
    const response = await ask(presentCode(), '/user', 'wrong');
    assert.deepEqual([response.status, response.body.message], [401, 'Bad credentials']);
    assert.equal(response.headers['x-github-otp'], undefined);
  });

  test('a wrong code is answered like a missing one', async () => {
    for (const code of [wrongCode(), '12345', 'x'.repeat(5000)])
      assertCodeRequired(await ask(code));
  });

  test('ten wrong codes lock the login, missing ones do not', async () => {
    for (let turn = 0; turn < 12; turn += 1) assertCodeRequired(await ask());
    for (let turn = 0; turn < 10; turn += 1) assertCodeRequired(await ask(wrongCode()));
    const locked = await ask(presentCode());
    assert.equal(locked.status, 403);
    assert.match(locked.body.message, /login attempts exceeded/);
  });

  test('no code is accepted twice, not even concurrently, nor an earlier one', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => ask(presentCode())));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    assertCodeRequired(await ask(presentCode()));
    const earlier = oneTimePassword(secret, stepAt(forge.clock.now()) - 1);
    assertCodeRequired(await ask(earlier));
    forge.clock.advance(30_000);
    assert.equal((await ask(presentCode())).status, 200);
  });

  test('a recovery code lets in once, however it is typed', async () => {
    const [first = '', second = ''] = enrolment.recoveryCodes;
    assert.equal((await ask(first)).status, 200);
    assertCodeRequired(await ask(first));
    assert.equal((await ask(second.replaceAll('-', '').toLowerCase())).status, 200);
  });

  test('git gets the advice to use a token, and the pages refuse', async () => {
    const name = await forge.repository(await forge.user(), { init: true });
    const git = await ask(undefined, `/${name}.git/info/refs?service=git-upload-pack`);
    assert.equal(git.status, 401);
    assert.match(git.text, /Use a token instead of the password/);
    assert.equal((await ask(undefined, `/${name}`)).status, 401);
  });

  test('tokens need no code', async () => {
    const { token } = await createToken(forge.ports, { login: enrolment.login, scopes: ['user'] });
    const response = await forge.anonymous.get('/user', { authorization: `token ${token}` });
    assert.equal(response.body.two_factor_authentication, true);
  });

  test('the user sees whether there is a second factor', async () => {
    const user = await forge.user();
    assert.equal((await user.get('/user')).body.two_factor_authentication, false);
    const earlier = await user.get('/user');
    forge.clock.advance(minutes);
    await enableTwoFactor(forge.ports, user.login);
    const since = { 'if-modified-since': earlier.headers['last-modified'] ?? '' };
    const now = await user.get('/user', since);
    assert.deepEqual([now.status, now.body.two_factor_authentication], [200, true]);
  });

  test('a new enrolment ends the old device and its recovery codes', async () => {
    const old = enrolment.recoveryCodes[0];
    const oldCode = presentCode();
    enrolment = await enableTwoFactor(forge.ports, enrolment.login);
    assertCodeRequired(await ask(old));
    assertCodeRequired(await ask(oldCode));
    assert.equal((await ask(enrolment.recoveryCodes[9])).status, 200);
  });

  test('once disabled the password is enough, and there is nothing to disable', async () => {
    await disableTwoFactor(forge.ports, enrolment.login.toUpperCase());
    assert.equal((await ask()).status, 200);
    await assert.rejects(disableTwoFactor(forge.ports, enrolment.login), (error) => {
      assert.ok(error instanceof RefusalError);
      assert.match(refusalSentence(error.refusal), /Two-factor authentication is not enabled/);
      return true;
    });
  });

  test('neither the codes nor the password can be read from the database', async () => {
    const codes = await forge.database.read((sql) =>
      sql.all<{ sha256: string }>('select sha256 from recovery_codes'),
    );
    for (const { sha256 } of codes) assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.equal(new Set(enrolment.recoveryCodes).size, 10);
    for (const code of enrolment.recoveryCodes)
      assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  });
});
