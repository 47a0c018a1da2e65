import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the page of notifications', () => {
  let forge: TestForge;
  let owner: TestUser;
  let assignee: TestUser;
  let browser: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    assignee = await forge.user('grace');
    browser = await signedInBrowser(forge, 'grace');
    stranger = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  /** A merged pull of the owner to which the other is assigned. */
  async function notified(title: string, options: { private?: boolean } = {}): Promise<string> {
    const { name, path } = await openPull(forge, owner, { ...options, body: { title } });
    const { body } = await owner.put(`/repos/${name}/collaborators/grace`);
    await assignee.patch(`/user/repository_invitations/${body.id}`);
    const assigned = await owner.post(`/repos/${name}/issues/1/assignees`, {
      assignees: ['grace'],
    });
    assert.equal(assigned.status, 201, assigned.text);
    await untilChecked(forge, owner, path);
    forge.clock.advance(1000);
    assert.equal((await owner.put(`${path}/merge`, {})).status, 200);
    await forge.ports.background.idle();
    return name;
  }

  const unread = async (): Promise<number> => (await assignee.get('/notifications')).body.length;

  test('is for a session, and its forms for their token', async () => {
    const visitor = await forge.anonymous.get('/-/notifications');
    assert.match(visitor.headers['location'] ?? '', /^\/login\?return_to=/);
    await notified('Refused');
    for (const path of ['/-/notifications', '/-/notifications/1/read']) {
      assert.equal((await browser.post(path, { until: '2030-01-01T00:00:00Z' })).status, 403);
    }
    assert.equal(await unread(), 1);
  });

  test('shows what is unread, escaped; one and all are marked as read', async () => {
    const name = await notified('<b>First');
    await notified('Second');
    const page = await browser.get('/-/notifications');
    assert.match(page.text, /&lt;b&gt;First/);
    assert.match(page.text, new RegExp(`${name}#1, because you are assigned`));
    const count = await unread();
    const [, one = ''] = /action="(\/-\/notifications\/\d+\/read)"/.exec(page.text) ?? [];
    // The thread of another user is not there.
    const [, form_token = ''] =
      /name="form_token" value="([^"]+)"/.exec((await stranger.get('/settings/tokens')).text) ?? [];
    assert.equal((await stranger.post(one, { form_token })).status, 404);
    assert.equal(await unread(), count);
    await browser.get('/-/notifications');
    assert.equal((await browser.submit(one)).status, 303);
    assert.equal(await unread(), count - 1);
    await browser.get('/-/notifications');
    forge.clock.advance(1000);
    await notified('Since then');
    assert.equal((await browser.submit('/-/notifications')).status, 303);
    // What came after the page was shown stays unread.
    assert.equal(await unread(), 1);
    assert.match((await browser.get('/-/notifications')).text, /Since then/);
    assert.match((await browser.get('/-/notifications?all=1')).text, /○ read/);
  });

  test('hides repositories that may not be read any more', async () => {
    const name = await notified('Hidden', { private: true });
    assert.match((await browser.get('/-/notifications')).text, /Hidden/);
    await owner.delete(`/repos/${name}/collaborators/grace`);
    assert.doesNotMatch((await browser.get('/-/notifications?all=1')).text, /Hidden/);
  });
});
