import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { seccompFilter } from './seccomp-filter.ts';
import type { FilteredArchitecture } from './seccomp-filter.ts';
import { allowedCalls, checkedCalls, lastCall, missingCalls } from './system-calls.ts';

const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const allowed = 'allowed';

/** By hand, so that a slip in the table shows: what no function may call. */
const refused = {
  x64: [
    [101, 'ptrace'],
    [103, 'syslog'],
    [154, 'modify_ldt'],
    [155, 'pivot_root'],
    [161, 'chroot'],
    [165, 'mount'],
    [166, 'umount2'],
    [169, 'reboot'],
    [170, 'sethostname'],
    [172, 'iopl'],
    [175, 'init_module'],
    [227, 'clock_settime'],
    [246, 'kexec_load'],
    [248, 'add_key'],
    [250, 'keyctl'],
    [272, 'unshare'],
    [298, 'perf_event_open'],
    [300, 'fanotify_init'],
    [304, 'open_by_handle_at'],
    [308, 'setns'],
    [310, 'process_vm_readv'],
    [313, 'finit_module'],
    [321, 'bpf'],
    [323, 'userfaultfd'],
    [428, 'open_tree'],
    [429, 'move_mount'],
    [438, 'pidfd_getfd'],
    [442, 'mount_setattr'],
  ],
  arm64: [
    [39, 'umount2'],
    [40, 'mount'],
    [41, 'pivot_root'],
    [51, 'chroot'],
    [97, 'unshare'],
    [104, 'kexec_load'],
    [105, 'init_module'],
    [112, 'clock_settime'],
    [116, 'syslog'],
    [117, 'ptrace'],
    [142, 'reboot'],
    [161, 'sethostname'],
    [217, 'add_key'],
    [219, 'keyctl'],
    [241, 'perf_event_open'],
    [262, 'fanotify_init'],
    [265, 'open_by_handle_at'],
    [268, 'setns'],
    [270, 'process_vm_readv'],
    [273, 'finit_module'],
    [280, 'bpf'],
    [282, 'userfaultfd'],
    [428, 'open_tree'],
    [429, 'move_mount'],
    [438, 'pidfd_getfd'],
    [442, 'mount_setattr'],
  ],
} as const;

/** By hand too: what no program goes without. */
const needed = {
  x64: { read: 0, write: 1, mmap: 9, execve: 59, exit_group: 231, openat: 257, futex: 202 },
  arm64: { read: 63, write: 64, mmap: 222, execve: 221, exit_group: 94, openat: 56, futex: 98 },
} as const;

describe('the system call filter', () => {
  for (const architecture of ['x64', 'arm64'] as const) {
    const column = architecture === 'x64' ? 1 : 2;

    test(`lets through what it lists and nothing else, on ${architecture}`, () => {
      const actions = new Map<number | undefined, string>([
        ...allowedCalls.map((call) => [call[column], allowed] as const),
        ...missingCalls.map((call) => [call[column], 'error 38'] as const),
      ]);
      const checked = new Set(checkedCalls.map((call) => call[architecture]));
      for (let number = 0; number < 1000; number += 1) {
        if (checked.has(number)) continue;
        const expected = actions.get(number) ?? (number > lastCall ? 'error 38' : 'error 1');
        assert.equal(actionOf(architecture, number), expected, `call ${number}`);
      }
    });

    test(`has the calls that must be refused, and those that are needed, on ${architecture}`, () => {
      for (const [number, name] of refused[architecture]) {
        assert.equal(actionOf(architecture, number), 'error 1', name);
      }
      for (const [name, number] of Object.entries(needed[architecture])) {
        assert.equal(actionOf(architecture, number), allowed, name);
      }
    });

    test(`judges some calls by an argument, on ${architecture}`, () => {
      const threads = 0x003d_0f00;
      const rows: readonly [string, readonly number[], readonly number[]][] = [
        ['clone', [17, threads], [0x2_0000, 0x200_0000, 0x400_0000, threads | 0x1000_0000]],
        ['ioctl', [0x5401, 0x5413, 0], [0x5412, 0x541c]],
        ['personality', [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff], [0x4_0000, 1, 0xffff_fffe]],
        ['socket', [1, 2, 10, 16], [0, 3, 17, 38, 40, 41, 44]],
        ['socketpair', [1], [0, 2, 30]],
      ];
      assert.deepEqual(
        rows.map(([name]) => name),
        checkedCalls.map(({ name }) => name),
      );
      for (const [index, [name, taken, turnedDown]] of rows.entries()) {
        const call = checkedCalls[index];
        assert.ok(call);
        const ask = (value: number): string => {
          const values = [0, 0, 0];
          values[call.argument] = value;
          return actionOf(architecture, call[architecture], values);
        };
        for (const value of taken) assert.equal(ask(value), allowed, `${name} ${value}`);
        for (const value of turnedDown)
          assert.equal(ask(value), `error ${call.error}`, `${name} ${value}`);
      }
    });

    test(`names every call once, on ${architecture}`, () => {
      const numbers = [
        ...[...allowedCalls, ...missingCalls].map((call) => call[column]),
        ...checkedCalls.map((call) => call[architecture]),
      ].filter((number) => number !== undefined);
      assert.equal(new Set(numbers).size, numbers.length);
      assert.ok(Math.max(...numbers) <= lastCall);
    });
  }

  test('kills what speaks for another architecture, or for x32', () => {
    assert.equal(actionOf('x64', 1, [], 0x4000_0003), 'killed');
    assert.equal(actionOf('x64', 0x4000_0001), 'killed');
    assert.equal(actionOf('arm64', 1, [], audit.x64), 'killed');
  });
});

/** Runs the filter as the kernel would (seccomp(2)). */
function actionOf(
  architecture: FilteredArchitecture,
  number: number,
  callArguments: readonly number[] = [],
  auditOf: number = audit[architecture],
): string {
  const filter = seccompFilter(architecture);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(auditOf, 4);
  // What the kernel looks at is the low half; something may stand in the high one.
  for (const [index, value] of callArguments.entries()) {
    data.writeUInt32LE(value, 16 + 8 * index);
    data.writeUInt32LE(0xdead, 20 + 8 * index);
  }
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const [ifTrue, ifFalse] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const operand = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return named(operand);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else at += jumps(code, accumulator, operand) ? ifTrue : ifFalse;
  }
  return 'ran off the end';
}

function jumps(code: number, accumulator: number, operand: number): boolean {
  if (code === 0x15) return accumulator === operand;
  if (code === 0x35) return accumulator >= operand;
  assert.equal(code, 0x45);
  return (accumulator & operand) !== 0;
}

function named(result: number): string {
  if (result === 0x7fff_0000) return allowed;
  if (result === 0x8000_0000) return 'killed';
  return `error ${result & 0xffff}`;
}
