import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { DeviceCodeThrottle } from '../auth/applications/device-code-throttle.ts';
import type { PasswordSignIn } from '../auth/password-sign-in.ts';
import { databaseFingerprint } from '../testing/database-fingerprint.ts';
import { furnish } from '../testing/furnished-repository.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { accountSegment } from './kit/page-paths.ts';
import type { Perform } from './kit/perform.ts';
import { formRoutes } from './page-table.ts';

const unused = (): never => assert.fail('not used');
const perform: Perform = Object.assign(unused, { countCreation: async () => {} });
const deviceCodes: DeviceCodeThrottle = { attempt: unused };
const passwords: PasswordSignIn = {
  signIn: unused,
  signInWithCode: unused,
};

/** What most forms have, so that nothing but the check of the sender is between a request and its effect. */
const fields = {
  login: 'made',
  name: 'made',
  title: 'made',
  body: 'made',
  note: 'made',
  email: 'made@example.test',
  id: '1',
  authorize: '1',
};

/** The account of the sender, and what all users may create. */
const aboutSender =
  /^\/(?:settings|sessions?|login|apps|organizations|-\/(?:home|import|inbox|invitations|new|orgs\/new))(?:\/|$)/;

/** What all who may read a repository may do in it. A choice of no reviewers changes nothing. */
const ofReaders =
  /^\/acme\/vault\/(?:(?:pull|issues)\/\d+\/(?:comment|(?:un)?subscribe|review|discard-review|reviewers)|issues|forks\/create|(?:stars|subscription)\/\w+)$/;

describe('every form', () => {
  let forge: TestForge;
  let owner: TestUser;
  let own: TestBrowser;
  let other: TestBrowser;
  const targets = formRoutes(passwords, perform, deviceCodes).map(([path]) =>
    path
      .replace(accountSegment, 'acme')
      .replace(':repo', 'room')
      .replaceAll(/:\w+|\*/g, '1'),
  );

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own', { siteAdmin: true });
    await forge.user('mallory');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    await furnish(forge, owner, { name: 'room' });
    own = await signedInBrowser(forge, 'own');
    other = await signedInBrowser(forge, 'mallory');
  });
  after(() => forge.close());

  const tokenOf = async (browser: TestBrowser): Promise<string> => {
    const { text } = await browser.get('/settings/profile');
    return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
  };

  test('does nothing without the token of its session, from another origin, and for nobody', async () => {
    assert.ok(targets.length > 100, `${targets.length} forms`);
    const form_token = await tokenOf(own);
    const foreign = await tokenOf(other);
    const nobody = createTestBrowser(forge);
    await nobody.get('/login');
    const unchanged = await databaseFingerprint(forge.database);
    for (const target of targets) {
      const answers = {
        'no token': await own.post(target, fields),
        'the token of another session': await own.post(target, { ...fields, form_token: foreign }),
        'another site': await own.post(
          target,
          { ...fields, form_token },
          { 'sec-fetch-site': 'cross-site' },
        ),
        'another origin': await own.post(
          target,
          { ...fields, form_token },
          { origin: 'http://evil.test' },
        ),
        'no session': await nobody.post(target, { ...fields, form_token }),
      };
      for (const [from, { status }] of Object.entries(answers)) {
        assert.equal(status, 403, `${target}, ${from}`);
      }
    }
    assert.deepEqual(await databaseFingerprint(forge.database), unchanged);
  });

  /** A form about what the sender may not change does nothing: 404 hides what they may not see, 403 says that they may not, 422 is of other fields. */
  describe('of others', () => {
    let form_token: string;
    let browser: TestBrowser;
    /** Of a private repository, of its organization, and of the site. */
    const others = targets
      .filter((target) => target !== '/logout' && !aboutSender.test(target))
      .map((target) =>
        target
          .replace('/room/', '/vault/')
          .replace('/issues/1/', '/issues/2/')
          .replace('/-/orgs/1/', '/-/orgs/acme/')
          .replace('/teams/1/', '/teams/crew/')
          .replace('/users/1/', '/users/own/'),
      );

    before(async () => {
      const reader = await forge.user('reader');
      const at = '/repos/acme/vault';
      await furnish(forge, owner, { name: 'vault', private: true });
      await owner.put(`${at}/collaborators/reader`, { permission: 'pull' });
      const [{ id }] = (await reader.get('/user/repository_invitations')).body;
      assert.equal((await reader.patch(`/user/repository_invitations/${id}`)).status, 204);
    });

    async function refuses(statuses: readonly number[], sent: readonly string[]): Promise<void> {
      const unchanged = await databaseFingerprint(forge.database);
      for (const target of sent) {
        const { status } = await browser.post(target, { ...fields, form_token });
        assert.ok(statuses.includes(status), `${target}: ${status}`);
      }
      assert.deepEqual(await databaseFingerprint(forge.database), unchanged);
    }

    test('does nothing for users who may not see it', async () => {
      browser = await signedInBrowser(forge, 'mallory');
      form_token = await tokenOf(browser);
      assert.ok(others.length > 100, `${others.length} forms`);
      await refuses([404], others);
    });

    test('does for readers what readers may do', async () => {
      browser = await signedInBrowser(forge, 'reader');
      form_token = await tokenOf(browser);
      const may = others.filter((target) => ofReaders.test(target));
      assert.equal(may.length, 16, may.join(' '));
      await refuses(
        [403, 404, 422],
        others.filter((target) => !may.includes(target)),
      );
    });

    test('does nothing in a session of a suspended user', async () => {
      assert.equal((await owner.put('/users/reader/suspended')).status, 204);
      await refuses([403], others);
    });
  });
});
