import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { writeRepository } from '../events/invalidate.ts';
import type { GrantedPermission } from '../model/permission.ts';
import { putCollaborator } from '../repositories/collaborator-store.ts';
import { expectedResponse } from '../testing/access-row.ts';
import { accessTable } from '../testing/access-table.ts';
import { repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

/** Forms of a pull's page whose access is decided by the operation of the API alone. */
const operationOf: Readonly<Record<string, string>> = {
  comment: 'POST /issues/:issue_number/comments',
  labels: 'PUT /issues/:issue_number/labels',
  lock: 'PUT /issues/:issue_number/lock',
  unlock: 'DELETE /issues/:issue_number/lock',
  merge: 'PUT /pulls/:pull_number/merge',
};

const permissions: readonly (GrantedPermission | 'none')[] = [
  'none',
  'read',
  'triage',
  'write',
  'admin',
];

describe('who may do what on a page', () => {
  let forge: TestForge;
  let owner: TestUser;
  const browsers = new Map<string, TestBrowser>();

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    for (const permission of permissions) {
      const { login } = await forge.user(`has-${permission}`);
      browsers.set(permission, await signedInBrowser(forge, login));
    }
  });
  after(() => forge.close());

  for (const target of [
    { private: false, archived: false },
    { private: true, archived: false },
    { private: false, archived: true },
  ]) {
    const about = `${target.private ? 'private' : 'public'}${target.archived ? ' and archived' : ''}`;
    test(`in a ${about} repository`, async () => {
      const pull = await openPull(forge, owner, { private: target.private });
      const id = await repositoryId(forge, pull.name);
      for (const permission of permissions) {
        if (permission === 'none') continue;
        const account = (await owner.get(`/users/has-${permission}`)).body.id;
        await writeRepository(forge.database, id, (sql) =>
          putCollaborator(sql, {
            repositoryId: id,
            accountId: account,
            permission,
            now: forge.clock.now(),
          }),
        );
      }
      if (target.archived) await owner.patch(`/repos/${pull.name}`, { archived: true });
      for (const [act, operation] of Object.entries(operationOf)) {
        const row = accessTable.find(({ operations }) => operations.includes(operation));
        assert.ok(row, operation);
        for (const permission of permissions) {
          const browser = browsers.get(permission) ?? assert.fail();
          const page = await browser.get('/settings/tokens');
          const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
          // Access is decided before the fields are looked at: of these, none is what the operation takes.
          const fields = {
            form_token,
            merge_method: 'none',
            lock_reason: 'none',
            new_label: 'x'.repeat(60),
          };
          const response = await browser.post(`/${pull.name}/pull/1/${act}`, fields);
          const caller = { kind: 'user', permission, scopes: 'password' } as const;
          const expected = expectedResponse(row, caller, target);
          const visible = permission !== 'none' || !target.private;
          const said = `${act} with ${permission}: ${response.status}`;
          if (!visible) assert.equal(response.status, 404, said);
          else if (expected === 'in') assert.ok(![403, 404].includes(response.status), said);
          else assert.equal(response.status, 403, said);
        }
      }
    });
  }
});
