import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { openLogStreams } from './logs/log-streams.ts';
import { measureStorage } from './measure-storage.ts';
import { createTestFunctions, testZip, type TestFunctions } from './testing/test-functions.ts';

describe('the storage of functions', () => {
  let functions: TestFunctions;

  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  it('is of all versions and of their logs, the largest first', async () => {
    const { database, logFolder } = functions.ports;
    assert.deepEqual(await measureStorage(database, logFolder), {
      functions: [],
      logGroups: [],
      unmeasured: 0,
    });
    await functions.create('one');
    await functions.create('two');
    await functions.call('PublishVersion', { FunctionName: 'two' });
    const streams = openLogStreams({
      folder: logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    streams.open('/aws/lambda/one', 'a').append('x'.repeat(1000), 0);
    streams.open('/aws/lambda/one', 'b').append('x'.repeat(1000), 0);
    streams.open('/aws/lambda/two', 'a').append('x', 0);
    await streams.close();
    const measured = await measureStorage(database, logFolder);
    assert.deepEqual(measured.functions, [
      { name: 'two', bytes: 2 * testZip.length },
      { name: 'one', bytes: testZip.length },
    ]);
    const [first, second] = measured.logGroups;
    assert.equal(first?.name, '/aws/lambda/one');
    assert.ok((first?.bytes ?? 0) > 2000);
    assert.equal(second?.name, '/aws/lambda/two');
  });
});
