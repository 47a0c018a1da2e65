import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { DeviceCodeThrottle } from '../../auth/applications/device-code-throttle.ts';
import type { PasswordSignIn } from '../../auth/password-sign-in.ts';
import { furnish } from '../../testing/furnished-repository.ts';
import { nastyText } from '../../testing/hostile-values.ts';
import { signedInBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge } from '../../testing/test-forge.ts';
import { accountSegment } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import { formRoutes } from '../page-table.ts';

const unused = (): never => assert.fail('Only the paths of the forms are asked for.');
const perform: Perform = Object.assign(unused, { countCreation: async () => {} });
const deviceCodes: DeviceCodeThrottle = { attempt: unused };
const passwords: PasswordSignIn = {
  signIn: unused,
  signInWithCode: unused,
};

/** The fields of the forms. */
const fieldNames = [
  'id',
  'login',
  'email',
  'name',
  'title',
  'body',
  'text',
  'note',
  'scopes',
  'key',
]
  .concat('labels', 'label', 'new_label', 'assignees', 'milestone', 'target', 'base', 'head', 'as')
  .concat('color', 'description', 'due', 'branch', 'from', 'organization', 'write', 'url', 'events')
  .concat('active', 'secret', 'contexts', 'reviews', 'approvals', 'checks', 'strict', 'users')
  .concat('teams', 'restrict', 'merge_method', 'sha', 'view', 'event', 'commit_id', 'line', 'side')
  .concat('path', 'thread', 'username', 'permission', 'confirm', 'delivery', 'key_id', 'visibility')
  .concat('new_owner', 'session', 'reason', 'password', 'new_password', 'code', 'lock_reason')
  .concat('state', 'tag', 'content', 'message', 'client_id', 'user_code', 'expires', 'admin');

/** They would end the session of all others, or wait for it. */
const ends = ['/logout', '/session', '/sessions/two-factor'];

/** Sends so many forms full of hostile texts, each with the CSRF token of its session, so that they reach their handlers; throws for a 5xx. */
export async function sendHostileForms(runs: number, seed: number): Promise<void> {
  const forge = await startTestForge();
  try {
    const owner = await forge.user('own', { siteAdmin: true });
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    await furnish(forge, owner, { name: 'room' });
    const paths = formRoutes(passwords, perform, deviceCodes)
      .map(([path]) => path.replace(accountSegment, 'acme').replace(':repo', 'room'))
      .filter((path) => !ends.includes(path));
    assert.ok(paths.length > 100, `${paths.length} forms`);
    const value = fc.oneof(
      { weight: 2, arbitrary: nastyText },
      fc.constantFrom('1', '2', 'main', 'topic', 'yes', 'guest', 'bug'),
    );
    const request = fc.record({
      path: fc
        .tuple(fc.constantFrom(...paths), fc.constantFrom('1', '2', 'main', 'guest', '0', 'crew'))
        .map(([path, given]) => path.replaceAll(/:\w+|\*/g, given)),
      fields: fc.array(fc.tuple(fc.constantFrom(...fieldNames), value), { maxLength: 8 }),
    });
    let browser = await signedInBrowser(forge, 'own');
    let form_token = await tokenOf(browser);
    await fc.assert(
      fc.asyncProperty(request, async ({ path, fields }) => {
        const form = new URLSearchParams([['form_token', form_token], ...fields]);
        const { status, text } = await browser.post(path, form);
        assert.ok(status < 500, `${path}: ${text}`);
        if (status !== 403 || (await browser.get('/settings/profile')).status === 200) return;
        // A form has ended the session, or given the user another password. Wrong passwords have counted meanwhile.
        forge.clock.advance(3_600_000);
        browser = await signedInBrowser(forge, 'own');
        form_token = await tokenOf(browser);
      }),
      { seed, numRuns: runs, endOnFailure: true },
    );
    await forge.ports.background.idle();
  } finally {
    await forge.close();
  }
}

async function tokenOf(browser: TestBrowser): Promise<string> {
  const { text } = await browser.get('/settings/profile');
  return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
}
