import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';

import { errorNames, type ErrorName } from '#functions-contract/error-names.ts';
import type { Operation } from '#functions-contract/operation.ts';

import { operationHandlers } from '../routes.ts';
import { hostileInput } from '../testing/hostile-inputs.ts';
import { requestOf } from '../testing/request-of.ts';
import {
  arnOf,
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';

/** The same requests at every run; a failure names the seed and the path to it. */
const seed = 20_150_331;
/** More find more: `HOB_HOSTILE_RUNS=2000 npm test -- functions/http/hostile-inputs`. */
const runsPerOperation = Number(process.env['HOB_HOSTILE_RUNS'] ?? 40);

const known = {
  FunctionName: [
    'known',
    'known',
    'other',
    'other',
    arnOf('known'),
    '123456789012:function:known',
    'missing',
  ],
  Qualifier: ['$LATEST', '1', '2', 'live', 'unknown'],
  FunctionVersion: ['$LATEST', '1', '7'],
  Name: ['live', 'unknown'],
};

const errors = new Map<string, ErrorName>(Object.entries(errorNames));

describe('inputs that no client should send', () => {
  let service: TestFunctions;
  before(async () => {
    service = await createTestFunctions();
    for (const name of ['known', 'other']) {
      await service.create(name);
      await service.call('PublishVersion', { FunctionName: name });
    }
  });
  after(() => service.close());

  test('are answered as the contract says, by every operation', async (context) => {
    const operations = operationHandlers(service.ports).map(({ operation }) => operation);
    const statuses = new Map<number, number>();
    for (const [index, operation] of operations.entries()) {
      await fc.assert(
        fc.asyncProperty(hostileInput(operation, known), async (input) => {
          const answer = await service.send(requestOf(operation, input));
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          checkResponse(operation, answer);
        }),
        { seed: seed + index, numRuns: runsPerOperation, endOnFailure: true },
      );
      await service.untilProvisioned();
    }
    const counted = [...statuses].toSorted(([one], [other]) => one - other);
    context.diagnostic(
      `${operations.length} operations: ${counted.map((pair) => pair.join(' × ')).join(', ')}`,
    );
  });
});

function checkResponse(operation: Operation, answer: TestResponse): void {
  const reported = `${operation.name}: ${answer.status} ${answer.text.slice(0, 500)}`;
  assert.match(answer.headers['x-amzn-requestid'] ?? '', /^[0-9a-f-]{36}$/, reported);
  if (answer.status < 300) {
    assert.ok(!('x-amzn-errortype' in answer.headers), reported);
    return;
  }
  const code = answer.headers['x-amzn-errortype'] ?? '';
  const error = errors.get(code);
  assert.ok(error, reported);
  assert.equal(answer.status, error.status, reported);
  // The recorded answer to a broken archive is a 502; nothing else is a fault of the service.
  assert.ok(answer.status < 500 || code === 'InvalidZipFileException', reported);
  assert.equal(typeof answer.body, 'object', reported);
  assert.ok(error.text in answer.body, reported);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, reported);
  const others = Object.keys(answer.body).filter((name) => name !== error.text);
  assert.ok(
    others.every((name) => name === 'Type' || name === 'Reason'),
    reported,
  );
}
