import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('versions and aliases in the console', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  /** Sends a form of a page, filled in like this. */
  async function send(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const { text, status } = await browser.get(page);
    assert.equal(status, 200, text);
    return browser.post(`${page}/${act}`, filledForm(text, `${page}/${act}`, fields));
  }

  /** A function with two versions that differ. */
  async function withVersions(name: string): Promise<string> {
    await service.create(name);
    for (const Timeout of [5, 6]) {
      await service.call('UpdateFunctionConfiguration', { FunctionName: name, Timeout });
      await service.untilProvisioned();
      await service.call('PublishVersion', { FunctionName: name });
    }
    return `/-/functions/${name}`;
  }

  test('an empty list says what versions and aliases are', async () => {
    await service.create('new');
    assert.match((await browser.get('/-/functions/new/versions')).text, /No version is published/);
    assert.match((await browser.get('/-/functions/new/aliases')).text, /There is no alias/);
  });

  test('a version is published for the revision that was shown', async () => {
    await service.create('published');
    const page = '/-/functions/published/versions';
    const { text } = await browser.get(page);
    await service.call('UpdateFunctionConfiguration', { FunctionName: 'published', Timeout: 9 });
    await service.untilProvisioned();
    const fields = filledForm(text, `${page}/publish`, { description: '<first>' });
    const stale = await browser.post(`${page}/publish`, fields);
    assert.equal(stale.status, 412);
    assert.match(stale.text, /value="&lt;first&gt;"/);
    assert.equal((await send(page, 'publish', { description: '<first>' })).status, 303);
    assert.match((await browser.get(page)).text, /<strong>1<\/strong>\s*<span[^>]*>&lt;first&gt;</);
  });

  test('of more versions than the page shows, the newest are shown', async () => {
    await service.create('many');
    await service.call('PublishVersion', { FunctionName: 'many' });
    await service.ports.database.write((sql) =>
      sql.run(
        `insert into function_versions (function_id, number, configuration_id, revision_id, last_modified, state)
          with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < 1010)
          select v.function_id, n, v.configuration_id, v.revision_id, v.last_modified, v.state
            from numbers, function_versions v join functions f on f.id = v.function_id
            where f.name = 'many' and v.number = 1`,
      ),
    );
    const { text } = await browser.get('/-/functions/many/versions');
    const shown = Array.from(text.matchAll(/<strong>(\d+)<\/strong>/g), ([, number]) =>
      Number(number),
    );
    assert.deepEqual([shown.length, shown[0], shown.at(-1)], [1000, 1010, 11]);
    assert.match(text, /Older versions than these 1000 are not shown/);
    // What forms offer are the newest of them.
    const aliases = await browser.get('/-/functions/many/aliases');
    assert.match(aliases.text, /<option value="1010"/);
    assert.doesNotMatch(aliases.text, /<option value="910"/);
  });

  test('of more aliases than the service lists at once, all are shown, with their settings', async () => {
    const base = await withVersions('popular');
    const last = 'a150';
    const tables = {
      'function_aliases (function_id, name, number, description, revision_id)':
        "1, '', 'revision' || n",
      'event_invoke_configs (function_id, qualifier, retry_attempts_max, modified_at)': '1, 0',
      'function_urls (function_id, qualifier, url_id, auth_type, created_at, modified_at)':
        "'popular' || n, 'AWS_IAM', 0, 0",
    };
    await service.ports.database.write(async (sql) => {
      for (const [into, values] of Object.entries(tables)) {
        await sql.run(
          `insert into ${into}
            with recursive numbers(n) as (select 100 union all select n + 1 from numbers where n < 150)
            select f.id, 'a' || n, ${values} from numbers, functions f where f.name = 'popular'`,
        );
      }
    });
    const { text } = await browser.get(`${base}/aliases`);
    assert.match(text, /alias\/a150"/);
    assert.match((await browser.get(`${base}/versions`)).text, /alias\/a150"/);
    const url = await browser.get(`${base}/url?qualifier=${last}`);
    assert.match(url.text, /<h2>Function URL of popular:a150</);
    const asynchronous = await browser.get(`${base}/asynchronous?qualifier=${last}`);
    assert.match(asynchronous.text, /Asynchronous invocation of popular:a150</);
    assert.doesNotMatch(asynchronous.text, /Nothing is set/);
  });

  test('a version is deleted after a question, and never the function', async () => {
    const page = `${await withVersions('pruned')}/versions`;
    const asked = await send(page, 'delete', { version: '1' });
    assert.equal(asked.status, 200);
    assert.match(asked.text, /Delete version 1 of pruned\?/);
    assert.match((await browser.get(page)).text, /<strong>1</);
    const done = await browser.post(`${page}/delete`, filledForm(asked.text, `${page}/delete`));
    assert.equal(done.status, 303, done.text);
    assert.doesNotMatch((await browser.get(page)).text, /<strong>1</);
    for (const version of ['', '$LATEST', 'live']) {
      const { status } = await send(page, 'delete', { version, confirmed: 'yes' });
      assert.ok([400, 404].includes(status), `${version}: ${status}`);
    }
    assert.equal((await service.call('GetFunction', { FunctionName: 'pruned' })).status, 200);
  });

  test('an alias is created, gets a weight, and is deleted after a question', async () => {
    const base = await withVersions('aliased');
    const refused = await send(`${base}/aliases`, 'create', { alias: 'a b', version: '1' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /value="a b"/);
    const created = await send(`${base}/aliases`, 'create', { alias: 'live', version: '1' });
    assert.equal(created.status, 303, created.text);
    const page = `${base}/alias/live`;
    const without = await send(page, 'update', { additional: '2', weight: 'some' });
    assert.equal(without.status, 400);
    assert.match(without.text, /must be a number of percent/);
    const updated = await send(page, 'update', { additional: '2', weight: '12.5' });
    assert.equal(updated.status, 303, updated.text);
    const got = await service.call('GetAlias', { FunctionName: 'aliased', Name: 'live' });
    assert.deepEqual(got.body.RoutingConfig, { AdditionalVersionWeights: { 2: 0.125 } });
    assert.match((await browser.get(`${base}/aliases`)).text, /version 1, 12\.5 % to version 2/);
    assert.match((await browser.get(`${base}/versions`)).text, /alias\/live"\s*>live/);
    // What the form shows can be sent as it is.
    assert.equal((await send(page, 'update')).status, 303);
    assert.equal((await send(page, 'update', { additional: '', version: '2' })).status, 303);
    const moved = await service.call('GetAlias', { FunctionName: 'aliased', Name: 'live' });
    assert.deepEqual([moved.body.FunctionVersion, moved.body.RoutingConfig], ['2', undefined]);
    const asked = await send(page, 'delete');
    assert.match(asked.text, /Delete the alias live of aliased\?/);
    const done = await browser.post(`${page}/delete`, filledForm(asked.text, `${page}/delete`));
    assert.equal(done.status, 303);
    assert.equal((await browser.get(page)).status, 404);
  });

  test('an alias that was changed meanwhile is not overwritten', async () => {
    const base = await withVersions('moved');
    await send(`${base}/aliases`, 'create', { alias: 'live', version: '1' });
    const page = `${base}/alias/live`;
    const { text } = await browser.get(page);
    const named = { FunctionName: 'moved', Name: 'live' };
    await service.call('UpdateAlias', { ...named, FunctionVersion: '2' });
    const fields = { description: 'mine' };
    const stale = await browser.post(`${page}/update`, filledForm(text, `${page}/update`, fields));
    assert.equal(stale.status, 412);
    assert.match(stale.text, /Alias live: version 2/);
    assert.match(stale.text, /Another user changed this[^]*<li>Version: 2<\/li>/);
    // What this user has changed is on top of that, and nothing else.
    const again = filledForm(stale.text, `${page}/update`);
    assert.deepEqual([again.get('version'), again.get('description')], ['2', 'mine']);
    assert.equal((await browser.post(`${page}/update`, again)).status, 303);
    const { body } = await service.call('GetAlias', named);
    assert.deepEqual([body.FunctionVersion, body.Description], ['2', 'mine']);
  });

  test('a form whose memory of the alias is damaged is refused like any other', async () => {
    const base = await withVersions('damaged');
    await send(`${base}/aliases`, 'create', { alias: 'live', version: '1' });
    for (const damaged of ['', 'null', '[]', '"x"', '{"version":{}}', '{"__proto__":1}']) {
      const fields = { base: damaged, revision: 'other' };
      assert.equal((await send(`${base}/alias/live`, 'update', fields)).status, 412, damaged);
    }
  });
});
