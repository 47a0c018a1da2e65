import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';

import { ConfiguredValue } from './configured-value.ts';

const of = (value: unknown): ConfiguredValue =>
  ConfiguredValue.parse(JSON.stringify(value), 'hob.json');

function assertReported(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error) => error instanceof OperatorError && message.test(error.message));
}

describe('the file of the operator', () => {
  test('is JSON, and an error of the parser quotes nothing of it', () => {
    assertReported(
      () => ConfiguredValue.parse('{"key": secret}', 'hob.json'),
      /^hob\.json is not JSON/,
    );
    assert.throws(
      () => ConfiguredValue.parse('{"key": secret}', 'hob.json'),
      (error) => error instanceof Error && !error.message.includes('secret'),
    );
  });

  test('has members, which are read or absent', () => {
    const value = of({ name: 'one' });
    assert.equal(
      value.member('name', (name) => name.text(/^o/, 'a name')),
      'one',
    );
    assert.equal(
      value.optional('other', (other) => other.text(/./, 'a text')),
      undefined,
    );
    assertReported(
      () => value.member('missing', (missing) => missing.text(/./, 'a text')),
      /^hob\.json: the document must be an object with a member "missing"\.$/,
    );
  });

  test('names the position of a wrong value', () => {
    const port = (value: ConfiguredValue): number =>
      value.member('port', (it) => it.whole(1, 65_535));
    const targets = (value: ConfiguredValue): number[] =>
      value.member('targets', (list) => list.list(port));
    assert.deepEqual(targets(of({ targets: [{ port: 1 }, { port: 65_535 }] })), [1, 65_535]);
    for (const wrong of [0, 65_536, 1.5, '1', null, []]) {
      assertReported(
        () => targets(of({ targets: [{ port: 1 }, { port: wrong }] })),
        /^hob\.json: targets\[1\]\.port must be a whole number from 1 to 65535\.$/,
      );
    }
    assertReported(() => targets(of({ targets: {} })), /targets must be a list/);
    assertReported(() => targets(of({ targets: [7] })), /targets\[0\] must be an object/);
    assertReported(() => targets(of([])), /the document must be an object/);
  });

  test('has maps, whose keys have a form', () => {
    const sizes = (value: ConfiguredValue): ReadonlyMap<string, number> =>
      value.map('sizes', /^[a-z]+$/, (size) => size.whole(0, 9));
    assert.deepEqual(
      [...sizes(of({ sizes: { a: 1, b: 2 } }))],
      [
        ['a', 1],
        ['b', 2],
      ],
    );
    assert.equal(sizes(of({})).size, 0);
    assertReported(() => sizes(of({ sizes: { A: 1 } })), /the name of sizes\["A"\] must match/);
    assertReported(() => sizes(of({ sizes: { a: 10 } })), /sizes\["a"\] must be a whole number/);
  });

  test('has URLs of some schemes', () => {
    const url = (value: unknown): string =>
      of({ url: value }).member('url', (it) => it.url(['http:', 'https:']));
    assert.equal(url('https://hob.test/x'), 'https://hob.test/x');
    for (const wrong of ['file:///etc/passwd', 'hob.test', '', 7]) {
      assertReported(
        () => url(wrong),
        /url must be a URL that begins with http:\/\/ or https:\/\/\./,
      );
    }
  });

  test('has no unknown members, and suggests known ones', () => {
    const read = (value: ConfiguredValue): void => {
      value.optional('folder', (folder) => folder.text(/./, 'a path'));
      value.nothingElse();
    };
    read(of({ folder: '/srv' }));
    assertReported(
      () => read(of({ foldr: '/srv' })),
      /the document has the unknown member "foldr"\. Did you mean "folder"\?$/,
    );
    assertReported(() => read(of({ xyz: 1 })), /unknown member "xyz"\.$/);
  });
});
