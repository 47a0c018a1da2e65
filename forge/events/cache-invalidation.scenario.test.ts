import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { present } from '#platform/present.ts';

import { createManifestCode } from '../auth/apps/create-app.ts';
import { readManifest } from '../auth/apps/manifest-input.ts';
import { createApplication } from '../auth/create-application.ts';
import { findApplication, insertToken } from '../auth/credential-store.ts';
import { disableTwoFactor, enableTwoFactor } from '../auth/two-factor.ts';
import { makeToken, sha256 } from '../auth/token.ts';
import { endpoints } from '../routes.ts';
import type { FurnishedRepository } from '../testing/furnished-repository.ts';
import { ResponseSweep, type Write } from '../testing/response-sweep.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import type { TestClient, TestForge, TestResponse, TestUser } from '../testing/test-forge.ts';

describe('a response from the cache is the one that would be made now', () => {
  const run = promisify(execFile);
  let sweep: ResponseSweep;
  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;
  let guest: TestUser;
  let furnished: FurnishedRepository;
  let folder: string;

  const at = (path: string): string => sweep.at(path);
  const value = (name: string, path = ''): string => sweep.value(name, path);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-sweep-'));
    sweep = await ResponseSweep.open();
    ({ forge, owner, mate, guest, furnished } = sweep);
  });
  after(async () => {
    await sweep.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** git's own client. */
  async function git(...words: string[]): Promise<undefined> {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'author@example.test',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'author@example.test',
    };
    await run('git', words, { cwd: join(folder, 'clone'), env });
  }

  async function tokenOf(user: TestUser, applicationId?: number): Promise<string> {
    const token = makeToken(forge.ports.randomBytes(32));
    await forge.database.write((sql) =>
      insertToken(sql, {
        accountId: user.account.id,
        sha256: sha256(token),
        lastEight: token.slice(-8),
        note: null,
        scopes: ['repo'],
        ...present({ applicationId }),
        now: forge.clock.now(),
      }),
    );
    return token;
  }

  const body = async (response: Promise<TestResponse>): Promise<TestResponse['body']> =>
    (await response).body;

  /** In an order in which all of them succeed. What one makes, a later one may need. */
  function* writes(): Generator<Write> {
    const pull = (tail = ''): string => at(`/pulls/${value('pull_number')}${tail}`);
    const issue = (tail = ''): string => at(`/issues/${value('issue_number')}${tail}`);
    const rules = (tail = ''): string => at(`/branches/side/protection${tail}`);
    const hook = (tail = ''): string => at(`/hooks/${value('hook_id')}${tail}`);
    const [head, base] = [value('sha'), value('commit_sha')];
    const write = (name: string, play: Write['play']): Write => ({ name, play });
    const unseen = (name: string, play: Write['play']): Write => ({ name, play, unseen: 'rows' });
    const unnamed = (name: string, play: Write['play']): Write => ({ name, play, unseen: 'git' });

    yield write('POST /repos/:owner/:repo/forks', async () => {
      const response = await mate.post(at('/forks'));
      await forge.ports.background.idle();
      for (const path of ['', '/branches', '/pulls', '/topics']) {
        const fork = `/repos/mate/room${path}`;
        const read = { path: fork, authorization: `token ${owner.token}` };
        sweep.reads = [...sweep.reads, read];
      }
      return response;
    });
    yield unseen('POST /repos/:owner/:repo/generate', async () => {
      await owner.patch(at(''), { is_template: true });
      await sweep.warm(sweep.reads);
      return mate.post(at('/generate'), { name: 'generated' });
    });
    yield write('POST /repos/:owner/:repo/statuses/:sha', () =>
      owner.post(at(`/statuses/${head}`), { state: 'failure', context: 'ci' }),
    );

    let deployment = 0;
    yield write('POST /repos/:owner/:repo/deployments', async () => {
      const asked = { ref: 'main', environment: 'qa', required_contexts: [] };
      const response = await owner.post(at('/deployments'), asked);
      deployment = response.body.id;
      return response;
    });
    yield write('POST /repos/:owner/:repo/deployments/:deployment_id/statuses', () =>
      owner.post(at(`/deployments/${deployment}/statuses`), { state: 'failure' }),
    );
    yield write('DELETE /repos/:owner/:repo/deployments/:deployment_id', () =>
      owner.delete(at(`/deployments/${deployment}`)),
    );

    let checkRun = 0;
    let checker: TestClient | undefined;
    yield write('POST /repos/:owner/:repo/check-runs', async () => {
      const permissions = { checks: 'write' };
      const app = await createTestApp(forge, owner.account.id, { name: 'Checker', permissions });
      checker = await app.token(await app.install('acme'));
      const response = await checker.post(at('/check-runs'), { name: 'lint', head_sha: head });
      checkRun = response.body.id;
      return response;
    });
    yield write('PATCH /repos/:owner/:repo/check-runs/:check_run_id', async () =>
      checker?.patch(at(`/check-runs/${checkRun}`), { conclusion: 'failure' }),
    );

    yield write('POST /repos/:owner/:repo/check-suites', async () =>
      checker?.post(at('/check-suites'), { head_sha: head }),
    );
    yield write('POST /repos/:owner/:repo/check-suites/:check_suite_id/rerequest', async () => {
      const suites = await checker?.get(at(`/commits/${head}/check-suites`));
      return checker?.post(at(`/check-suites/${suites?.body.check_suites[0].id}/rerequest`));
    });
    yield write('POST /repos/:owner/:repo/check-runs/:check_run_id/rerequest', async () =>
      checker?.post(at(`/check-runs/${checkRun}/rerequest`)),
    );
    yield write('PATCH /repos/:owner/:repo/check-suites/preferences', async () =>
      owner.patch(at('/check-suites/preferences'), { auto_trigger_checks: [] }),
    );

    const reactionsTo = (path: string): string => at(`${path}/reactions`);
    const kinds = [
      ['/issues/:issue_number', `/issues/${value('issue_number')}`],
      ['/issues/comments/:comment_id', `/issues/comments/${value('comment_id', '/issues/')}`],
      ['/pulls/comments/:comment_id', `/pulls/comments/${value('comment_id', '/pulls/')}`],
      ['/comments/:commit_comment_id', `/comments/${value('commit_comment_id')}`],
    ] as const;
    for (const [form, path] of kinds) {
      let reaction = 0;
      yield write(`POST /repos/:owner/:repo${form}/reactions`, async () => {
        const response = await mate.post(reactionsTo(path), { content: 'heart' });
        reaction = response.body.id;
        return response;
      });
      yield write(`DELETE /repos/:owner/:repo${form}/reactions/:reaction_id`, () =>
        mate.delete(`${reactionsTo(path)}/${reaction}`),
      );
    }
    const published = `/releases/${value('release_id')}`;
    let toRelease = 0;
    yield write('POST /repos/:owner/:repo/releases/:release_id/reactions', async () => {
      const response = await mate.post(reactionsTo(published), { content: 'heart' });
      toRelease = response.body.id;
      return response;
    });
    yield write('DELETE /repos/:owner/:repo/releases/:release_id/reactions/:reaction_id', () =>
      mate.delete(`${reactionsTo(published)}/${toRelease}`),
    );
    let onCommit = 0;
    yield write('POST /repos/:owner/:repo/commits/:ref/comments', async () => {
      const response = await mate.post(at('/commits/main/comments'), { body: 'Oh' });
      onCommit = response.body.id;
      return response;
    });
    yield write('PATCH /repos/:owner/:repo/comments/:commit_comment_id', () =>
      mate.patch(at(`/comments/${onCommit}`), { body: 'Ah' }),
    );
    yield write('DELETE /repos/:owner/:repo/comments/:commit_comment_id', () =>
      mate.delete(at(`/comments/${onCommit}`)),
    );

    yield unseen('POST /repos/:owner/:repo/dispatches', () =>
      owner.post(at('/dispatches'), { event_type: 'build' }),
    );
    yield write('PUT /user/starred/:owner/:repo', () => mate.put(`/user/starred/${sweep.home}`));
    yield write('DELETE /user/starred/:owner/:repo', () =>
      mate.delete(`/user/starred/${sweep.home}`),
    );
    yield write('PUT /repos/:owner/:repo/subscription', () => mate.put(at('/subscription')));
    yield write('DELETE /repos/:owner/:repo/subscription', () => mate.delete(at('/subscription')));
    yield unseen('PUT /user/following/:username', () => mate.put('/user/following/own'));
    yield unseen('DELETE /user/following/:username', () => mate.delete('/user/following/own'));

    let number = 0;
    let node = '';
    yield write('POST /repos/:owner/:repo/pulls', async () => {
      const response = await owner.post(at('/pulls'), {
        title: 'Second',
        head: 'side',
        base: 'main',
        draft: true,
      });
      ({ number, node_id: node } = response.body);
      return response;
    });
    yield write('POST /graphql', () =>
      owner.post('/graphql', {
        query: `mutation ($id: ID!) {
          markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
        }`,
        variables: { id: node },
      }),
    );
    yield write('PATCH /repos/:owner/:repo/pulls/:pull_number', () =>
      owner.patch(at(`/pulls/${number}`), { title: 'Renamed' }),
    );
    yield write('PATCH /repos/:owner/:repo/pulls/:pull_number, closed', () =>
      owner.patch(at(`/pulls/${number}`), { state: 'closed' }),
    );
    yield write('PATCH /repos/:owner/:repo/pulls/:pull_number, opened', () =>
      owner.patch(at(`/pulls/${number}`), { state: 'open' }),
    );

    let review = 0;
    yield write('POST /repos/:owner/:repo/pulls/:pull_number/reviews', async () => {
      const response = await mate.post(pull('/reviews'), { body: 'Draft' });
      review = response.body.id;
      return response;
    });
    yield write('PUT /repos/:owner/:repo/pulls/:pull_number/reviews/:review_id', () =>
      mate.put(pull(`/reviews/${review}`), { body: 'Better draft' }),
    );
    yield write('POST /repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/events', () =>
      mate.post(pull(`/reviews/${review}/events`), { event: 'APPROVE' }),
    );
    yield write('PUT /repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/dismissals', () =>
      owner.put(pull(`/reviews/${review}/dismissals`), { message: 'No' }),
    );
    yield write('DELETE /repos/:owner/:repo/pulls/:pull_number/reviews/:review_id', async () => {
      const draft = await body(mate.post(pull('/reviews'), { body: 'Never mind' }));
      return mate.delete(pull(`/reviews/${draft.id}`));
    });
    const requested = { reviewers: ['mate'], team_reviewers: ['crew'] };
    yield write('POST /repos/:owner/:repo/pulls/:pull_number/requested_reviewers', async () => {
      await owner.put(`/orgs/acme/teams/crew/repos/${furnished.fullName}`, { permission: 'push' });
      return owner.post(pull('/requested_reviewers'), requested);
    });
    yield write('DELETE /repos/:owner/:repo/pulls/:pull_number/requested_reviewers', () =>
      owner.delete(pull('/requested_reviewers'), requested),
    );
    const line = value('comment_id', '/pulls/');
    yield write('POST /repos/:owner/:repo/pulls/:pull_number/comments', () =>
      owner.post(pull('/comments'), { body: 'H', commit_id: head, path: 'a.txt', line: 1 }),
    );
    yield write('POST /repos/:owner/:repo/pulls/:pull_number/comments/:comment_id/replies', () =>
      owner.post(pull(`/comments/${line}/replies`), { body: 'I' }),
    );
    yield write('PATCH /repos/:owner/:repo/pulls/comments/:comment_id', () =>
      owner.patch(at(`/pulls/comments/${line}`), { body: 'J' }),
    );
    yield write('DELETE /repos/:owner/:repo/pulls/comments/:comment_id', () =>
      owner.delete(at(`/pulls/comments/${line}`)),
    );

    yield write('POST /repos/:owner/:repo/issues', () =>
      owner.post(at('/issues'), { title: 'K', labels: ['new'], assignees: ['own'] }),
    );
    yield write('PATCH /repos/:owner/:repo/issues/:issue_number', () =>
      owner.patch(issue(), { title: 'L', milestone: 1, assignees: ['own'] }),
    );
    yield write('PATCH /repos/:owner/:repo/issues/:issue_number, closed', () =>
      owner.patch(issue(), { state: 'closed' }),
    );
    yield write('POST /repos/:owner/:repo/issues/:issue_number/labels', () =>
      owner.post(issue('/labels'), { labels: ['one', 'two'] }),
    );
    yield write('PUT /repos/:owner/:repo/issues/:issue_number/labels', () =>
      owner.put(issue('/labels'), { labels: ['one', 'bug'] }),
    );
    yield write('DELETE /repos/:owner/:repo/issues/:issue_number/labels/:name', () =>
      owner.delete(issue('/labels/one')),
    );
    yield write('DELETE /repos/:owner/:repo/issues/:issue_number/labels', () =>
      owner.delete(issue('/labels')),
    );
    yield write('DELETE /repos/:owner/:repo/issues/:issue_number/assignees', () =>
      owner.delete(issue('/assignees'), { assignees: ['own'] }),
    );
    yield write('POST /repos/:owner/:repo/issues/:issue_number/assignees', () =>
      owner.post(issue('/assignees'), { assignees: ['mate'] }),
    );
    yield write('PUT /repos/:owner/:repo/issues/:issue_number/lock', () =>
      owner.put(issue('/lock'), { lock_reason: 'resolved' }),
    );
    yield write('DELETE /repos/:owner/:repo/issues/:issue_number/lock', () =>
      owner.delete(issue('/lock')),
    );
    const comment = at(`/issues/comments/${value('comment_id')}`);
    yield write('POST /repos/:owner/:repo/issues/:issue_number/comments', () =>
      owner.post(issue('/comments'), { body: 'M' }),
    );
    yield write('PATCH /repos/:owner/:repo/issues/comments/:comment_id', () =>
      owner.patch(comment, { body: 'N' }),
    );
    yield write('DELETE /repos/:owner/:repo/issues/comments/:comment_id', () =>
      owner.delete(comment),
    );
    yield write('POST /repos/:owner/:repo/labels', () =>
      owner.post(at('/labels'), { name: 'made', color: 'ff0000' }),
    );
    yield write('PATCH /repos/:owner/:repo/labels/:name', () =>
      owner.patch(at('/labels/bug'), { color: '00ff00' }),
    );
    yield write('DELETE /repos/:owner/:repo/labels/:name', () => owner.delete(at('/labels/made')));
    yield write('POST /repos/:owner/:repo/milestones', () =>
      owner.post(at('/milestones'), { title: 'O' }),
    );
    yield write('PATCH /repos/:owner/:repo/milestones/:milestone_number', () =>
      owner.patch(at('/milestones/1'), { title: 'P' }),
    );
    yield write('DELETE /repos/:owner/:repo/milestones/:milestone_number', () =>
      owner.delete(at('/milestones/2')),
    );

    yield write('PUT /repos/:owner/:repo/topics', () =>
      owner.put(at('/topics'), { names: ['git'] }),
    );
    yield write('PATCH /repos/:owner/:repo', () => owner.patch(at(''), { description: 'Q' }));
    yield write('PATCH /repos/:owner/:repo, archived', () =>
      owner.patch(at(''), { archived: true }),
    );
    yield write('PATCH /repos/:owner/:repo, not archived', () =>
      owner.patch(at(''), { archived: false }),
    );
    const protection = {
      required_status_checks: { strict: true, contexts: ['ci'] },
      enforce_admins: false,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: { users: [], teams: ['crew'] },
    };
    yield write('PUT /repos/:owner/:repo/branches/:branch/protection', () =>
      owner.put(rules(), protection),
    );
    const checks = '/required_status_checks';
    yield write(`PATCH ${ofRules(checks)}`, () => owner.patch(rules(checks), { strict: false }));
    yield write(`POST ${ofRules(`${checks}/contexts`)}`, () =>
      owner.post(rules(`${checks}/contexts`), { contexts: ['more'] }),
    );
    yield write(`PUT ${ofRules(`${checks}/contexts`)}`, () =>
      owner.put(rules(`${checks}/contexts`), { contexts: ['ci', 'lint'] }),
    );
    yield write(`DELETE ${ofRules(`${checks}/contexts`)}`, () =>
      owner.delete(rules(`${checks}/contexts`), { contexts: ['lint'] }),
    );
    yield write(`DELETE ${ofRules(checks)}`, () => owner.delete(rules(checks)));
    const reviews = '/required_pull_request_reviews';
    yield write(`PATCH ${ofRules(reviews)}`, () =>
      owner.patch(rules(reviews), { required_approving_review_count: 2 }),
    );
    yield write(`DELETE ${ofRules(reviews)}`, () => owner.delete(rules(reviews)));
    yield write(`POST ${ofRules('/enforce_admins')}`, () => owner.post(rules('/enforce_admins')));
    yield write(`DELETE ${ofRules('/enforce_admins')}`, () =>
      owner.delete(rules('/enforce_admins')),
    );
    for (const [kind, name] of [
      ['users', 'mate'],
      ['teams', 'crew'],
    ] as const) {
      const list = `/restrictions/${kind}`;
      yield write(`DELETE ${ofRules(list)}`, () => owner.delete(rules(list), { [kind]: [name] }));
      yield write(`POST ${ofRules(list)}`, () => owner.post(rules(list), { [kind]: [name] }));
      yield write(`PUT ${ofRules(list)}`, () => owner.put(rules(list), { [kind]: [] }));
    }
    yield write(`DELETE ${ofRules('/restrictions')}`, () => owner.delete(rules('/restrictions')));
    yield write('DELETE /repos/:owner/:repo/branches/:branch/protection', () =>
      owner.delete(rules()),
    );

    yield write('git push', async () => {
      const address = await forge.listen();
      await mkdir(join(folder, 'clone'));
      const url = `http://own:${owner.token}@${address}/${furnished.fullName}.git`;
      await git('clone', '-q', '-b', 'topic', url, '.');
      await git('commit', '-q', '--allow-empty', '-m', 'Pushed');
      await git('push', '-q', 'origin', 'topic');
      await forge.ports.background.idle();
      return undefined;
    });
    yield write('git push of a tag', async () => {
      await git('push', '-q', 'origin', 'HEAD:refs/tags/pushed');
      await forge.ports.background.idle();
      return undefined;
    });
    const pushes = [
      ['of a new branch', 'HEAD:refs/heads/pushed'],
      ['that moves a branch', '--force', 'HEAD~:refs/heads/pushed'],
      ['that moves a tag', '--force', 'HEAD~:refs/tags/pushed'],
      ['of notes', 'HEAD~:refs/notes/commits'],
      ['that deletes a branch', ':refs/heads/pushed'],
      ['that deletes a tag', ':refs/tags/pushed'],
      ['that moves notes and creates a branch', 'HEAD:refs/notes/commits', 'HEAD:refs/heads/x'],
      ['that deletes notes and a branch', ':refs/notes/commits', ':refs/heads/x'],
    ] as const;
    for (const [what, ...refs] of pushes) {
      yield write(`git push ${what}`, async () => {
        await git('push', '-q', '--atomic', 'origin', ...refs);
        await forge.ports.background.idle();
        return undefined;
      });
    }
    yield write('git push that deletes the branch of a pull', async () => {
      await git('push', '-q', 'origin', 'HEAD:refs/heads/doomed');
      await owner.post(at('/pulls'), { title: 'Doomed', head: 'doomed', base: 'main' });
      await forge.ports.background.idle();
      await sweep.warm();
      await git('push', '-q', 'origin', ':refs/heads/doomed');
      return undefined;
    });
    const file = at('/contents/new.txt');
    yield write('PUT /repos/:owner/:repo/contents/*', () =>
      owner.put(file, { message: 'R', content: Buffer.from('r').toString('base64') }),
    );
    yield write('DELETE /repos/:owner/:repo/contents/*', async () => {
      const { sha } = await body(owner.get(file));
      return owner.delete(file, { message: 'S', sha });
    });
    yield write('PUT /repos/:owner/:repo/pulls/:pull_number/update-branch', () =>
      owner.put(pull('/update-branch')),
    );
    yield write('PUT /repos/:owner/:repo/pulls/:pull_number/merge', async () => {
      await owner.post(at('/issues/1/assignees'), { assignees: ['mate'] });
      return owner.put(pull('/merge'));
    });
    yield write('POST /repos/:owner/:repo/merges', () =>
      owner.post(at('/merges'), { base: 'main', head: 'side' }),
    );
    yield write('POST /repos/:owner/:repo/merge-upstream', () =>
      mate.post('/repos/mate/room/merge-upstream', { branch: 'main' }),
    );
    yield write('POST /repos/:owner/:repo/branches/:branch/rename', () =>
      owner.post(at('/branches/side/rename'), { new_name: 'aside' }),
    );
    yield write('POST /repos/:owner/:repo/branches/:branch/rename, back', () =>
      owner.post(at('/branches/aside/rename'), { new_name: 'side' }),
    );
    yield write('POST /repos/:owner/:repo/git/refs', () =>
      owner.post(at('/git/refs'), { ref: 'refs/heads/made', sha: base }),
    );
    yield write('PATCH /repos/:owner/:repo/git/refs/*', () =>
      owner.patch(at('/git/refs/heads/made'), { sha: head }),
    );
    yield write('DELETE /repos/:owner/:repo/git/refs/*', () =>
      owner.delete(at('/git/refs/heads/made')),
    );
    yield write('POST /repos/:owner/:repo/releases', () =>
      owner.post(at('/releases'), { tag_name: 'v3' }),
    );
    let blob = '';
    yield unnamed('POST /repos/:owner/:repo/git/blobs', async () => {
      const response = await owner.post(at('/git/blobs'), { content: 'never seen' });
      blob = response.body.sha;
      return response;
    });
    let tree = '';
    yield unnamed('POST /repos/:owner/:repo/git/trees', async () => {
      const entry = { path: 'x', mode: '100644', type: 'blob', sha: blob };
      const response = await owner.post(at('/git/trees'), { tree: [entry] });
      tree = response.body.sha;
      return response;
    });
    yield unnamed('POST /repos/:owner/:repo/git/commits', () =>
      owner.post(at('/git/commits'), { message: 'T', tree, parents: [] }),
    );
    yield unnamed('POST /repos/:owner/:repo/git/tags', () =>
      owner.post(at('/git/tags'), { tag: 'v2', message: 'U', object: base, type: 'commit' }),
    );

    yield unseen('POST /repos/:owner/:repo/hooks', () =>
      owner.post(at('/hooks'), { config: { url: 'https://example.test/second' } }),
    );
    yield unseen('PATCH /repos/:owner/:repo/hooks/:hook_id', () =>
      owner.patch(hook(), { active: false }),
    );
    yield unseen('PATCH /repos/:owner/:repo/hooks/:hook_id/config', () =>
      owner.patch(hook('/config'), { content_type: 'form' }),
    );
    yield unseen('POST /repos/:owner/:repo/hooks/:hook_id/pings', () => owner.post(hook('/pings')));
    yield unseen('POST /repos/:owner/:repo/hooks/:hook_id/tests', () => owner.post(hook('/tests')));
    yield unseen(
      'POST /repos/:owner/:repo/hooks/:hook_id/deliveries/:delivery_id/attempts',
      async () => {
        const sent = await forge.database.write((sql) =>
          sql.get<{ id: number }>(
            'update webhook_deliveries set attempts = 1, delivered_at = 1 where webhook_id = $1 returning id',
            value('hook_id'),
          ),
        );
        return owner.post(hook(`/deliveries/${sent?.id}/attempts`));
      },
    );
    yield unseen('DELETE /repos/:owner/:repo/hooks/:hook_id', () => owner.delete(hook()));

    yield unseen('POST /repos/:owner/:repo/keys', () =>
      owner.post(at('/keys'), { key: makeSshKey().publicKey }),
    );
    yield unseen('DELETE /repos/:owner/:repo/keys/:key_id', () =>
      owner.delete(at(`/keys/${value('key_id', '/repos/')}`)),
    );
    yield unseen('POST /user/keys', () =>
      owner.post('/user/keys', { key: makeSshKey().publicKey }),
    );
    yield unseen('DELETE /user/keys/:key_id', () => owner.delete(`/user/keys/${value('key_id')}`));

    const release = (): string => at(`/releases/${value('release_id')}`);
    yield unseen('POST /repos/:owner/:repo/releases/generate-notes', () =>
      owner.post(at('/releases/generate-notes'), { tag_name: 'v4' }),
    );
    yield unseen('PATCH /repos/:owner/:repo/releases/:release_id', () =>
      owner.patch(release(), { name: 'W' }),
    );
    yield unseen('POST /repos/:owner/:repo/releases/:release_id/assets', () =>
      owner.post(`${release()}/assets?name=y`, Buffer.from('z')),
    );
    const asset = (): string => at(`/releases/assets/${value('asset_id')}`);
    yield unseen('PATCH /repos/:owner/:repo/releases/assets/:asset_id', () =>
      owner.patch(asset(), { label: 'Y' }),
    );
    yield unseen('DELETE /repos/:owner/:repo/releases/assets/:asset_id', () =>
      owner.delete(asset()),
    );
    yield unseen('DELETE /repos/:owner/:repo/releases/:release_id', () => owner.delete(release()));

    const thread = async (tail = ''): Promise<string> => {
      const [{ id }] = await body(mate.get('/notifications?all=true'));
      return `/notifications/threads/${id}${tail}`;
    };
    yield unseen('PATCH /notifications/threads/:thread_id', async () => mate.patch(await thread()));
    yield unseen('PUT /notifications/threads/:thread_id/subscription', async () =>
      mate.put(await thread('/subscription'), { ignored: true }),
    );
    yield unseen('DELETE /notifications/threads/:thread_id/subscription', async () =>
      mate.delete(await thread('/subscription')),
    );
    yield unseen('PUT /notifications', () => mate.put('/notifications'));
    yield unseen('PUT /repos/:owner/:repo/notifications', () => mate.put(at('/notifications')));

    const invitation = async (): Promise<number> =>
      (await body(owner.get(at('/invitations'))))[0].id;
    yield unseen('PATCH /repos/:owner/:repo/invitations/:invitation_id', async () =>
      owner.patch(at(`/invitations/${await invitation()}`), { permissions: 'admin' }),
    );
    yield unseen('DELETE /repos/:owner/:repo/invitations/:invitation_id', async () =>
      owner.delete(at(`/invitations/${await invitation()}`)),
    );
    yield unseen('DELETE /user/repository_invitations/:invitation_id', async () => {
      await owner.put(at('/collaborators/guest'));
      return guest.delete(`/user/repository_invitations/${await invitation()}`);
    });
    yield write('PATCH /user/repository_invitations/:invitation_id', async () => {
      await owner.put(at('/collaborators/guest'));
      return guest.patch(`/user/repository_invitations/${await invitation()}`);
    });
    yield write('PUT /repos/:owner/:repo/collaborators/:username', () =>
      owner.put(at('/collaborators/guest'), { permission: 'admin' }),
    );
    yield write('DELETE /repos/:owner/:repo/collaborators/:username', () =>
      owner.delete(at('/collaborators/guest')),
    );

    yield write('PATCH /user', () => owner.patch('/user', { bio: 'Builds tools' }));
    yield write('PATCH /orgs/:org', () => owner.patch('/orgs/acme', { description: 'Tools' }));
    yield write('PUT /orgs/:org/memberships/:username', () =>
      owner.put('/orgs/acme/memberships/guest'),
    );
    yield write('DELETE /orgs/:org/memberships/:username', () =>
      owner.delete('/orgs/acme/memberships/guest'),
    );
    yield write('DELETE /orgs/:org/members/:username', async () => {
      await owner.put('/orgs/acme/memberships/guest');
      await sweep.warm();
      return owner.delete('/orgs/acme/members/guest');
    });
    yield write('POST /orgs/:org/teams', () =>
      owner.post('/orgs/acme/teams', { name: 'new', repo_names: [furnished.fullName] }),
    );
    yield write('PATCH /orgs/:org/teams/:team_slug', () =>
      owner.patch('/orgs/acme/teams/new', { description: 'V', privacy: 'closed' }),
    );
    yield write('PUT /orgs/:org/teams/:team_slug/memberships/:username', () =>
      owner.put('/orgs/acme/teams/new/memberships/guest'),
    );
    const grant = `/orgs/acme/teams/new/repos/${furnished.fullName}`;
    yield write('PUT /orgs/:org/teams/:team_slug/repos/:owner/:repo', () =>
      owner.put(grant, { permission: 'admin' }),
    );
    yield write('DELETE /orgs/:org/teams/:team_slug/memberships/:username', () =>
      owner.delete('/orgs/acme/teams/new/memberships/guest'),
    );
    yield write('DELETE /orgs/:org/teams/:team_slug/repos/:owner/:repo', () => owner.delete(grant));
    yield write('DELETE /orgs/:org/teams/:team_slug', async () => {
      await owner.put(grant, { permission: 'admin' });
      await sweep.warm();
      return owner.delete('/orgs/acme/teams/new');
    });

    yield unseen('POST /user/repos', () => owner.post('/user/repos', { name: 'other' }));
    yield unseen('POST /orgs/:org/repos', () => owner.post('/orgs/acme/repos', { name: 'other' }));
    yield* tokenWrites(unseen);
    yield write('POST /user/emails', () =>
      owner.post('/user/emails', { emails: ['other@example.test'] }),
    );
    yield write('PATCH /user/email/visibility', () =>
      owner.patch('/user/email/visibility', { visibility: 'private' }),
    );
    yield write('DELETE /user/emails', () =>
      owner.delete('/user/emails', { emails: ['other@example.test'] }),
    );
    yield write('PUT /users/:username/suspended', async () => {
      const read = { path: at(''), authorization: `token ${guest.token}` };
      assert.equal(await sweep.statusOf(read), 200);
      const response = await owner.put('/users/guest/suspended');
      assert.equal(await sweep.statusOf(read), 403);
      return response;
    });
    yield write('DELETE /users/:username/suspended', () => owner.delete('/users/guest/suspended'));
    yield* appWrites(write, unseen);
    yield write('POST /admin/organizations', () =>
      owner.post('/admin/organizations', { login: 'others', admin: 'own' }),
    );
    // The author of commits that no one was the author of before.
    yield write('POST /admin/users', () =>
      owner.post('/admin/users', { login: 'author', email: 'author@example.test' }),
    );
    yield write('PATCH /repos/:owner/:repo, private', async () => {
      const response = await owner.patch(at(''), { private: true });
      // It has left its network, so the fork is no concern of the next writes.
      sweep.reads = sweep.reads.filter((read) => !read.path.startsWith('/repos/mate/'));
      return response;
    });
    yield write('POST /repos/:owner/:repo/transfer', async () => {
      const response = await owner.post(at('/transfer'), { new_owner: 'own' });
      sweep.moveTo('own/room');
      return response;
    });
    yield write('PATCH /repos/:owner/:repo, another name', async () => {
      const response = await owner.patch(at(''), { name: 'hall' });
      sweep.moveTo('own/hall');
      return response;
    });
    yield write('DELETE /repos/:owner/:repo', () => owner.delete(at('')));
  }

  /** A token that is ended answers nothing any more; responses to others go on to be sent from the cache. */
  function* tokenWrites(unseen: (name: string, play: Write['play']) => Write): Generator<Write> {
    const application = { clientId: '', authorization: '' };
    const endOf = async (
      token: string,
      end: () => Promise<TestResponse | undefined>,
    ): Promise<TestResponse | undefined> => {
      const read = { path: at(''), authorization: `token ${token}` };
      assert.equal(await sweep.statusOf(read), 200);
      assert.equal(await sweep.statusOf(read), 200);
      const response = await end();
      assert.equal(await sweep.statusOf(read), 401);
      return response;
    };
    const asApplication = async (
      method: string,
      kind: 'token' | 'grant',
    ): Promise<TestResponse | undefined> => {
      if (application.clientId === '') {
        const { clientId, clientSecret } = await createApplication(forge.ports, { name: 'Ci' });
        const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
        Object.assign(application, { clientId, authorization: `Basic ${basic}` });
      }
      const { clientId, authorization } = application;
      const row = await forge.database.read((sql) => findApplication(sql, clientId));
      const token = await tokenOf(mate, row?.id);
      return endOf(token, () =>
        forge.anonymous.send(method, `/applications/${clientId}/${kind}`, {
          headers: { authorization },
          body: { access_token: token },
        }),
      );
    };
    yield unseen('PATCH /applications/:client/token', () => asApplication('PATCH', 'token'));
    yield unseen('DELETE /applications/:client/token', () => asApplication('DELETE', 'token'));
    yield unseen('DELETE /applications/:client/grant', () => asApplication('DELETE', 'grant'));
    yield unseen('POST /applications/:client/token', async () => {
      const row = await forge.database.read((sql) => findApplication(sql, application.clientId));
      const token = await tokenOf(mate, row?.id);
      return forge.anonymous.send('POST', `/applications/${application.clientId}/token`, {
        headers: { authorization: application.authorization },
        body: { access_token: token },
      });
    });
    let issued = '';
    yield unseen('POST /admin/users/:username/authorizations', async () => {
      const response = await owner.post('/admin/users/guest/authorizations', { scopes: ['repo'] });
      issued = response.body.token;
      return response;
    });
    yield unseen('DELETE /admin/users/:username/authorizations', () =>
      endOf(issued, () => owner.delete('/admin/users/guest/authorizations')),
    );
    yield unseen('the second factor of a user', async () => {
      await enableTwoFactor(forge.ports, 'mate');
      await disableTwoFactor(forge.ports, 'mate');
      return undefined;
    });
  }

  /** GitHub Apps, whose tokens have no rows. */
  function* appWrites(
    write: (name: string, play: Write['play']) => Write,
    unseen: (name: string, play: Write['play']) => Write,
  ): Generator<Write> {
    let robot: TestApp | undefined;
    const app = async (): Promise<TestApp> =>
      (robot ??= await createTestApp(forge, owner.account.id, {
        hookUrl: 'http://127.0.0.1:1/',
      }));
    yield write('POST /app-manifests/:code/conversions', async () => {
      const manifest = readManifest(JSON.stringify({ name: 'Made', url: 'https://app.test/' }));
      const { id } = owner.account;
      const code = await forge.database.write((sql) =>
        createManifestCode(sql, forge.ports, { ownerId: id, creatorId: id }, manifest),
      );
      const response = await forge.anonymous.post(`/app-manifests/${code}/conversions`);
      // Makes a bot, too, which any response could show.
      await app();
      return response;
    });
    yield unseen('PATCH /app/hook/config', async () =>
      (await app()).client.patch('/app/hook/config', { url: 'https://app.test/' }),
    );
    yield unseen('POST /app/installations/:installation_id/access_tokens', async () => {
      const { client, install } = await app();
      return client.post(`/app/installations/${(await install('acme')).id}/access_tokens`);
    });
    yield unseen('DELETE /installation/token', async () => {
      const { token, install } = await app();
      return (await token(await install('acme'))).delete('/installation/token');
    });
    yield unseen('PUT /app/installations/:installation_id/suspended', async () => {
      const { client, install } = await app();
      return client.put(`/app/installations/${(await install('acme')).id}/suspended`);
    });
    yield unseen('DELETE /app/installations/:installation_id/suspended', async () => {
      const { client, install } = await app();
      return client.delete(`/app/installations/${(await install('acme')).id}/suspended`);
    });
    yield unseen('POST /app/hook/deliveries/:delivery_id/attempts', async () => {
      const hooked = await app();
      const sent = await forge.database.write((sql) =>
        sql.get<{ id: number }>(
          'update webhook_deliveries set attempts = 1, delivered_at = 1 where webhook_id = $1 returning id',
          hooked.app.hook.id,
        ),
      );
      return hooked.client.post(`/app/hook/deliveries/${sent?.id}/attempts`);
    });
    yield unseen('DELETE /app/installations/:installation_id', async () => {
      const { client, install } = await app();
      return client.delete(`/app/installations/${(await install('acme')).id}`);
    });
  }

  const ofRules = (tail: string): string =>
    `/repos/:owner/:repo/branches/:branch/protection${tail}`;

  test('every operation that writes is played', () => {
    const played = new Set([...writes()].map(({ name }) => name));
    const missing = endpoints
      .map(({ declaration }) => `${declaration.method} ${declaration.path}`)
      .filter((name) => !name.startsWith('GET ') && !played.has(name));
    assert.deepEqual(missing, [], 'give each a row');
  });

  let rows: Iterator<Write>;

  test('whatever is written to a repository', async () => {
    rows = writes();
    await sweep.play(rows, 'DELETE /repos/:owner/:repo/git/refs/*');
  });

  test('whatever else is written', () => sweep.play(rows));
});
