import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';
import { parse } from 'yaml';

import { anyCharacter } from '#platform/testing/any-character.ts';

import { CliError } from '../context/errors.ts';
import { formatOutput, type OutputContext, type OutputFormat } from './format-output.ts';

const context: OutputContext = {
  title: 'GetThing',
  color: false,
  columns: 80,
  terminal: false,
};

const thing = {
  Name: 'greet',
  Timeout: 10,
  Code: { Size: 5, Sha: 'abc=' },
  Layers: [
    { Arn: 'arn:one', CodeSize: 10 },
    { Arn: 'arn:two', Signed: true },
  ],
  Architectures: ['x86_64', 'arm64'],
  Subnets: [],
};

async function printed(
  format: OutputFormat,
  value: unknown,
  changes: Partial<OutputContext> = {},
): Promise<string> {
  return formatOutput(format, value, { ...context, ...changes });
}

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

describe('output', () => {
  for (const format of ['json', 'text', 'table', 'yaml', 'yaml-stream'] as const) {
    it(`prints nothing for an empty response as ${format}`, async () => {
      assert.equal(await printed(format, {}), '');
    });
  }

  const scalars: readonly (readonly [value: unknown, json: string, text: string])[] = [
    ['greet', '"greet"\n', 'greet\n'],
    [10, '10\n', '10\n'],
    [false, 'false\n', 'False\n'],
    [null, 'null\n', 'None\n'],
    ['', '""\n', '\n'],
    [[], '[]\n', ''],
    ['é 日本 "', '"é 日本 \\""\n', 'é 日本 "\n'],
    [Buffer.from('abc'), '"YWJj"\n', 'YWJj\n'],
  ];
  for (const [value, json, text] of scalars) {
    it(`prints ${json.trim()}`, async () => {
      assert.equal(await printed('json', value), json);
      assert.equal(await printed('text', value), text);
      assert.equal(await printed('yaml', value), json);
    });
  }

  it('prints JSON in the order of the members', async () => {
    assert.equal(
      await printed('json', { b: 1, a: { c: [true, null] } }),
      lines(
        '{',
        '    "b": 1,',
        '    "a": {',
        '        "c": [',
        '            true,',
        '            null',
        '        ]',
        '    }',
        '}',
      ),
    );
  });

  it('prints text with scalars first and what is nested after its name', async () => {
    assert.equal(
      await printed('text', thing),
      lines(
        'greet\t10',
        'ARCHITECTURES\tx86_64',
        'ARCHITECTURES\tarm64',
        'CODE\tabc=\t5',
        'LAYERS\tarn:one\t10\t',
        'LAYERS\tarn:two\t\tTrue',
      ),
    );
  });

  it('prints lists of lists as lines of text', async () => {
    assert.equal(
      await printed('text', [
        ['a', 1],
        ['b', null],
      ]),
      'a\t1\nb\tNone\n',
    );
    assert.equal(await printed('text', ['a', 1]), 'a\t1\n');
  });

  it('draws a nested table', async () => {
    assert.equal(
      await printed('table', thing),
      lines(
        '-------------------------------------',
        '|             GetThing              |',
        '+---------------+-------------------+',
        '|     Name      |      Timeout      |',
        '+---------------+-------------------+',
        '|  greet        |  10               |',
        '+---------------+-------------------+',
        '||          Architectures          ||',
        '|+---------------------------------+|',
        '||  x86_64                         ||',
        '||  arm64                          ||',
        '|+---------------------------------+|',
        '||              Code               ||',
        '|+---------------+-----------------+|',
        '||      Sha      |      Size       ||',
        '|+---------------+-----------------+|',
        '||  abc=         |  5              ||',
        '|+---------------+-----------------+|',
        '||             Layers              ||',
        '|+---------+------------+----------+|',
        '||   Arn   | CodeSize   | Signed   ||',
        '|+---------+------------+----------+|',
        '||  arn:one|  10        |          ||',
        '||  arn:two|            |  True    ||',
        '|+---------+------------+----------+|',
      ),
    );
  });

  it('turns a row that is wider than the terminal', async () => {
    assert.equal(
      await printed('table', { A: '1', B: '2' }, { columns: 10 }),
      lines(
        '------------',
        '| GetThing |',
        '+----+-----+',
        '|  A |  1  |',
        '|  B |  2  |',
        '+----+-----+',
      ),
    );
  });

  it('gives wide characters two columns', async () => {
    const table = await printed('table', [['日本語'], ['abcdef']]);
    assert.equal(
      table,
      lines(
        '------------',
        '| GetThing |',
        '+----------+',
        '|  日本語  |',
        '|  abcdef  |',
        '+----------+',
      ),
    );
  });

  it('draws only the title over a bare scalar, and nothing for false', async () => {
    assert.equal(await printed('table', 'greet'), lines('----------', '|GetThing|', '+--------+'));
    assert.equal(await printed('table', false), '');
  });

  it('refuses a table of rows of different lengths', async () => {
    await assert.rejects(
      printed('table', [['a', 'b'], ['c']]),
      new CliError(255, 'Row should have 2 elements, instead it has 1'),
    );
  });

  it('colors cells and bars, with a reset after every piece', async () => {
    const reset = '\u001B[0m';
    const bar = `\u001B[2m\u001B[33m|${reset}${reset}`;
    const table = await printed('table', { a: [1] }, { color: true });
    assert.equal(
      table,
      [
        `----------\n${reset}`,
        `${reset}|GetThing|${reset}${reset}\n${reset}`,
        `${reset}+--------+${reset}${reset}\n${reset}`,
        `${bar}|   a  |${reset}${bar}\n${reset}`,
        `${bar}+------+${reset}${bar}\n${reset}`,
        `${bar}|  \u001B[1m\u001B[34m1${reset}   |${reset}${bar}\n${reset}`,
        `${bar}+------+${reset}${bar}\n${reset}`,
      ].join(''),
    );
  });

  it('prints YAML with sorted keys and lists under their key', async () => {
    assert.equal(
      await printed('yaml', thing),
      lines(
        'Architectures:',
        '- x86_64',
        '- arm64',
        'Code:',
        '  Sha: abc=',
        '  Size: 5',
        'Layers:',
        '- Arn: arn:one',
        '  CodeSize: 10',
        '- Arn: arn:two',
        '  Signed: true',
        'Name: greet',
        'Subnets: []',
        'Timeout: 10',
      ),
    );
  });

  it('makes each page an item of the YAML stream', async () => {
    const pages = await Promise.all(
      [{ a: ['b'] }, [['c', 1]], 'd', null].map((page) => printed('yaml-stream', page)),
    );
    assert.equal(pages.join(''), lines('- a:', '  - b', '- - - c', '    - 1', '- d', '- null'));
  });

  const yamlTexts: readonly (readonly [text: string, yaml: string])[] = [
    ['plain args', 'plain args'],
    ['', "''"],
    ['1', "'1'"],
    ['1.5', "'1.5'"],
    ['0x1F', "'0x1F'"],
    ['true', "'true'"],
    ['yes', 'yes'],
    ['None', 'None'],
    ['null', "'null'"],
    ['2026-01-15', "'2026-01-15'"],
    ['2026-01-15T10:20:30Z', "'2026-01-15T10:20:30Z'"],
    ['2026-01-15T10:20:30.000+0000', '2026-01-15T10:20:30.000+0000'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a #b', "'a #b'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['[a', "'[a'"],
    [' a', "' a'"],
    ["it's", "it's"],
    ["'a'", '"\'a\'"'],
    ['a\nb', '"a\\nb"'],
    ['\u001B[31m', '"\\e[31m"'],
    ['é 😀', 'é 😀'],
  ];
  for (const [text, yaml] of yamlTexts) {
    it(`quotes ${JSON.stringify(text)} in YAML only as needed`, async () => {
      assert.equal(await printed('yaml', { k: text }), `k: ${yaml}\n`);
    });
  }

  it('folds long text behind column 80', async () => {
    const text = 'word '.repeat(30).trim();
    const yaml = await printed('yaml', { k: { l: text } });
    assert.deepEqual(
      yaml.split('\n').map((line) => line.length),
      [2, 84, 73, 0],
    );
    assert.deepEqual(parse(yaml), { k: { l: text } });
  });

  describe('on a terminal', () => {
    const hostile = { a: 'x\u001B]0;gone\u0007', 'b\u009B': ['\u202Eabc', '\r'] };
    for (const format of ['json', 'text', 'table', 'yaml', 'yaml-stream'] as const) {
      it(`prints no control character as ${format}`, async () => {
        const text = await printed(format, hostile, { terminal: true });
        // oxlint-disable-next-line no-control-regex -- These are what must not be there.
        assert.doesNotMatch(text, /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
        assert.match(text, /gone/);
      });
    }

    it('keeps JSON the same value', async () => {
      assert.deepEqual(JSON.parse(await printed('json', hostile, { terminal: true })), hostile);
    });

    it('leaves the bytes alone where no person reads', async () => {
      assert.equal(await printed('text', hostile.a), `${hostile.a}\n`);
    });
  });

  describe('of any value', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    const notEmpty = value.filter((any) => JSON.stringify(any) !== '{}');

    it('is text or a table, or a message', async () => {
      await fc.assert(
        fc.asyncProperty(value, fc.boolean(), async (any, terminal) => {
          assert.equal(typeof (await printed('text', any, { terminal })), 'string');
          try {
            await printed('table', any, { terminal, color: terminal });
          } catch (error) {
            assert.ok(error instanceof CliError, String(error));
          }
        }),
      );
    });

    it('is JSON that reads back', async () => {
      await fc.assert(
        fc.asyncProperty(notEmpty, fc.boolean(), async (any, terminal) => {
          const again: unknown = JSON.parse(await printed('json', any, { terminal }));
          assert.equal(JSON.stringify(again), JSON.stringify(any));
        }),
      );
    });

    it('is YAML that reads back', async () => {
      const text = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(...yamlTexts.map(([one]) => one)),
      );
      const key = text.filter((one) => one.length < 100 && one !== '__proto__');
      const tree = fc.letrec((tie) => ({
        any: fc.oneof(text, fc.boolean(), fc.constant(null), fc.integer(), tie('list'), tie('map')),
        list: fc.array(tie('any'), { maxLength: 4 }),
        map: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      }));
      await fc.assert(
        fc.asyncProperty(tree.list, async (any) => {
          fc.pre(JSON.stringify(any) !== '{}');
          assert.deepEqual(plain(parse(await printed('yaml', any))), plain(any));
        }),
      );
    });
  });
});

/** Without the prototypes that the property test's values have. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
