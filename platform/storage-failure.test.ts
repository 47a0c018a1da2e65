import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DatabaseUnavailableError, isDiskFullMessage, storageFailure } from './storage-failure.ts';

describe('a failure of storage', () => {
  const withCode = (code: string): Error => Object.assign(new Error('x'), { code });
  const withErrcode = (errcode: number): Error =>
    Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode });

  it('is none where the fault is another', () => {
    for (const error of [
      undefined,
      'ENOSPC',
      new Error('ENOSPC'),
      withCode('ENOENT'),
      withCode('ECONNREFUSED'),
      withErrcode(5),
      withErrcode(10),
      withErrcode(2067),
    ]) {
      assert.equal(storageFailure(error), undefined);
    }
  });

  it('recognizes a full disk by the errors of the system, of SQLite and of PostgreSQL', () => {
    for (const error of [
      withCode('ENOSPC'),
      withCode('EDQUOT'),
      withErrcode(13),
      withCode('53100'),
    ]) {
      assert.equal(storageFailure(error), 'disk-full');
      assert.equal(storageFailure(new Error('outside', { cause: error })), 'disk-full');
    }
  });

  it('recognizes a full disk by what git says of it', () => {
    for (const text of [
      'fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output\n',
      'error: unable to create temporary file: Disk quota exceeded\n',
      "fatal: sha1 file './objects/pack/tmp_idx_FZSrYz' write error. Out of diskspace\n",
    ]) {
      assert.ok(isDiskFullMessage(text), text);
    }
    assert.ok(!isDiskFullMessage('fatal: refusing to merge unrelated histories\n'));
  });

  it('is a database that is not there', () => {
    const error = new DatabaseUnavailableError(withCode('ECONNREFUSED'));
    assert.equal(storageFailure(new Error('outside', { cause: error })), 'unavailable');
  });

  for (const [code, what] of [
    ['57014', 'a statement that waited too long'],
    ['55P03', 'a lock that was not free in time'],
    ['40001', 'a transaction that others refused at every attempt'],
    ['40P01', 'a deadlock at every attempt'],
    ['53200', 'a database server without memory'],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(storageFailure(withCode(code)), 'unavailable');
    });
  }
});
