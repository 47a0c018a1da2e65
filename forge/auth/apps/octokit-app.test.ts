import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { App, Octokit } from 'octokit';

import { systemClock } from '#platform/clock.ts';

import { createTestApp, type TestApp } from '../../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';

describe('Octokit, as a GitHub App,', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let app: App;
  let installationId = 0;

  before(async () => {
    forge = await startTestForge();
    // Octokit signs with the time of its own clock.
    forge.clock.advance(systemClock.now() - forge.clock.now());
    const baseUrl = `http://${await forge.listen()}/api/v3`;
    owner = await forge.user('own');
    await forge.repository(owner, { name: 'one', private: true });
    await forge.repository(owner, { name: 'two' });
    robot = await createTestApp(forge, owner.account.id, { permissions: { issues: 'write' } });
    installationId = (await robot.install('own')).id;
    app = new App({
      appId: robot.app.id,
      privateKey: robot.privateKey,
      Octokit: Octokit.defaults({ baseUrl, retry: { enabled: false } }),
    });
  });
  after(() => forge.close());

  test('finds itself and its installations', async () => {
    const { data } = await app.octokit.request('GET /app');
    assert.equal(data?.slug, 'robot');
    const found: number[] = [];
    await app.eachInstallation(({ installation }) => {
      found.push(installation.id);
    });
    assert.deepEqual(found, [installationId]);
    const { data: inRepository } = await app.octokit.request(
      'GET /repos/{owner}/{repo}/installation',
      { owner: 'own', repo: 'one' },
    );
    assert.equal(inRepository.id, installationId);
  });

  test('gets tokens by itself, and acts in its repositories as its bot', async () => {
    const names: string[] = [];
    await app.eachRepository({ installationId }, ({ repository }) => {
      names.push(repository.full_name);
    });
    assert.deepEqual(names, ['own/one', 'own/two']);
    const octokit = await app.getInstallationOctokit(installationId);
    const { data } = await octokit.rest.issues.create({
      owner: 'own',
      repo: 'one',
      title: 'Found',
    });
    assert.equal(data.user?.login, 'robot[bot]');
    await assert.rejects(
      octokit.rest.repos.createCommitStatus({
        owner: 'own',
        repo: 'one',
        sha: '0'.repeat(40),
        state: 'success',
      }),
      /Resource not accessible by integration/,
    );
  });
});
