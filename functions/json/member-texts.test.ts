import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { memberTexts } from './member-texts.ts';

const names = new Set(['a', 'body', 'é', 'with "quotes"']);

const textsOf = (text: string): Record<string, string> | undefined => {
  const found = memberTexts(Buffer.from(text), names);
  return found && Object.fromEntries([...found].map(([name, value]) => [name, String(value)]));
};

describe('the texts of members', () => {
  it('are as they were written, wherever they are', () => {
    assert.deepEqual(textsOf(' { "b" : {"a":1} , "body" : [ 1.0, "]," ] ,"a":"}\\"" }\n'), {
      body: '[ 1.0, "]," ]',
      a: '"}\\""',
    });
    assert.deepEqual(textsOf('{"a":1,"a":-2e3 , "\\u0062ody":null}'), { a: '-2e3', body: 'null' });
    assert.deepEqual(textsOf('{"x":["a",{"a":1}]}'), {});
    assert.deepEqual(textsOf('{}'), {});
  });

  it('are those of objects only', () => {
    for (const text of ['[{"a":1}]', '"a"', ' 1', 'null']) assert.equal(textsOf(text), undefined);
  });

  it('are the values that JSON.parse gives', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const key = fc.constantFrom('a', 'body', 'x', 'a"', '\\', 'with "quotes"');
    const objects = fc.dictionary(key, value);
    const check = fc.property(objects, fc.constantFrom(undefined, 2), (object, indent) => {
      const text = JSON.stringify(object, undefined, indent);
      const found = Object.entries(textsOf(text) ?? {});
      const wanted: unknown = JSON.parse(
        JSON.stringify(
          Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name))),
        ),
      );
      assert.deepEqual(
        Object.fromEntries(found.map(([name, each]) => [name, JSON.parse(each)])),
        wanted,
      );
    });
    fc.assert(check, { seed: 8259, numRuns: 2000 });
  });
});
