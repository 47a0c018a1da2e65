import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failures';

/** What belongs to a function beside its configuration, changed by forms and compared with what the operations say. */
describe('pages of settings', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole({
      configured: { targets: new Map([[queue, { kind: 'folder', folder: '/nowhere' }]]) },
    });
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  async function prepare(name: string): Promise<string> {
    await service.create(name);
    await service.call('PublishVersion', { FunctionName: name });
    await service.call('CreateAlias', { FunctionName: name, Name: 'live', FunctionVersion: '1' });
    return `/-/functions/${name}`;
  }

  /** Opens a page, fills in one of its forms, and sends it. */
  async function send(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const { status, text } = await browser.get(page);
    assert.equal(status, 200, text);
    const target = `${page.split('?', 1)[0]}/${act}`;
    return browser.post(target, filledForm(text, target, fields));
  }

  test('a function URL is created for an alias, changed and deleted', async () => {
    const at = await prepare('urls');
    const page = `${at}/url?qualifier=live`;
    const input = { FunctionName: 'urls', Qualifier: 'live' };
    const cors = { AllowOrigins: 'https://one.test\r\nhttps://two.test', MaxAge: '60' };
    const wrong = await send(page, 'create', { ...cors, MaxAge: 'soon' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /Max age must be a whole number/);
    assert.match(wrong.text, />\s*https:\/\/one\.test\r\nhttps:\/\/two\.test</);
    const created = await send(page, 'create', { ...cors, auth: 'NONE', AllowCredentials: 'yes' });
    assert.equal(created.headers['location'], page);
    const config = (await service.call('GetFunctionUrlConfig', input)).body;
    assert.equal(config.AuthType, 'NONE');
    assert.deepEqual(config.Cors, {
      AllowOrigins: ['https://one.test', 'https://two.test'],
      MaxAge: 60,
      AllowCredentials: true,
    });
    assert.match((await browser.get(page)).text, new RegExp(`href="${config.FunctionUrl}"`));
    assert.equal(
      (await service.call('GetFunctionUrlConfig', { FunctionName: 'urls' })).status,
      404,
    );

    await send(page, 'update', { AllowOrigins: '', MaxAge: '', mode: 'RESPONSE_STREAM' });
    const changed = (await service.call('GetFunctionUrlConfig', input)).body;
    assert.equal(changed.InvokeMode, 'RESPONSE_STREAM');
    assert.equal(changed.AuthType, 'NONE');
    assert.deepEqual(changed.Cors, { AllowCredentials: true });

    const asked = await send(page, 'delete');
    assert.match(asked.text, /Delete the function URL of urls\?/);
    await browser.submit(`${at}/url/delete`);
    assert.equal((await service.call('GetFunctionUrlConfig', input)).status, 404);
  });

  test('concurrency is reserved, and environments are provisioned', async () => {
    const at = await prepare('busy');
    const page = `${at}/concurrency`;
    const named = { FunctionName: 'busy' };
    assert.match((await browser.get(page)).text, /None is reserved/);
    const wrong = await send(page, 'reserve', { reserved: 'many' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /value="many"/);
    const excess = await send(page, 'reserve', { reserved: '999999' });
    assert.equal(excess.status, 400);
    await send(page, 'reserve', { reserved: '7' });
    const reserved = await service.call('GetFunctionConcurrency', named);
    assert.equal(reserved.body.ReservedConcurrentExecutions, 7);

    const release = service.environments.holdStarts();
    await send(page, 'provision', { qualifier: 'live', provisioned: '2' });
    const starting = (await browser.get(page)).text;
    assert.match(starting, /<strong>live<\/strong>\s*<span class="state waiting">/);
    assert.match(starting, /data-live/);
    release();
    await service.untilProvisioned();
    const ready = (await browser.get(page)).text;
    assert.match(ready, /<span class="state good">✓ Ready<\/span>/);
    assert.doesNotMatch(ready, /data-live|http-equiv/);

    await send(page, 'unreserve');
    const free = await service.call('GetFunctionConcurrency', named);
    assert.equal(free.body.ReservedConcurrentExecutions, undefined);
    await send(page, 'delete');
    const left = await service.call('ListProvisionedConcurrencyConfigs', named);
    assert.deepEqual(left.body.ProvisionedConcurrencyConfigs, []);
  });

  test('asynchronous invocation has retries, an age and destinations, for each version and alias', async () => {
    const at = await prepare('later');
    const page = `${at}/asynchronous?qualifier=live`;
    assert.match((await browser.get(page)).text, new RegExp(`<code>${queue}</code>`));
    const undeclared = await send(page, 'save', { failure: `${queue}-2` });
    assert.equal(undeclared.status, 400);
    assert.match(undeclared.text, /failures-2&quot;|failures-2"/);
    const saved = await send(page, 'save', { retries: '0', age: '120', failure: queue });
    assert.equal(saved.headers['location'], page, saved.text);
    const input = { FunctionName: 'later', Qualifier: 'live' };
    const { body } = await service.call('GetFunctionEventInvokeConfig', input);
    assert.equal(body.MaximumRetryAttempts, 0);
    assert.equal(body.MaximumEventAgeInSeconds, 120);
    assert.deepEqual(body.DestinationConfig, { OnSuccess: {}, OnFailure: { Destination: queue } });
    await send(page, 'delete');
    assert.equal((await service.call('GetFunctionEventInvokeConfig', input)).status, 404);
  });

  test('statements are added to the policy, and removed unless it was changed meanwhile', async () => {
    const at = await prepare('shared');
    const page = `${at}/permissions`;
    const statement = { id: 'queue', principal: 'sqs.amazonaws.com' };
    assert.match((await browser.get(page)).text, /has no statement/);
    assert.equal((await send(page, 'add', { ...statement, principal: 'a b' })).status, 400);
    await send(page, 'add', { ...statement, source_account: '123456789012' });
    const shown = (await browser.get(page)).text;
    assert.match(shown, /<h3>queue<\/h3>/);
    assert.match(shown, /sqs\.amazonaws\.com/);
    const again = await send(page, 'add', statement);
    assert.equal(again.status, 409);
    assert.match(again.text, /value="sqs\.amazonaws\.com"/);

    const old = (await browser.get(page)).text;
    await service.call('AddPermission', {
      FunctionName: 'shared',
      StatementId: 'other',
      Action: 'lambda:InvokeFunction',
      Principal: '*',
    });
    const target = `${page}/remove`;
    const chosen = { statement: 'queue' };
    const stale = await browser.post(target, filledForm(old, target, chosen));
    assert.equal(stale.status, 412);
    assert.match(stale.text, /Another user changed this/);
    assert.match(stale.text, /<li>Statement other: \{/);
    assert.match(stale.text, /<h3>other<\/h3>/);
    const adding = `${page}/add`;
    const late = { id: 'late', principal: 's3.amazonaws.com' };
    const staleAdd = await browser.post(adding, filledForm(old, adding, late));
    assert.equal(staleAdd.status, 412);
    assert.match(staleAdd.text, /<li>Statement other: \{/);
    assert.match(staleAdd.text, /value="s3\.amazonaws\.com"/);
    assert.equal((await browser.post(adding, filledForm(staleAdd.text, adding, late))).status, 303);
    await send(page, 'remove', chosen);
    assert.doesNotMatch((await browser.get(page)).text, /<h3>queue<\/h3>/);
  });

  test('what another user changed meanwhile is shown on the form, and nothing of it is lost', async () => {
    const at = await prepare('contended');
    const named = { FunctionName: 'contended' };
    await service.call('CreateFunctionUrlConfig', { ...named, AuthType: 'AWS_IAM' });
    const FunctionArn = 'arn:aws:lambda:us-east-1:123456789012:function:contended';
    const rows = [
      {
        page: `${at}/asynchronous`,
        act: 'save',
        mine: { retries: '1' },
        other: () =>
          service.call('PutFunctionEventInvokeConfig', { ...named, MaximumEventAgeInSeconds: 90 }),
        shown: /<li>Maximum age of event: 90<\/li>/,
        outcome: async () => {
          const { body } = await service.call('GetFunctionEventInvokeConfig', named);
          return [body.MaximumRetryAttempts, body.MaximumEventAgeInSeconds];
        },
        before: [undefined, 90],
        after: [1, 90],
      },
      {
        page: `${at}/url`,
        act: 'update',
        mine: { MaxAge: '5' },
        other: () => service.call('UpdateFunctionUrlConfig', { ...named, AuthType: 'NONE' }),
        shown: /<li>Auth type: NONE<\/li>/,
        outcome: async () => {
          const { body } = await service.call('GetFunctionUrlConfig', named);
          return [body.AuthType, body.Cors?.MaxAge];
        },
        before: ['NONE', undefined],
        after: ['NONE', 5],
      },
      {
        page: `${at}/concurrency`,
        act: 'reserve',
        mine: { reserved: '3' },
        other: () =>
          service.call('PutFunctionConcurrency', { ...named, ReservedConcurrentExecutions: 2 }),
        shown: /<li>Reserved concurrency: 2<\/li>/,
        outcome: async () => {
          const { body } = await service.call('GetFunctionConcurrency', named);
          return body.ReservedConcurrentExecutions;
        },
        before: 2,
        after: 3,
      },
      {
        page: `${at}/tags`,
        act: 'save',
        mine: { tag_key: 'mine', tag_value: '1' },
        other: () => service.call('TagResource', { Resource: FunctionArn, Tags: { theirs: '2' } }),
        shown: /<li>Tag theirs: 2<\/li>/,
        outcome: async () => {
          const { body } = await service.call('ListTags', { Resource: FunctionArn });
          return body.Tags;
        },
        before: { theirs: '2' },
        // The form has only what its sender has seen: they decide about the other's tag.
        after: { mine: '1' },
      },
    ];
    for (const { page, act, mine, other, shown, outcome, before: left, after: saved } of rows) {
      const { text } = await browser.get(page);
      const target = `${page}/${act}`;
      assert.ok((await other()).status < 300, page);
      const refused = await browser.post(target, filledForm(text, target, mine));
      assert.equal(refused.status, 412, page);
      assert.match(refused.text, /Another user changed this/);
      assert.match(refused.text, shown);
      assert.deepEqual(await outcome(), left, page);
      const again = await browser.post(target, filledForm(refused.text, target));
      assert.equal(again.status, 303, again.text);
      assert.deepEqual(await outcome(), saved, page);
    }
  });

  test('tags are added, changed and removed at once', async () => {
    const at = await prepare('tagged');
    const Resource = 'arn:aws:lambda:us-east-1:123456789012:function:tagged';
    await service.call('TagResource', { Resource, Tags: { old: '1', kept: '2', other: '3' } });
    const page = `${at}/tags`;
    const { text } = await browser.get(page);
    const target = `${page}/save`;
    const form = filledForm(text, target);
    const rows: [string, string][] = [
      ['', '1'],
      ['kept', '2'],
      ['other', 'changed'],
      ['__proto__', 'x'],
    ];
    form.delete('tag_key');
    form.delete('tag_value');
    for (const [key, value] of rows) {
      form.append('tag_key', key);
      form.append('tag_value', value);
    }
    const saved = await browser.post(target, form);
    assert.equal(saved.headers['location'], page, saved.text);
    const { Tags } = (await service.call('ListTags', { Resource })).body;
    assert.deepEqual(Object.entries(Tags).toSorted(), [
      ['__proto__', 'x'],
      ['kept', '2'],
      ['other', 'changed'],
    ]);
    // AWS allows 50 tags for each resource.
    for (let count = 0; count < 51; count += 1) {
      form.append('tag_key', `more-${count}`);
      form.append('tag_value', '');
    }
    form.set('base', filledForm((await browser.get(page)).text, target).get('base') ?? '');
    const answer = await browser.post(target, form);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /value="more-50"/);
  });
});
