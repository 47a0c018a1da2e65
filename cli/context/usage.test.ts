import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { closeMatches, UnknownOptions, UsageError } from './usage.ts';

describe('the candidates that are most like a text', () => {
  const commands = ['list-functions', 'list-function-url-configs', 'get-function', 'invoke'];

  test('come best first, three at most', () => {
    assert.deepEqual(closeMatches('list-function', commands), ['list-functions', 'get-function']);
    assert.equal(closeMatches('get-functions', commands)[0], 'get-function');
    assert.deepEqual(closeMatches('aaaa', ['aaab', 'aaac', 'aaaa', 'aaad']).length, 1);
    assert.equal(
      closeMatches('aaaaaaaab', ['aaaaaaaac', 'aaaaaaaad', 'aaaaaaaae', 'aaaaaaaaf']).length,
      3,
    );
  });

  test('are none for a text that is like no other', () => {
    assert.deepEqual(closeMatches('xyz', commands), []);
    assert.deepEqual(closeMatches('', commands), []);
  });
});

describe('an error of usage', () => {
  test('says what is wrong, then how the client is used', () => {
    const error = new UsageError('no such command', ['name']);
    assert.match(error.message, /^hob: \[ERROR\]: no such command\n\nusage: hob /);
    assert.deepEqual(error.missing, ['name']);
  });

  test('suggests known options for unknown ones', () => {
    const options = ['memory-size', 'timeout'];
    assert.equal(
      new UnknownOptions(['--memori-size', 'x'], options).hint,
      'Did you mean --memory-size?',
    );
    assert.equal(new UnknownOptions(['--other', 'timeou'], options).hint, undefined);
  });
});
