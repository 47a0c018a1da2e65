import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { pending, setPrograms, succeeded } from '../durable-executions/testing/durable-programs.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('durable executions in the console', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;
  const list = '/-/functions/durable/executions';

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    const durable = { DurableConfig: { ExecutionTimeout: 7200, RetentionPeriodInDays: 1 } };
    await service.create('durable', durable);
    await service.create('other', durable);
    await service.create('plain');
    setPrograms(service, {
      durable: async ({ input, checkpoint }) => {
        if (JSON.stringify(input) === '{"now":true}') return succeeded('<b>done</b>');
        await checkpoint([
          { Id: 's', Name: '<i>first', Type: 'STEP', SubType: 'Step', Action: 'START' },
          { Id: 's', Name: '<i>first', Type: 'STEP', Action: 'SUCCEED', Payload: '1' },
          { Id: 'w', Type: 'WAIT', Action: 'START', WaitOptions: { WaitSeconds: 3600 } },
        ]);
        return pending;
      },
    });
  });
  after(() => service.close());

  async function begin(event: object): Promise<string> {
    const answer = await service.call('Invoke', {
      FunctionName: 'durable:$LATEST',
      InvocationType: 'Event',
      Payload: JSON.stringify(event),
    });
    assert.equal(answer.status, 202, answer.text);
    await service.ports.durable.poll();
    return answer.headers['x-amz-durable-execution-arn'] ?? '';
  }

  const pageOf = (name: string, arn: string): string =>
    `/-/functions/${name}/execution?arn=${encodeURIComponent(arn)}`;

  test('a list without any says what begins one', async () => {
    assert.match((await browser.get(list)).text, /Each invocation of the function begins one/);
    const { text } = await browser.get('/-/functions/plain/executions');
    assert.match(text, /The function is not durable/);
  });

  test('a running execution is shown with its history, and stopped after a question', async () => {
    const arn = await begin({});
    const { text } = await browser.get(list);
    const [, pageUrl = ''] = /href="([^"]*execution\?arn=[^"]*)"/.exec(text) ?? [];
    assert.equal(pageUrl, pageOf('durable', arn));
    const running = (await browser.get(pageUrl)).text;
    assert.match(running, /◌ Running/);
    assert.match(running, /data-live/);
    const [timeline = assert.fail(running)] =
      /<ol class="timeline">[^]*?<\/ol>/.exec(running) ?? [];
    assert.match(timeline, /The program[^]*&lt;i&gt;first[^]*✓ succeeded[^]*>w [^]*◌ running/);
    assert.match(timeline, /<rect\s+class="good"[^]*<rect\s+class="waiting"/);
    assert.match(timeline, /ends\s+<time [^>]*>in \d+ (?:hour|minutes)/);
    assert.match(running, /ExecutionStarted[^]*StepSucceeded[^]*&lt;i&gt;first[^]*WaitStarted/);
    const asked = await browser.submit('/-/functions/durable/execution/stop');
    assert.match(asked.text, /Stop the durable execution of durable\?/);
    assert.equal(
      (await service.call('GetDurableExecution', { DurableExecutionArn: arn })).body.Status,
      'RUNNING',
    );
    const stopped = await browser.submit('/-/functions/durable/execution/stop');
    assert.equal(stopped.headers['location'], pageUrl);
    const ended = (await browser.get(pageUrl)).text;
    assert.match(ended, /– Stopped/);
    assert.doesNotMatch(ended, /data-live|http-equiv|Stop execution/);
  });

  test('the result of an execution is shown as text', async () => {
    const { text } = await browser.get(pageOf('durable', await begin({ now: true })));
    assert.match(text, /✓ Succeeded/);
    assert.match(text, /&lt;b&gt;done&lt;\/b&gt;/);
  });

  test('an execution is shown and stopped on the pages of its own function only', async () => {
    const arn = await begin({});
    assert.equal((await browser.get(pageOf('other', arn))).status, 400);
    assert.equal((await browser.get(pageOf('durable', 'nonsense'))).status, 400);
    await browser.get(pageOf('durable', arn));
    const { form_token = '' } = Object.fromEntries(
      [
        ...(await browser.get(pageOf('durable', arn))).text.matchAll(
          /name="(form_token)" value="([^"]*)"/g,
        ),
      ].map(([, name = '', value = '']) => [name, value]),
    );
    const fields = { form_token, arn, confirmed: 'yes' };
    assert.equal((await browser.post('/-/functions/other/execution/stop', fields)).status, 400);
    const { body } = await service.call('GetDurableExecution', { DurableExecutionArn: arn });
    assert.equal(body.Status, 'RUNNING');
  });
});
