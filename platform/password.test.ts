import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createPasswords, PasswordsBusy } from './password.ts';

const cost = { memoryKibibytes: 64, passes: 1, parallelism: 1 };

describe('passwords', () => {
  const passwords = createPasswords({ cost });

  it('refuses another password, and any password for no one', async () => {
    const hash = await passwords.hash('correct horse');
    assert.equal(await passwords.verify('correct horsf', hash), false);
    assert.equal(await passwords.verify('', hash), false);
    assert.equal(await passwords.verify('correct horse', undefined), false);
  });

  it('refuses to take what is not a hash for one', async () => {
    for (const text of ['', 'correct horse', '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$']) {
      await assert.rejects(passwords.verify('correct horse', text), /not in the argon2id format/);
    }
  });

  it('refuses more than may wait, and goes on afterwards', async () => {
    const few = createPasswords({ cost, concurrency: 1, waitingMax: 1 });
    const results = await Promise.allSettled([few.hash('a'), few.hash('b'), few.hash('c')]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    assert.ok(results[2].status === 'rejected' && results[2].reason instanceof PasswordsBusy);
    assert.equal(await few.verify('d', await few.hash('d')), true);
  });

  it('keeps a hash in the common format, another each time', async () => {
    const [one, other] = await Promise.all([passwords.hash('same'), passwords.hash('same')]);
    assert.match(one, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, other);
  });

  it('accepts the right password, however its letters are composed', async () => {
    const hash = await passwords.hash('caf\u00e9');
    assert.equal(await passwords.verify('cafe\u0301', hash), true);
  });

  it('verifies what the reference implementation made, at its own cost', async () => {
    const reference =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await passwords.verify('password', reference), true);
  });
});
