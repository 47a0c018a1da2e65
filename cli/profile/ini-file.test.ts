import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseIniFile, textIn, wordIn } from './ini-file.ts';

const parse = (...lines: readonly string[]) => parseIniFile(lines.join('\n'), '/home/ada/config');

describe('a configuration file', () => {
  test('has sections of names and values', () => {
    const file = parse(
      '# a comment',
      '[default]',
      'Region = us-east-1',
      'key:a=b',
      '; more',
      '',
      '[profile p]',
    );
    assert.deepEqual([...file.keys()], ['default', 'profile p']);
    assert.deepEqual(
      [...(file.get('default') ?? [])],
      [
        ['region', 'us-east-1'],
        ['key', 'a=b'],
      ],
    );
    assert.equal(file.get('profile p')?.size, 0);
  });

  test('may name a section twice, and end its lines as Windows does', () => {
    const file = parseIniFile('[ a ]\r\none = 1\r\n[b]\r\n[a]\r\ntwo = 2\r\n', 'config');
    assert.deepEqual([...(file.get('a')?.keys() ?? [])], ['one', 'two']);
  });

  test('has blocks under names without a value', () => {
    const section = parse(
      '[default]',
      'lambda =',
      '  endpoint_url = http://x',
      '  nothing',
      'region = r',
    ).get('default');
    assert.deepEqual(section?.get('lambda'), new Map([['endpoint_url', 'http://x']]));
    assert.equal(wordIn(section, 'lambda'), undefined, 'a block is no text');
    assert.equal(textIn(section, 'region'), 'r');
  });

  test('continues a value in indented lines', () => {
    assert.equal(parse('[a]', 'text = one', '  two').get('a')?.get('text'), 'one\ntwo');
  });

  test('distinguishes an empty value from a missing one', () => {
    const section = parse('[a]', 'cli_pager =').get('a');
    assert.equal(wordIn(section, 'cli_pager'), '');
    assert.equal(textIn(section, 'cli_pager'), undefined);
    assert.equal(wordIn(section, 'region'), undefined);
    assert.equal(wordIn(undefined, 'region'), undefined);
  });

  for (const lines of [['region = r'], ['[a]', 'no value'], ['[a]', '= value']]) {
    test(`is refused: ${lines.join(' | ')}`, () => {
      assert.throws(() => parse(...lines), /Unable to parse config file: \/home\/ada\/config/);
    });
  }
});
