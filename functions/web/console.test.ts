import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { deleteAccessKey, accessKeysOf } from '../access-keys/administer-access-keys.ts';
import { zipOf } from '../code/testing/zip-of.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';
import { pages } from './page-table.ts';
import { addressFor } from './testing/console-paths.ts';

interface Target {
  readonly path: string;
  readonly withFiles: boolean;
}

const queue = 'arn:aws:sqs:us-east-1:123456789012:orders';

/** The URLs of every page and form, for a function that exists. */
function addressesOf(name: string, uuid = 'none'): { gets: string[]; posts: Target[] } {
  const known = pages.map(({ path, acts = {}, uploads = [] }) => ({
    path: addressFor(path, { name, alias: 'live', layer: `${name}-layer`, version: '1', uuid }),
    acts: Object.keys(acts),
    uploads,
  }));
  return {
    gets: known.map(({ path }) => path),
    posts: known.flatMap(({ path, acts, uploads }) =>
      acts.map((act) => ({ path: `${path}/${act}`, withFiles: uploads.includes(act) })),
    ),
  };
}

/** Sends fields in the encoding of the form. */
async function sendTo(
  browser: Browser<TestResponse>,
  { path, withFiles }: Target,
  fields: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  if (!withFiles) return browser.post(path, fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return browser.upload(path, form);
}

describe('the console of functions', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole({
      configured: { targets: new Map([[queue, { kind: 'endpoint', url: 'http://127.0.0.1:1' }]]) },
    });
    browser = await service.signedIn('ada', { siteAdmin: true });
  });
  after(() => service.close());

  /** A function with something on every page; gives the UUID of its event source mapping. */
  async function prepare(
    name: string,
    given: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    await service.create(name, given);
    const named = { FunctionName: name };
    await service.call('PublishVersion', { ...named, Description: given['Description'] });
    await service.call('CreateAlias', { ...named, Name: 'live', FunctionVersion: '1' });
    const Content = { ZipFile: zipOf({ 'lib/tool': 'a tool' }) };
    const layer = { LayerName: `${name}-layer`, Description: given['Description'], Content };
    await service.call('PublishLayerVersion', layer);
    const mapping = { ...named, EventSourceArn: queue, Enabled: false };
    return (await service.call('CreateEventSourceMapping', mapping)).body.UUID;
  }

  test('anonymous users are led to the sign-in page, and back', async () => {
    await service.create('closed');
    for (const path of addressesOf('closed').gets) {
      const response = await service.anonymous().get(path);
      assert.equal(response.status, 302, path);
      assert.equal(response.headers['location'], `/login?return_to=${encodeURIComponent(path)}`);
    }
  });

  test('every page and form is closed to users without an access key', async () => {
    await prepare('keyless');
    const guest = await service.signedIn('guest', { accessKey: false });
    const { gets, posts } = addressesOf('keyless');
    for (const path of gets) {
      const response = await guest.get(path);
      assert.equal(response.status, 403, path);
      assert.match(response.text, /hob admin create-access-key guest/);
      assert.doesNotMatch(response.text, /keyless<|nodejs24/);
    }
    for (const target of posts) {
      assert.equal((await sendTo(guest, target, {})).status, 403, target.path);
    }
  });

  test('whoever loses the last access key may not use it any more', async () => {
    const former = await service.signedIn('former');
    assert.equal((await former.get('/-/functions')).status, 200);
    const row = await service.ports.database.read((sql) =>
      sql.get<{ id: number }>("select id from accounts where login = 'former'"),
    );
    for (const { accessKeyId } of await accessKeysOf(service.ports, row?.id ?? 0)) {
      await deleteAccessKey(service.ports, accessKeyId);
    }
    assert.equal((await former.get('/-/functions')).status, 403);
  });

  test('a form without its token changes nothing', async () => {
    await prepare('guarded');
    const unchanged = await service.call('GetFunction', { FunctionName: 'guarded' });
    for (const target of addressesOf('guarded').posts) {
      const { path } = target;
      for (const form_token of ['', 'x'.repeat(86)]) {
        const response = await sendTo(browser, target, { form_token });
        assert.equal(response.status, 403, path);
        assert.match(response.text, /form token is missing/);
      }
      const foreign = await browser.post(path, {}, { 'sec-fetch-site': 'cross-site' });
      assert.equal(foreign.status, 403, path);
    }
    const { Configuration } = (await service.call('GetFunction', { FunctionName: 'guarded' })).body;
    assert.equal(Configuration.RevisionId, unchanged.body.Configuration.RevisionId);
  });

  test('pages run no script and load nothing from elsewhere', async () => {
    const uuid = await prepare('plain');
    for (const path of addressesOf('plain', uuid).gets) {
      const response = await browser.get(path);
      assert.equal(response.status, 200, `${path}: ${response.text}`);
      assert.match(
        response.headers['content-security-policy'] ?? '',
        /^default-src 'none'; style-src 'self';/,
      );
      assert.match(response.headers['cache-control'] ?? '', /^(?:no-store|private, no-cache)$/);
      assert.doesNotMatch(response.text, /<script|style=|onclick|undefined|\[object/);
      for (const [, attributes = ''] of response.text.matchAll(/<nav([^>]*)>/g)) {
        assert.match(attributes, /aria-label=/);
      }
    }
  });

  test('a function that does not exist is a page that leads on', async () => {
    for (const path of addressesOf('nowhere').gets.filter((each) => each.includes('nowhere'))) {
      const response = await browser.get(path);
      assert.equal(response.status, 404, path);
      assert.match(response.text, /<h1>Not found<\/h1>/);
      assert.match(response.text, /href="\/-\/functions">All functions/);
    }
  });

  test('the texts of functions are shown as text', async () => {
    const hostile = `<script>alert("x")</script>'&`;
    const uuid = await prepare('hostile', {
      Description: hostile,
      Tags: { [hostile.slice(0, 8).replaceAll(/[<>]/g, '=')]: 'a' },
      Environment: { Variables: { NAME: hostile } },
    });
    for (const path of addressesOf('hostile', uuid).gets) {
      const { text } = await browser.get(path);
      assert.doesNotMatch(text, /<script/, path);
    }
    assert.match((await browser.get('/-/functions')).text, /&lt;script&gt;alert/);
  });
});
