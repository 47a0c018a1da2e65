/**
 * The git process: `node git-process.ts <root> <socket> [<key>]`. A root with a key is the folder of a shard, which has it in its marker. It owns every git child, prints one line
 * when it can be asked, and ends itself when its standard input ends, which is when its parent is
 * gone, whatever way it went. Without arguments it loads its program, and waits for a line with them as a list in JSON (spare-git-process.ts).
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { inBackground } from '#platform/in-background.ts';

import type { GitError } from '../git-error.ts';
import { startGitServer } from './git-server.ts';
import { guardRoot, unguarded } from './root-guard.ts';
import { hasShardMarker } from './shard-marker.ts';
import { notDurableStatus } from './wire.ts';
import { closeGitState, openGitState, toolsOfHost } from './open-git-state.ts';

/** Time that a git process waits at its start for its predecessor to end. */
const fenceSeconds = 10;

async function run(
  parentGone: Promise<void>,
  [root, socketPath, key]: readonly string[],
): Promise<void> {
  if (root === undefined || socketPath === undefined)
    throw new Error('Usage: git-process.ts [<root> <socket> [<key>]]');
  if (key !== undefined && !(await hasShardMarker(root, key))) {
    throw new Error(`${root} is not the folder of this shard. Mount its volume.`);
  }
  await waitForPredecessor(socketPath);
  const { state, recoverAll } = await openGitState({
    root,
    onNotDurable: endAtOnce,
    report: toStandardError,
  });
  const lost = Promise.withResolvers<void>();
  const guard = key === undefined ? unguarded : await guardRoot(root, key, lost.resolve);
  const server = await startGitServer(state, socketPath, guard);
  process.stdout.write('ready\n');
  const stop = new AbortController();
  inBackground(recoverAll(stop.signal), (error) => toStandardError(String(error)));
  // What its batch processes still read is not what will be mounted next: the next git process begins anew.
  await Promise.race([
    parentGone,
    lost.promise.then(() => {
      toStandardError(`The folder ${root} of this shard is gone.`);
      process.exitCode = 1;
    }),
  ]);
  stop.abort();
  server.close();
  server.closeAllConnections();
  await closeGitState(state);
}

/**
 * A git process whose parent was killed may still be ending its children. Cleanup must not run at
 * the same time, so this waits as long as a process answers on the socket.
 */
async function waitForPredecessor(socketPath: string): Promise<void> {
  const deadline = performance.now() + fenceSeconds * 1000;
  while (await accepts(socketPath)) {
    if (performance.now() > deadline) {
      throw new Error(`Another git process uses ${socketPath}. Stop the other server first.`);
    }
    await delay(50);
  }
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The server logs it. */
function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function endAtOnce(error: GitError): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(notDurableStatus);
}

/** What the parent names, once it does; undefined: it is gone. */
async function assigned(parentGone: Promise<void>): Promise<readonly string[] | undefined> {
  let text = '';
  const line = new Promise<string>((resolve) => {
    process.stdin.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.endsWith('\n')) resolve(text);
    });
  });
  await toolsOfHost();
  const named: unknown = JSON.parse((await Promise.race([line, parentGone])) ?? 'null');
  return Array.isArray(named) ? named.map(String) : undefined;
}

const parentGone = new Promise<void>((resolve) => {
  process.stdin.once('close', resolve);
});
process.stdin.resume();
// A service manager signals all processes at once. The server finishes its requests first and then closes the standard input of this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
try {
  const given = process.argv.slice(2);
  const parts = given.length > 0 ? given : await assigned(parentGone);
  if (parts) await run(parentGone, parts);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// Open handles must not delay the exit: the parent is gone or will read the error.
process.exit();
