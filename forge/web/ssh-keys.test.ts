import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { makeSshKey } from '../testing/ssh-keys.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the pages of keys for SSH', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge({ sshPort: 2222 });
    owner = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  /** Opens a page, and sends one of its forms. */
  async function send(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }> {
    assert.equal((await browser.get(page)).status, 200);
    return browser.submit(`${page}/${act}`, fields);
  }

  test('add, list and delete the keys of the user', async () => {
    const page = '/settings/keys';
    const nobody = await createTestBrowser(forge).get(page);
    assert.match(nobody.headers['location'] ?? '', /^\/login/);
    const refused = await send(page, 'create', { title: 'Laptop', key: 'nonsense' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /OpenSSH public key format/);
    assert.match(refused.text, /value="Laptop"/, 'what was filled in stays');
    const key = makeSshKey();
    const added = await send(page, 'create', { title: 'Laptop', key: key.publicKey });
    assert.equal(added.status, 303, added.text);
    const shown = await browser.get(page);
    assert.match(shown.text, /Laptop/);
    assert.match(shown.text, /SHA256:/);
    assert.match(shown.text, /never used/);
    const [stored] = (await owner.get('/user/keys')).body;
    const other = await forge.user('other');
    const theirs = await other.post('/user/keys', { key: makeSshKey().publicKey });
    const foreign = await send(page, 'delete', { key_id: String(theirs.body.id) });
    assert.equal(foreign.status, 403);
    assert.equal((await send(page, 'delete', { key_id: String(stored.id) })).status, 303);
    assert.deepEqual((await owner.get('/user/keys')).body, []);
  });

  test('add, list and delete deploy keys, which push only if that is chosen', async () => {
    const name = await forge.repository(owner, { init: true });
    const page = `/${name}/settings/keys`;
    const [reader, writer] = [makeSshKey(), makeSshKey()];
    assert.equal((await send(page, 'create', { title: 'r', key: reader.publicKey })).status, 303);
    const fields = { title: 'w', key: writer.publicKey, write: '1' };
    assert.equal((await send(page, 'create', fields)).status, 303);
    const keys = (await owner.get(`/repos/${name}/keys`)).body;
    assert.deepEqual(
      keys.map((key: { title: string; read_only: boolean }) => [key.title, key.read_only]),
      [
        ['r', true],
        ['w', false],
      ],
    );
    assert.equal((await browser.get(page)).text.match(/read-only/g)?.length, 1);
    for (const { id } of keys) {
      assert.equal((await send(page, 'delete', { key_id: String(id) })).status, 303);
    }
    assert.deepEqual((await owner.get(`/repos/${name}/keys`)).body, []);
  });

  test('give the keys of a user as text, and the clone URL of SSH', async () => {
    const user = await forge.user('reader');
    assert.equal((await forge.anonymous.get('/reader.keys')).text, '');
    const { publicKey } = makeSshKey('a comment');
    await user.post('/user/keys', { key: publicKey });
    const keys = await forge.anonymous.get('/reader.keys');
    assert.equal(keys.text, `${publicKey.split(' ').slice(0, 2).join(' ')}\n`);
    assert.match(keys.headers['content-type'] ?? '', /^text\/plain/);
    assert.equal((await forge.anonymous.get('/nobody.keys')).status, 404);
    await forge.organization(user, 'acme');
    assert.equal((await forge.anonymous.get('/acme.keys')).status, 404);
    const name = await forge.repository(owner, { init: true });
    assert.match(
      (await browser.get(`/${name}`)).text,
      new RegExp(`git clone ssh://git@forge.test:2222/${name}.git`),
    );
    const { body } = await owner.get(`/repos/${name}`);
    assert.equal(body.ssh_url, `ssh://git@forge.test:2222/${name}.git`);
    assert.equal(body.git_url, `git://forge.test/${name}.git`);
  });
});
