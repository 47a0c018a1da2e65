import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createForgeServer } from '../forge.ts';
import type { GitRepository } from '../git/git.ts';
import { flushPacket, formatPacket } from '../git/format/pkt-line.ts';
import { noObject } from '../git/names.ts';
import { openIntents } from '../ref-updates/intent-store.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a push whose pack is still arriving', () => {
  let forge: TestForge;
  let owner: TestUser;
  let pusher: TestUser;
  let admin: TestUser;
  let server: FastifyInstance;
  let host: string;
  let name: string;
  let tip: string;
  /** Resolves when the next push is admitted and git takes it. */
  let started: PromiseWithResolvers<void>;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    admin = await forge.user('adm', { siteAdmin: true });
    const repository = (id: number): GitRepository => {
      const real = forge.git.repository(id);
      return {
        ...real,
        receivePack(...parameters) {
          started.resolve();
          return real.receivePack(...parameters);
        },
      };
    };
    server = await createForgeServer({ ...forge.ports, git: { ...forge.git, repository } });
    host = new URL(await server.listen({ host: '127.0.0.1', port: 0 })).host;
  });
  after(async () => {
    await server.close();
    await forge.close();
  });
  beforeEach(async () => {
    name = await forge.repository(owner, { init: true });
    pusher = await forge.user();
    tip = (await owner.get(`/repos/${name}/commits/main`)).body.sha;
    await letIn(name, 'push');
  });

  async function letIn(repository: string, permission: string): Promise<void> {
    const path = `/repos/${repository}/collaborators/${pusher.login}`;
    const invited = await owner.put(path, { permission });
    assert.equal(invited.status, 201, invited.text);
    const accept = `/user/repository_invitations/${invited.body.id}`;
    assert.equal((await pusher.patch(accept)).status, 204);
  }

  interface PushOptions {
    readonly ref?: string;
    readonly old?: string;
    readonly new?: string;
    readonly repository?: string;
    readonly password?: string;
  }

  /** What git reports for a push that was accepted before a change of access and whose last bytes arrive after it. */
  async function pushAround(
    happens: () => Promise<unknown>,
    options: PushOptions = {},
  ): Promise<string> {
    const { ref = 'refs/heads/made', old = noObject, repository = name } = options;
    started = Promise.withResolvers();
    const sent = request(`http://${host}/${repository}.git/git-receive-pack`, {
      method: 'POST',
      auth: `${pusher.login}:${options.password ?? pusher.token}`,
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    const answered = once(sent, 'response');
    const command = `${old} ${options.new ?? tip} ${ref}`;
    sent.write(formatPacket(`${command}\0report-status side-band-64k agent=test`));
    sent.write(flushPacket);
    const pack = emptyPack();
    sent.write(pack.subarray(0, 20));
    await started.promise;
    try {
      await happens();
    } catch (error) {
      // The server closes only once the request has ended.
      answered.catch(() => {});
      sent.destroy();
      throw error;
    }
    sent.end(pack.subarray(20));
    const [response] = await answered;
    return `${response.statusCode} ${(await text(response)).replaceAll(/\p{Cc}/gu, ' ')}`;
  }

  /** What the pushed branch is at. */
  async function branch(repository = name): Promise<string | undefined> {
    return (await owner.get(`/repos/${repository}/branches/made`)).body.commit?.sha;
  }

  async function refused(
    why: RegExp,
    happens: () => Promise<unknown>,
    options: PushOptions = {},
  ): Promise<void> {
    const report = await pushAround(happens, options);
    assert.match(report, /^200 .*ng refs\//);
    assert.match(report, why);
    assert.equal(await branch(), undefined);
    await forge.ports.background.idle();
    assert.deepEqual(await forge.database.read(openIntents), []);
  }

  test('goes through while nothing changes', async () => {
    assert.match(await pushAround(async () => {}), /^200 .*ok refs\/heads\/made/);
    assert.equal(await branch(), tip);
  });

  test('is stopped when the collaborator is removed', async () => {
    const path = `/repos/${name}/collaborators/${pusher.login}`;
    await refused(/You can read this repository but not push to it\./, async () => {
      assert.equal((await owner.delete(path)).status, 204);
    });
  });

  test('is stopped when the collaborator is removed from a private repository', async () => {
    assert.equal((await owner.patch(`/repos/${name}`, { private: true })).status, 200);
    const path = `/repos/${name}/collaborators/${pusher.login}`;
    await refused(/You can no longer push to this repository\./, async () => {
      assert.equal((await owner.delete(path)).status, 204);
    });
  });

  test('is stopped when the permission is lowered', async () => {
    const path = `/repos/${name}/collaborators/${pusher.login}`;
    await refused(/You can read this repository but not push to it\./, async () => {
      assert.equal((await owner.put(path, { permission: 'pull' })).status, 204);
    });
  });

  test('is stopped when the token is revoked', async () => {
    const path = `/admin/users/${pusher.login}/authorizations`;
    const issued = await admin.post(path, { scopes: ['repo'] });
    assert.equal(issued.status, 201, issued.text);
    await refused(
      /Bad credentials/,
      async () => {
        assert.equal((await admin.delete(path)).status, 204);
      },
      { password: issued.body.token },
    );
  });

  test('is stopped when the password is changed', async () => {
    const set = (hash: string) =>
      forge.database.write((sql) =>
        sql.run(`update accounts set password_hash = $1 where id = $2`, hash, pusher.account.id),
      );
    await set('plain:first');
    await refused(/Bad credentials/, () => set('plain:second'), { password: 'first' });
  });

  test('is stopped when the repository is archived', async () => {
    await refused(/Repository was archived so is read-only\./, async () => {
      assert.equal((await owner.patch(`/repos/${name}`, { archived: true })).status, 200);
    });
  });

  test('is stopped when the repository is deleted', async () => {
    // git loses its files, before or after it has started to answer.
    const cutOff = (error: unknown): string => {
      if (Object(error).code === 'ECONNRESET') return '';
      throw error;
    };
    const report = await pushAround(async () => {
      assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    }).catch(cutOff);
    assert.doesNotMatch(report, /ok refs|^5/);
  });

  test('is stopped when its branch is protected, and not when another is', async () => {
    const rules = {
      required_status_checks: { strict: false, contexts: ['ci/x'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    };
    const protect = async (path: string): Promise<void> => {
      const response = await owner.put(`/repos/${name}/branches/${path}/protection`, rules);
      assert.equal(response.status, 200, response.text);
    };
    const git = { ref: 'refs/heads/made', sha: tip };
    assert.equal((await owner.post(`/repos/${name}/git/refs`, git)).status, 201);
    const change = { message: 'm', content: '', branch: 'main' };
    const { body } = await owner.put(`/repos/${name}/contents/x`, change);
    const move: PushOptions = { old: tip, new: body.commit.sha };
    const report = await pushAround(() => protect('made'), move);
    assert.match(report, /^200 .*ng refs\/heads\/made/);
    assert.match(report, /The protection of refs\/heads\/made changed while the push was received/);
    assert.equal(await branch(), tip);
    const other = { ...move, old: noObject, ref: 'refs/heads/other' };
    assert.match(await pushAround(() => protect('main'), other), /^200 .*ok refs\/heads\/other/);
  });

  test('is stopped when the user is suspended, by a token and by a password', async () => {
    const suspended = `/users/${pusher.login}/suspended`;
    const suspend = async (): Promise<void> => {
      assert.equal((await admin.put(suspended)).status, 204);
    };
    await refused(/Bad credentials/, suspend);
    assert.equal((await admin.delete(suspended)).status, 204);
    const hash = await forge.ports.passwords.hash('p w');
    await forge.database.write((sql) =>
      sql.run('update accounts set password_hash = $1 where id = $2', hash, pusher.account.id),
    );
    await refused(/Bad credentials/, suspend, { password: 'p w' });
  });

  test('goes through where its repository is renamed, which takes no right', async () => {
    const report = await pushAround(async () => {
      const renamed = await owner.patch(`/repos/${name}`, { name: 'renamed' });
      assert.equal(renamed.status, 200);
    });
    assert.match(report, /^200 .*ok refs\/heads\/made/);
    assert.equal(await branch(`${owner.login}/renamed`), tip);
  });

  test('to the head of a pull is stopped when its author lets no maintainer in any more', async () => {
    const contributor = owner;
    const base = await forge.repository(pusher, { init: true });
    const fork = (await contributor.post(`/repos/${base}/forks`)).body.full_name;
    const change = { message: 'm', content: '', branch: 'made' };
    tip = (await contributor.get(`/repos/${fork}/commits/main`)).body.sha;
    const created = { ref: 'refs/heads/made', sha: tip };
    assert.equal((await contributor.post(`/repos/${fork}/git/refs`, created)).status, 201);
    const { body } = await contributor.put(`/repos/${fork}/contents/x`, change);
    const pull = await contributor.post(`/repos/${base}/pulls`, {
      title: 'T',
      head: `${contributor.login}:made`,
      base: 'main',
      maintainer_can_modify: true,
    });
    assert.equal(pull.status, 201, pull.text);
    const options: PushOptions = { repository: fork, old: body.commit.sha, new: tip };
    for (const forbid of [
      () => contributor.patch(`/repos/${base}/pulls/1`, { maintainer_can_modify: false }),
      () => contributor.patch(`/repos/${fork}`, { archived: true }),
    ]) {
      const report = await pushAround(async () => {
        assert.equal((await forbid()).status, 200);
      }, options);
      assert.match(report, /^200 .*ng refs\/heads\/made/);
      assert.equal(await branch(fork), body.commit.sha);
      const again = { maintainer_can_modify: true };
      assert.equal((await contributor.patch(`/repos/${base}/pulls/1`, again)).status, 200);
    }
  });
});

/** A pack without objects, as git sends one where the server has all of them. */
function emptyPack(): Buffer {
  const content = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}
