import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { writeMarker } from './paging.ts';

describe('a marker that no page has returned', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const lists: readonly [operation: string, input: object, position: (text: string) => string[]][] =
    [
      ['ListFunctions', { FunctionVersion: 'ALL' }, (text) => ['fn', text]],
      ['ListLayerVersions', { LayerName: 'tools' }, (text) => [text]],
      ['ListEventSourceMappings', {}, (text) => [text]],
    ];
  for (const [operation, input, position] of lists) {
    it(`is refused by ${operation}`, async () => {
      for (const text of ['x', '', '1.5', '1e400', 'NaN', '9'.repeat(30)]) {
        const Marker = writeMarker(position(text));
        const { status, body } = await functions.call(operation, { ...input, Marker });
        assert.equal(status, 400, text);
        assert.match(body.message, /^Invalid marker/, text);
      }
      const Marker = writeMarker(position('1'));
      assert.equal((await functions.call(operation, { ...input, Marker })).status, 200);
    });
  }
});
