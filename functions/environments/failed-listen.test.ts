/** Programs with extensions reach the Runtime API on their own loopback, where the launcher has to listen for it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Launcher, Sandbox } from '../launcher/launcher.ts';
import type { VersionSpec } from './version-spec.ts';
import { perlExtension } from './testing/perl-extension.ts';
import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

describe('a loopback that cannot be listened on', { skip: process.platform !== 'linux' }, () => {
  const fault = new Error('EMFILE: too many open files');
  let failuresLeft = 0;
  let closed = 0;
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({}, failing);
  });
  after(() => environments.close());

  const failing = (launcher: Launcher): Launcher =>
    withSandboxes(launcher, (sandbox) => ({
      async listenOnLoopback(onConnection) {
        failuresLeft -= 1;
        if (failuresLeft >= 0) throw fault;
        return sandbox.listenOnLoopback(onConnection);
      },
      async close() {
        closed += 1;
        await sandbox.close();
      },
    }));

  async function spec(name: string): Promise<VersionSpec> {
    const layer = await environments.layer({ 'extensions/one': perlExtension() });
    const files = { 'index.js': `exports.handler = async () => '${name}';` };
    return environments.spec(files, { Layers: [layer] });
  }

  const socketFolders = (): Promise<string[]> => readdir(join(environments.folder, 's'));

  it('has the environment closed, and the event runs in another one', async () => {
    failuresLeft = 1;
    assert.equal(await environments.invoke(await spec('first')), 'first');
    assert.deepEqual(environments.faults, [fault]);
    assert.equal(closed, 1);
    assert.equal((await socketFolders()).length, 1);
  });

  it('is reported as a fault of the service when it stays so, and leaves nothing behind', async () => {
    failuresLeft = 2;
    const failure = await environments.pool.prewarm(await spec('second'));
    assert.deepEqual([failure?.code, failure?.fault], ['InternalError', fault]);
    assert.equal(closed, 3);
    assert.equal((await socketFolders()).length, 1);
  });
});

describe('a sandbox that cannot be closed', { skip: process.platform !== 'linux' }, () => {
  it('is reported, and leaves no sockets', async () => {
    const fault = new Error('umount: target is busy');
    const environments = await startRealEnvironments({}, (launcher) =>
      withSandboxes(launcher, (sandbox) => ({
        listenOnLoopback: (onConnection) => sandbox.listenOnLoopback(onConnection),
        async close() {
          await sandbox.close();
          throw fault;
        },
      })),
    );
    try {
      const spec = await environments.spec({ 'index.js': `exports.handler = async () => 'done';` });
      assert.equal(await environments.invoke(spec), 'done');
      environments.pool.drain(spec.versionId);
      while (environments.faults.length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      const [reported] = environments.faults;
      assert.ok(reported instanceof AggregateError);
      assert.deepEqual(reported.errors, [fault]);
      assert.deepEqual(await readdir(join(environments.folder, 's')), []);
    } finally {
      await environments.close();
    }
  });
});

/** A launcher whose sandboxes do two things in another way. */
function withSandboxes(
  launcher: Launcher,
  other: (sandbox: Sandbox) => Pick<Sandbox, 'listenOnLoopback' | 'close'>,
): Launcher {
  return {
    isolation: launcher.isolation,
    isAvailable: launcher.isAvailable,
    async open(options) {
      const sandbox = await launcher.open(options);
      return {
        start: (program) => sandbox.start(program),
        connectToLoopback: (port) => sandbox.connectToLoopback(port),
        onLost: (listener) => sandbox.onLost(listener),
        serveOnLoopback: (onConnection) => sandbox.serveOnLoopback(onConnection),
        ...other(sandbox),
      };
    },
    ownersOf: (connections) => launcher.ownersOf(connections),
    close: () => launcher.close(),
  };
}
