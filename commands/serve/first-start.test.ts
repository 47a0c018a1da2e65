import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { findAccount } from '#forge/accounts/account-store.ts';
import { firstStart } from '#forge/auth/bootstrap-administrator.ts';
import { insertToken, listPersonalTokens } from '#forge/auth/credential-store.ts';
import { sha256 } from '#forge/auth/token.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { beginFirstStart, warnOfGuessableToken } from './first-start.ts';

describe('a token that an operator has chosen', () => {
  const clock = { now: () => Date.UTC(2026, 0, 5) };
  const chosen = 'sixteen-letters!';
  const short = 'secret';
  const secrets = {
    passwords: { hash: async () => 'hash', verify: async () => false },
    randomBytes: (count: number): Uint8Array => systemRandom.bytes(count),
  };
  let database: Database;
  let accountId: number;

  const warnings = async (token: string | undefined): Promise<readonly string[]> => {
    const lines: string[] = [];
    const log = { warn: (_details: object, message: string): unknown => lines.push(message) };
    await warnOfGuessableToken({ clock, database, log }, token);
    return lines;
  };

  before(async () => {
    database = await openTestDatabase();
    await firstStart({ ...secrets, clock, database }, { token: chosen });
    accountId = (await database.read((sql) => findAccount(sql, 'root')))?.id ?? 0;
    // As an earlier version has stored it.
    const old = { accountId, note: 'first start', scopes: [], now: clock.now() };
    await database.write((sql) =>
      insertToken(sql, { ...old, sha256: sha256(short), lastEight: short }),
    );
  });
  after(() => database.close());

  test('and is short is refused in a sentence for the operator', async () => {
    const empty = await openTestDatabase();
    try {
      const refusal = beginFirstStart({ ...secrets, clock, database: empty }, { token: short });
      await assert.rejects(refusal, (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(
          error.message,
          /site administrator: token must be 16 .* HOB_ADMIN_TOKEN has 6/,
        );
        return !error.message.includes(short);
      });
    } finally {
      await empty.close();
    }
  });

  test('is not revealed by the end of it that lists show', async () => {
    const tokens = await database.read((sql) =>
      listPersonalTokens(sql, accountId, { offset: 0, size: 9 }),
    );
    assert.deepEqual(
      tokens.map(({ lastEight }) => lastEight).toSorted(),
      ['ers!', short].toSorted(),
    );
  });

  test('and is short is reported while it is valid, without the token', async () => {
    const [warning = '', ...others] = await warnings(short);
    assert.match(warning, /HOB_ADMIN_TOKEN .* fewer than 16 .* \/settings\/tokens of root/);
    assert.doesNotMatch(warning, new RegExp(short));
    assert.deepEqual(others, []);
    for (const token of [chosen, 'other', undefined]) assert.deepEqual(await warnings(token), []);
  });
});
