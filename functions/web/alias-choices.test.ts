import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

/** Versions that the form of an alias offers. */
const offeredMax = 100;

describe('a function with more versions than its forms offer', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  test('an alias stays where it is when it is saved, and a version is tested by its link', async () => {
    const FunctionName = 'old';
    await service.create(FunctionName);
    for (let count = 0; count < offeredMax + 2; count += 1) {
      const Description = String(count);
      await service.call('UpdateFunctionConfiguration', { FunctionName, Description });
      await service.untilProvisioned();
      const published = await service.call('PublishVersion', { FunctionName });
      assert.equal(published.body.Version, String(count + 1));
    }
    const RoutingConfig = { AdditionalVersionWeights: { 2: 0.25 } };
    const alias = { FunctionName, Name: 'live', FunctionVersion: '1', RoutingConfig };
    assert.equal((await service.call('CreateAlias', alias)).status, 201);
    const page = '/-/functions/old/alias/live';
    const { text } = await browser.get(page);
    const form = filledForm(text, `${page}/update`, { description: 'of production' });
    assert.equal((await browser.post(`${page}/update`, form)).status, 303);
    const { body } = await service.call('GetAlias', { FunctionName, Name: 'live' });
    assert.equal(body.Description, 'of production');
    assert.deepEqual([body.FunctionVersion, body.RoutingConfig], ['1', RoutingConfig]);

    // The list of versions leads to a test of each.
    const tested = await browser.get('/-/functions/old/test?qualifier=1');
    const invocation = filledForm(tested.text, '/-/functions/old/test/invoke');
    assert.equal(invocation.get('qualifier'), '1');
  });
});
