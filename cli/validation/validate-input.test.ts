import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import { Float, type InputMap, inputMap, type InputValue } from './input-value.ts';
import { readJson } from '../input/json-reader.ts';
import { loadOperation, operationCommands } from '../operations/operations.ts';
import { validateInput } from './validate-input.ts';

const environment: StructureShape = {
  type: 'structure',
  members: {
    Name: member({ type: 'string', min: 1 }, true),
    Size: member({ type: 'integer', min: 2, max: 5 }),
    Share: member({ type: 'double', min: 2, max: 8 }),
    Names: member({ type: 'list', item: { type: 'string', min: 1 } }),
    Variables: member({ type: 'map', key: { type: 'string' }, value: { type: 'string' } }),
    On: member({ type: 'boolean' }),
  },
};

const refusals: readonly (readonly [string, readonly string[]])[] = [
  ['{}', ['Missing required parameter in input: "Name"']],
  [
    '{"Name":"","Foo":1}',
    [
      'Unknown parameter in input: "Foo", must be one of: Name, Size, Share, Names, Variables, On',
      'Invalid length for parameter Name, value: 0, valid min length: 1',
    ],
  ],
  [
    '{"Name":"n","Size":1,"Share":1.0}',
    [
      'Invalid value for parameter Size, value: 1, valid min value: 2',
      'Invalid value for parameter Share, value: 1.0, valid min value: 2.0',
    ],
  ],
  [
    '{"Name":null,"Size":"5","Names":["a",{"b":[1,true,null]}]}',
    [
      "Invalid type for parameter Name, value: None, type: <class 'NoneType'>, valid types: <class 'str'>",
      "Invalid type for parameter Size, value: 5, type: <class 'str'>, valid types: <class 'int'>",
      "Invalid type for parameter Names[1], value: {'b': [1, True, None]}, type: <class 'dict'>, valid types: <class 'str'>",
    ],
  ],
  [
    '{"Name":"n","Size":5.0,"Variables":{"A":["it\'s"]},"On":"yes"}',
    [
      "Invalid type for parameter Size, value: 5.0, type: <class 'float'>, valid types: <class 'int'>",
      `Invalid type for parameter Variables.A, value: ["it's"], type: <class 'list'>, valid types: <class 'str'>`,
      "Invalid type for parameter On, value: yes, type: <class 'str'>, valid types: <class 'bool'>",
    ],
  ],
];

describe('the check before sending', () => {
  test('names every problem, with its path', () => {
    for (const [json, problems] of refusals)
      assert.deepEqual(problemsOf(document(json), environment), problems, json);
  });

  test('leaves what is too large to the service', () => {
    assert.deepEqual(problemsOf(document('{"Name":"n","Size":6,"Share":9}'), environment), []);
  });

  test('holds every minimum of the contract, and none of its maxima, at n and one off', async () => {
    let checked = 0;
    for (const word of operationCommands) {
      const operation = await loadOperation(word);
      if (operation === undefined) continue;
      for (const [name, { shape }] of Object.entries(operation.input.members)) {
        const only: StructureShape = {
          type: 'structure',
          members: { [name]: member(shape) },
        };
        for (const { value, fits } of boundaries(shape)) {
          const problems = problemsOf(inputMap([[name, value]]), only);
          assert.equal(problems.length, fits ? 0 : 1, `${word} ${name} ${problems.join()}`);
          checked += 1;
        }
      }
    }
    assert.ok(checked > 300, String(checked));
  });

  test('any value is taken or refused by name', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const reading = readJson(json);
        assert.equal(reading.kind, 'value');
        const value = reading.kind === 'value' ? reading.value : null;
        const problems = problemsOf(
          inputMap([
            ['Name', 'n'],
            ['Variables', value],
          ]),
          environment,
        );
        for (const problem of problems)
          assert.match(problem, /^Invalid type for parameter Variables/);
      }),
    );
  });
});

interface Boundary {
  readonly value: InputValue;
  readonly fits: boolean;
}

/** Values on both sides of each bound of a shape, and of each shape in it among others that fit. */
function boundaries(shape: Shape): Boundary[] {
  switch (shape.type) {
    case 'string':
      return around(shape, (length) => 'x'.repeat(length));
    case 'integer':
    case 'long':
      return around(shape, (value) => value);
    case 'double':
      return around(shape, (value) => new Float(value));
    case 'list':
      return [
        ...around(shape, (length) => fittingItems(shape.item, length)),
        ...within(shape.item, (item) => [...fittingItems(shape.item, (shape.min || 1) - 1), item]),
      ];
    case 'map':
      return within(shape.value, (value) => inputMap([['Key', value]]));
    case 'structure': {
      const whole = Object.entries(inputMap(fittingMembers(shape)));
      return Object.entries(shape.members).flatMap(([name, { shape: inner }]) =>
        within(inner, (value) => inputMap([...whole, [name, value]])),
      );
    }
    case 'blob':
    case 'boolean':
    case 'stream':
    case 'timestamp':
      return [];
  }
}

function within(shape: Shape, wrapped: (value: InputValue) => InputValue): Boundary[] {
  return boundaries(shape).map(({ value, fits }) => ({ value: wrapped(value), fits }));
}

/** A value that nothing is wrong with. */
function fitting(shape: Shape): InputValue {
  switch (shape.type) {
    case 'string':
      return 'x'.repeat(shape.min ?? 0);
    case 'integer':
    case 'long':
      return shape.min ?? 0;
    case 'double':
      return new Float(shape.min ?? 0);
    case 'boolean':
      return true;
    case 'timestamp':
      return 0;
    case 'blob':
    case 'stream':
      return '';
    case 'list':
      return fittingItems(shape.item, shape.min ?? 0);
    case 'map':
      return inputMap();
    case 'structure':
      return inputMap(fittingMembers(shape));
  }
}

function fittingItems(item: Shape, length: number): InputValue[] {
  return Array.from({ length }, () => fitting(item));
}

/** Those that must be there. */
function fittingMembers({ members }: StructureShape): [string, InputValue][] {
  return Object.entries(members).flatMap(([name, { shape, required }]) =>
    required ? [[name, fitting(shape)]] : [],
  );
}

function around(
  { min, max }: { readonly min?: number; readonly max?: number },
  make: (size: number) => InputValue,
): Boundary[] {
  const below = min === undefined || min < 1 ? [] : [{ value: make(min - 1), fits: false }];
  const least = min === undefined ? [] : [{ value: make(min), fits: true }];
  const most = [max, max === undefined ? undefined : max + 1].flatMap((size) =>
    size === undefined ? [] : [{ value: make(size), fits: true }],
  );
  return [...below, ...least, ...most];
}

function problemsOf(input: InputMap, shape: StructureShape): string[] {
  try {
    validateInput(input, shape);
    return [];
  } catch (error) {
    assert.ok(error instanceof Error);
    const [head, ...problems] = error.message.split('\n');
    assert.equal(head, 'Parameter validation failed:');
    return problems;
  }
}

function document(json: string): InputMap {
  const reading = readJson(json);
  if (reading.kind === 'problem') throw new Error(reading.problem);
  return inputMap(Object.entries(reading.value ?? {}));
}

function member(shape: Shape, required = false): StructureShape['members'][string] {
  return { shape, required, description: '', location: { in: 'body' } };
}
