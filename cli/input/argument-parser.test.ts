import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Float } from '../validation/input-value.ts';
import { parseArgs, readFloat, readInteger, type Option } from './argument-parser.ts';

const options: readonly Option[] = [
  { name: 'name', arity: 'one' },
  { name: 'number', arity: 'one' },
  { name: 'output', arity: 'one', choices: ['json', 'table'] },
  { name: 'follow', arity: 'none' },
  { name: 'publish', arity: 'none' },
  { name: 'no-publish', arity: 'none', key: 'publish', constant: false },
  { name: 'skeleton', arity: 'optional', constant: 'input' },
  { name: 'layers', arity: 'variadic' },
  { name: 'set-env', arity: 'variadic', collects: true, unabbreviated: true },
];

const given = (...args: readonly string[]) => Object.fromEntries(parseArgs(args, options).given);

describe('the arguments of a command', () => {
  const read: readonly (readonly [args: readonly string[], expected: object])[] = [
    [['--name', 'a'], { name: 'a' }],
    [['--name=a=b'], { name: 'a=b' }],
    [['--name='], { name: '' }],
    [['--nam', 'a'], { name: 'a' }],
    [['--name', 'a', '--name', 'b'], { name: 'b' }],
    [['--name', '-'], { name: '-' }],
    [['--name', '-1'], { name: '-1' }],
    [['--name', '-.5'], { name: '-.5' }],
    [['--name', '-a b'], { name: '-a b' }],
    [['--follow'], { follow: true }],
    [['--publish', '--no-publish'], { publish: false }],
    [['--no-publish', '--publish'], { publish: true }],
    [['--skeleton'], { skeleton: 'input' }],
    [['--skeleton', 'output'], { skeleton: 'output' }],
    [['--layers', 'a', 'b', '--follow'], { layers: ['a', 'b'], follow: true }],
    [['--layers'], { layers: [] }],
    [['--layers', 'a', '--layers', 'b'], { layers: ['b'] }],
    [['--set-env', 'A=1', '--set-env', 'B=2'], { 'set-env': ['A=1', 'B=2'] }],
  ];
  for (const [args, expected] of read) {
    test(`are read: ${args.join(' ')}`, () => assert.deepEqual(given(...args), expected));
  }

  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['--name'], /argument --name: expected one argument/],
    [['--name', '--follow'], /argument --name: expected one argument/],
    [['--follow=yes'], /argument --follow: ignored explicit argument 'yes'/],
    [['--n', 'a'], /ambiguous option: --n could match --name, --number, --no-publish/],
    [['--output', 'tabl'], /Found invalid choice 'tabl'[^]*Maybe you meant:[^]*\* table/],
    [['--output=xml'], /argument --output: Found invalid choice 'xml'/],
  ];
  for (const [args, message] of refused) {
    test(`are refused: ${args.join(' ')}`, () => assert.throws(() => given(...args), message));
  }

  test('leave what belongs to no option, in its order', () => {
    const { rest } = parseArgs(['a', '--unknown', 'b', '--set', '--follow', '-x'], options);
    assert.deepEqual(rest, ['a', '--unknown', 'b', '--set', '-x']);
  });

  test('fill the positionals first', () => {
    const slots = [{ name: 'command', choices: ['get', 'put'] }, { name: 'file' }];
    const parsed = parseArgs(['put', '--follow', 'f', 'more'], options, slots);
    assert.deepEqual([...parsed.positionals.values()], ['put', 'f']);
    assert.deepEqual(parsed.rest, ['more']);
    assert.throws(() => parseArgs(['pat'], options, slots), /argument command: .*'pat'/);
  });

  test('are no options after two hyphens', () => {
    const parsed = parseArgs(['--', '--follow'], options, [{ name: 'file' }]);
    assert.equal(parsed.positionals.get('file'), '--follow');
    assert.equal(parsed.given.size, 0);
  });
});

describe('the text of a number', () => {
  test('is a whole number of any size', () => {
    assert.equal(readInteger(' +1_000 '), 1000);
    assert.equal(readInteger('-7'), -7);
    assert.equal(readInteger('9007199254740993'), 9_007_199_254_740_993n);
    for (const wrong of ['', '1.0', '1__0', '_1', '0x1', 'one', '1e3']) {
      assert.throws(() => readInteger(wrong), /invalid literal for int\(\) with base 10: '/);
    }
  });

  test('is a fraction', () => {
    assert.deepEqual(readFloat('1_0.5e-1'), new Float(1.05));
    assert.deepEqual(readFloat('.5'), new Float(0.5));
    assert.deepEqual(readFloat('2'), new Float(2));
    for (const wrong of ['', '.', 'e1', 'nan', 'inf', '0x1', '1,5']) {
      assert.throws(() => readFloat(wrong), /could not convert string to float: '/);
    }
  });
});
