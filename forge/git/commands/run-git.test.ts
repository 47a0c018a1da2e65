import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Durability } from './durability.ts';
import { gitCommandLine, gitEnvironment } from './git-environment.ts';
import type { GitError } from '../git-error.ts';
import { requireVersion } from './git-tools.ts';
import { GitRunner } from './run-git.ts';
import { realGit } from '../testing/real-git.ts';
import { useTestGit } from '../testing/test-git.ts';

suite('git commands', () => {
  const testGit = useTestGit();

  test('are ended when they take too long', async () => {
    const stuck = testGit.state.runner.run({
      arguments: ['-c', 'alias.wait=!sleep 60', 'wait'],
      limits: { seconds: 0.05 },
    });
    await assert.rejects(stuck, { kind: 'limit', message: /longer than 0.05 seconds/ });
  });

  test('are unavailable, not at fault, when something else kills them', async () => {
    const killed = testGit.state.runner.run({
      arguments: ['-c', 'alias.kill=!kill -9 $PPID', 'kill'],
    });
    await assert.rejects(killed, { kind: 'unavailable', message: /was killed/ });
  });

  test('are ended when they print too much, or cut where that is wanted', async () => {
    const { runner, paths } = testGit.state;
    const { id, repository } = await testGit.newRepository();
    const blob = await repository.writeBlob(Buffer.alloc(1_000_000, 'x'));
    const command = {
      arguments: ['cat-file', 'blob', blob],
      repositoryPath: paths.repository(id),
      outputBytesMax: 1000,
    };
    await assert.rejects(runner.run(command), { kind: 'limit', message: /output too large/ });
    const cut = await runner.run({ ...command, cut: true });
    assert.deepEqual([cut.bytes.length, cut.cut], [1000, true]);
    const whole = await runner.run({ ...command, outputBytesMax: 2_000_000 });
    assert.deepEqual([whole.bytes.length, whole.cut], [1_000_000, false]);
  });

  test('may use only so much memory', async (t) => {
    const { runner } = testGit.state;
    if (!runner.tools.prlimit) return t.skip('this host has no prlimit');
    const run = runner.run({
      arguments: ['hash-object', '-t', 'commit', '--literally', '--stdin'],
      input: Buffer.alloc(80_000_000, 'x'),
      limits: { memoryBytes: 64 * 1024 * 1024 },
    });
    await assert.rejects(run, { kind: 'limit', message: /memory/ });
    return undefined;
  });

  test('may use only so much processor time', async (t) => {
    const { runner } = testGit.state;
    if (!runner.tools.prlimit) return t.skip('this host has no prlimit');
    const shown = await runner.run({
      arguments: ['-c', 'alias.limit=!ulimit -t', 'limit'],
      limits: { processorSeconds: 7 },
    });
    assert.equal(shown.bytes.toString(), '7\n');
    return undefined;
  });

  test('see nothing of the environment and of configurations outside', async () => {
    const { runner } = testGit.state;
    const { path } = await testGit.newRepository();
    await realGit(path, ['config', 'core.hooksPath', '/evil']);
    const shown = await runner.run({
      arguments: ['-c', 'alias.show-environment=!env', 'show-environment'],
      repositoryPath: path,
    });
    const names = shown.bytes
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0]);
    assert.ok(
      !names.includes('USER') && !names.includes('LANG') && !names.includes('NODE_OPTIONS'),
    );
    const hooks = await runner.run({
      arguments: ['config', '--get', 'core.hooksPath'],
      repositoryPath: path,
    });
    assert.equal(hooks.bytes.toString(), '/dev/null\n');
    assert.match(shown.bytes.toString(), /^GIT_NO_REPLACE_OBJECTS=1$/m);
    assert.match(shown.bytes.toString(), /^HOME=\/nonexistent$/m);
  });

  test('are not run once the disk has failed', async () => {
    const failures: GitError[] = [];
    const durability = new Durability((error) => failures.push(error));
    const runner = new GitRunner(testGit.state.runner.tools, durability);
    await assert.rejects(durability.sync('/nonexistent/file'), { code: 'ENOENT' });
    durability.check();
    durability.fail(new Error('EIO'), 'a ref');
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.kind, 'not-durable');
    await assert.rejects(runner.run({ arguments: ['version'] }), { kind: 'not-durable' });
    await assert.rejects(durability.sync('/'), { kind: 'not-durable' });
    await runner.close();
  });

  test('that report a failed sync stop everything', async () => {
    const failures: GitError[] = [];
    const runner = new GitRunner(
      testGit.state.runner.tools,
      new Durability((error) => failures.push(error)),
    );
    const end = { status: 128, signal: undefined, startError: undefined };
    const words = "fatal: prepare: fsync error on 'refs/heads/main.lock': Input/output error";
    const untrusted = await runner.failure({ arguments: ['fetch'] }, end, words);
    assert.equal(untrusted.kind, 'failed');
    await assert.rejects(runner.failure({ arguments: ['update-ref'] }, end, words), {
      kind: 'not-durable',
    });
    assert.equal(failures.length, 1);
    await runner.close();
  });

  test('are not started after closing, and those that run are ended', async () => {
    const runner = new GitRunner(testGit.state.runner.tools, new Durability(() => {}));
    const waiting = runner.run({ arguments: ['-c', 'alias.wait=!sleep 60', 'wait'] });
    const rejected = assert.rejects(waiting, { kind: 'unavailable' });
    await new Promise((resolve) => setImmediate(resolve));
    await runner.close();
    await rejected;
    assert.equal(runner.children, 0);
    await assert.rejects(runner.run({ arguments: ['version'] }), { kind: 'unavailable' });
  });

  test(
    'of one repository, however long they take, hold up none of another',
    { timeout: 20_000 },
    async () => {
      const runner = new GitRunner(testGit.state.runner.tools, new Durability(() => {}));
      const [one, other] = [await testGit.newRepository(), await testGit.newRepository()];
      const wait = { arguments: ['-c', 'alias.wait=!sleep 60', 'wait'], repositoryPath: one.path };
      const waiting = Array.from({ length: 20 }, () => runner.run(wait));
      const ended = Promise.allSettled(waiting);
      const quick = await runner.run({ arguments: ['rev-parse'], repositoryPath: other.path });
      assert.equal(quick.status, 0);
      await runner.close();
      await ended;
    },
  );

  test('carry limits and settings before the command, and arguments of the user after it', () => {
    const tools = { version: '', setpriv: true, prlimit: true, stdbuf: true };
    const { command, arguments: parts } = gitCommandLine(tools, {
      arguments: ['log', '--end-of-options', 'main'],
      repositoryPath: '/repository',
      limits: { seconds: 1, memoryBytes: 1000, processorSeconds: 5 },
      settings: ['a.b=c'],
      unbuffered: true,
    });
    assert.equal(command, 'setpriv');
    const line = parts.join(' ');
    assert.match(
      line,
      /^--pdeathsig KILL -- prlimit --data=1000 --core=0 --cpu=5 -- stdbuf -o0 git -c /,
    );
    assert.match(line, / -c a\.b=c --git-dir=\/repository log --end-of-options main$/);
    const none = { version: '', setpriv: false, prlimit: false, stdbuf: false };
    const bare = gitCommandLine(none, {
      arguments: ['x'],
      repositoryPath: undefined,
      limits: { seconds: 1, memoryBytes: 1 },
      settings: [],
      unbuffered: true,
    });
    assert.equal(bare.command, 'git');
    assert.equal(bare.arguments.at(-1), 'x');
    assert.equal(gitEnvironment({ GIT_ALLOW_PROTOCOL: 'file' })['GIT_ALLOW_PROTOCOL'], 'file');
  });

  test('need a git that can merge without a work tree', () => {
    for (const printed of ['git version 2.37.9', 'git version 1.99', '', undefined, 'nonsense']) {
      assert.throws(() => requireVersion(printed), /git 2\.38 or newer is required/);
    }
    for (const printed of [
      'git version 2.38.0',
      'git version 2.39.5 (Apple Git-154)',
      'git version 3.0',
    ]) {
      requireVersion(printed);
    }
  });
});
