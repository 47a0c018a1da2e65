import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { openLogStreams } from './log-streams.ts';

describe('the logs of a function', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('reported');
  });
  after(() => functions.close());

  const ask = async (more: object = {}) => {
    const answer = await functions.call('GetFunctionLogs', { FunctionName: 'reported', ...more });
    assert.equal(answer.status, 200);
    const messages = answer.body.Events.map(({ Message }: { Message: string }) => Message);
    return { messages, marker: answer.body.NextMarker };
  };

  it('are not there for a function that is not', async () => {
    assertRefused(
      await functions.call('GetFunctionLogs', { FunctionName: 'gone' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('gone')}`,
    );
  });

  it('come page by page over all streams, each line once, and go on with what comes', async () => {
    assert.deepEqual((await ask()).messages, []);
    const now = functions.clock.now();
    const streams = openLogStreams({
      folder: functions.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    const [one, other] = ['one', 'other'].map((name) => streams.open('/aws/lambda/reported', name));
    one?.append('first', now - 5000);
    other?.append('second', now - 4000);
    one?.append('third', now - 4000);
    other?.append('fourth', now - 3000);
    // Something earlier may still come before this one.
    one?.append('too fresh', now);
    await streams.flushed();
    assert.deepEqual((await ask({ StartTime: now - 3500 })).messages, ['fourth']);
    const page = await ask({ MaxItems: 2 });
    assert.equal(page.messages[0], 'first');
    const rest = await ask({ Marker: page.marker });
    assert.deepEqual([...page.messages, ...rest.messages].toSorted(), [
      'first',
      'fourth',
      'second',
      'third',
    ]);
    assert.deepEqual((await ask({ Marker: rest.marker })).messages, []);
    functions.clock.advance(1000);
    assert.deepEqual((await ask({ Marker: rest.marker })).messages, ['too fresh']);
    await streams.close();
  });

  it('come in pages of limited size, and each line once', async () => {
    await functions.create('large');
    const streams = openLogStreams({
      folder: functions.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    const stream = streams.open('/aws/lambda/large', 'one');
    const at = functions.clock.now() - 5000;
    // As large as what an invocation can print, and longer in JSON.
    const lines = Array.from({ length: 20 }, (_, index) => `${index} ${'\u0001'.repeat(262_140)}`);
    for (const line of lines) stream.append(line, at);
    await streams.close();
    const found: string[] = [];
    for (let marker: string | undefined; ;) {
      const page = await ask({ FunctionName: 'large', ...(marker && { Marker: marker }) });
      if (page.messages.length === 0) break;
      assert.ok(page.messages.join('').length < 4_300_000, String(page.messages.length));
      found.push(...page.messages);
      ({ marker } = page);
    }
    assert.deepEqual(found, lines);
  });

  it('refuse a marker that is none of theirs', async () => {
    for (const position of [
      ['soon', '0'],
      ['0', 'x'],
      ['1e5', '0'],
      ['', ''],
    ]) {
      const Marker = Buffer.from(JSON.stringify(position)).toString('base64url');
      assertRefused(
        await functions.call('GetFunctionLogs', { FunctionName: 'reported', Marker }),
        'InvalidParameterValueException',
        'Invalid marker: use the NextMarker of the previous page.',
      );
    }
  });
});
