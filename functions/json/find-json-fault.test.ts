import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { findJsonFault } from './find-json-fault.ts';

const faultOf = (text: string): number | undefined => findJsonFault(Buffer.from(text));

/** What texts of JSON are made of, and what they are not. */
const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a":',
  '"b"',
  ' ',
  '\n',
  '\t',
  '\u0001',
  '0',
  '1',
  '12',
  '-',
  '+',
  '.',
  '1.5',
  'e',
  'E',
  '2e+3',
  '-0',
  'true',
  'false',
  'null',
  'tr',
  'nul',
  'x',
  'é',
  '\\',
  '\\u',
  '\\u12',
  '"\\u00e4"',
  '"\\n"',
  '"\\x"',
  '"\\""',
];

describe('the first fault of a JSON text', () => {
  it('is there for JSON.parse, too, at the same place', () => {
    const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 });
    const check = fc.property(texts, (parts) => {
      const text = parts.join('');
      const position = faultOf(text);
      let problem: string | undefined;
      try {
        JSON.parse(text);
      } catch (error) {
        problem = String(error);
      }
      assert.equal(position === undefined, problem === undefined, problem ?? text);
      const named = / at position (\d+)/.exec(problem ?? '')?.[1];
      if (named === undefined || position === undefined) return;
      const characters = Buffer.from(text).subarray(0, position).toString().length;
      assert.equal(characters, Number(named), text);
    });
    fc.assert(check, { seed: 8259, numRuns: 20_000 });
  });

  it('is in no value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => faultOf(text) === undefined),
      { seed: 8259, numRuns: 1000 },
    );
  });

  it('is found however deep the text is', () => {
    const depth = 1_000_000;
    const [open, close] = ['['.repeat(depth), ']'.repeat(depth)];
    assert.equal(faultOf(open + close), undefined);
    assert.equal(faultOf(open), depth);
    assert.equal(faultOf(`${open}${close.slice(1)}}`), 2 * depth - 1);
    assert.equal(faultOf(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), undefined);
  });
});
