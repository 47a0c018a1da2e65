import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { optional, structure, type Shape, type StringShape } from '#functions-contract/shape.ts';

import { operationHandlers } from '../routes.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { checkConstraints } from '../errors/constraints.ts';

/** What programs say of durable executions and receive again, as JSON both times. */
const anyCharacter: readonly string[] = [
  'CheckpointDurableExecution.Updates.Error.ErrorData',
  'CheckpointDurableExecution.Updates.Error.ErrorMessage',
  'CheckpointDurableExecution.Updates.Error.ErrorType',
  'CheckpointDurableExecution.Updates.Error.StackTrace',
  'CheckpointDurableExecution.Updates.Payload',
  'SendDurableExecutionCallbackFailure.Error.ErrorData',
  'SendDurableExecutionCallbackFailure.Error.ErrorMessage',
  'SendDurableExecutionCallbackFailure.Error.ErrorType',
  'SendDurableExecutionCallbackFailure.Error.StackTrace',
  'StopDurableExecution.Error.ErrorData',
  'StopDurableExecution.Error.ErrorMessage',
  'StopDurableExecution.Error.ErrorType',
  'StopDurableExecution.Error.StackTrace',
];

describe('texts of the contract', () => {
  let service: TestFunctions;
  before(async () => {
    service = await createTestFunctions();
  });
  after(() => service.close());

  test('hold neither U+0000 nor half a character, but for what only travels as JSON', () => {
    const taken = operationHandlers(service.ports)
      .flatMap(({ operation }) => stringsOf(operation.input, operation.name))
      .filter(([, shape]) => !['a\0b', 'a\ud800b'].every((text) => isRefused(shape, text)));
    assert.deepEqual(taken.map(([path]) => path).toSorted(), anyCharacter);
  });
});

function stringsOf(shape: Shape, path: string): (readonly [path: string, shape: StringShape])[] {
  switch (shape.type) {
    case 'string':
      return [[path, shape]];
    case 'list':
      return stringsOf(shape.item, path);
    case 'map':
      return [...stringsOf(shape.key, `${path} key`), ...stringsOf(shape.value, path)];
    case 'structure':
      return Object.entries(shape.members).flatMap(([name, member]) =>
        stringsOf(member.shape, `${path}.${name}`),
      );
    case 'integer':
    case 'long':
    case 'double':
    case 'boolean':
    case 'blob':
    case 'stream':
    case 'timestamp':
      return [];
  }
}

function isRefused(shape: StringShape, text: string): boolean {
  const around = structure({ Text: optional(shape, '') });
  try {
    checkConstraints(around, { Text: text });
    return false;
  } catch (error) {
    assert.match(String(error), /failed to satisfy constraint/);
    return true;
  }
}
