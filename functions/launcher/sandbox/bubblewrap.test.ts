import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { bubblewrapArguments, bubblewrapCommand } from './bubblewrap.ts';
import type { SandboxedProgram } from './sandbox-resources.ts';

const program: SandboxedProgram = {
  command: ['/opt/run', '--fast'],
  environment: { A: 'one', B: '--share-net' },
  directory: '/var/task',
  root: [
    { kind: 'mount', from: '/host/usr', to: '/usr', writable: false },
    { kind: 'mount', from: '/host/tmp', to: '/tmp', writable: true },
    { kind: 'link', target: 'usr/bin', to: '/bin', from: '/bin' },
    { kind: 'folder', to: '/mnt' },
    { kind: 'processes', to: '/proc' },
    { kind: 'devices', to: '/dev' },
  ],
  network: 'new',
  memoryMiB: 32,
  user: 993,
  filtered: true,
};

const argumentsOf = (given: Partial<SandboxedProgram>): string[] =>
  bubblewrapArguments({ ...program, ...given })
    .split('\0')
    .slice(0, -1);

/** Whether these follow each other. */
const includes = (list: readonly string[], ...wanted: readonly string[]): boolean =>
  list.some((_, at) => wanted.every((argument, offset) => list[at + offset] === argument));

describe('the arguments of bubblewrap', () => {
  test('are in no list of processes, but for the command of the program', () => {
    const command = bubblewrapCommand('/usr/bin/bwrap', program);
    assert.deepEqual(command, ['/usr/bin/bwrap', '--args', '3', '--', '/opt/run', '--fast']);
  });

  test('make the root of the sandbox step by step', () => {
    const list = argumentsOf({});
    assert.ok(includes(list, '--ro-bind', '/host/usr', '/usr'));
    assert.ok(includes(list, '--bind', '/host/tmp', '/tmp'));
    assert.ok(includes(list, '--symlink', 'usr/bin', '/bin'));
    assert.ok(includes(list, '--dir', '/mnt'));
    assert.ok(includes(list, '--proc', '/proc'));
    assert.ok(includes(list, '--dev', '/dev', '--perms', '1777', '--size', String(32 * 2 ** 20)));
    assert.ok(list.indexOf('--remount-ro') > list.indexOf('--symlink'));
  });

  test('limit shared memory where nothing counts it', () => {
    assert.ok(includes(argumentsOf({ memoryMiB: 4096 }), '--size', String(64 * 2 ** 20)));
  });

  test('have a network namespace and a filter only where these are wanted', () => {
    assert.ok(argumentsOf({}).includes('--unshare-net'));
    assert.ok(!argumentsOf({ network: 'as-is' }).includes('--unshare-net'));
    assert.ok(includes(argumentsOf({}), '--seccomp', '4'));
    assert.ok(!argumentsOf({ filtered: false }).includes('--seccomp'));
  });

  test('set each variable, whatever its value looks like', () => {
    const list = argumentsOf({});
    assert.ok(includes(list, '--clearenv', '--setenv', 'A', 'one', '--setenv', 'B', '--share-net'));
    assert.equal(list.at(-1), '--share-net', 'nothing follows that a value could hide');
  });

  test('are refused when one holds U+0000, which would begin another argument', () => {
    assert.throws(() => argumentsOf({ environment: { A: 'x\0--share-net' } }));
    assert.throws(() => argumentsOf({ directory: '/a\0b' }));
  });
});
