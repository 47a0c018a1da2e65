/** Every system call, made inside of a real sandbox: by perl, which Debian has in its base. */
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { findHostTools } from '../process/host-tools.ts';
import { filteredArchitecture } from './seccomp-filter.ts';
import { allowedCalls, checkedCalls, lastCall, missingCalls } from './system-calls.ts';
import { startTestLauncher } from '../testing/test-launcher.ts';
import type { TestLauncher } from '../testing/test-launcher.ts';

const architecture = filteredArchitecture(process.arch);
const { perl } = findHostTools();

/**
 * A program that makes one call for each line of `number argument argument …` and prints how each ended: "0", an error's number, or
 * the signal that it died of. Each is made by a process of its own, some at a time, for some do not come back.
 */
const caller = `
  use POSIX ();
  my @lines = <DATA>;
  while (my @some = splice @lines, 0, 40) {
    my @children = map {
      my ($number, @arguments) = map { int } split " ";
      my $pid = fork;
      if (!$pid) {
        alarm 1;
        $! = 0;
        my $result = syscall($number, @arguments);
        POSIX::_exit($result == -1 ? $! + 0 : 0);
      }
      $pid;
    } @some;
    for my $pid (@children) {
      waitpid $pid, 0;
      print $? & 127 ? "signal " . ($? & 127) : $? >> 8, "\\n";
    }
  }
`;

/** uretprobe and uprobe of x86-64, for programs that the kernel put probes in: it answers before it asks the filter. */
const pastTheFilter: readonly number[] = architecture === 'x64' ? [335, 336] : [];

describe('system calls from inside', { skip: whyNot() }, () => {
  let t: TestLauncher;
  before(async () => {
    t = await startTestLauncher();
  });
  after(() => t.close());

  const filtered = (context: TestContext): boolean => {
    const { strength, by } = t.launcher.isolation.enforced['system-calls'];
    if (strength !== 'full') context.skip(by);
    return strength === 'full';
  };

  const number = (call: readonly [string, number | undefined, number | undefined]): number =>
    call[architecture === 'x64' ? 1 : 2] ?? -1;

  test('end as the table says, one by one', async (context) => {
    if (!filtered(context)) return;
    const checked = checkedCalls.map((call) => call[architecture ?? 'x64']);
    const allowed = new Set(allowedCalls.map(number));
    const missing = new Set(missingCalls.map(number));
    // Two that take the caller's memory or the whole machine's disks along.
    const left = allowedCalls.filter(([name]) => name === 'vfork' || name === 'sync').map(number);
    const others = new Set([...checked, ...left, ...pastTheFilter]);
    const numbers = Array.from({ length: lastCall + 40 }, (_, index) => index).filter(
      (index) => !others.has(index),
    );
    // Arguments that no call does anything with.
    const calls = numbers.map((index) => [index, -1, -1, -1, -1, -1, -1]);
    const bare = await startTestLauncher({ without: ['bwrap'] });
    const [inside, without] = [await made(t, calls), await made(bare, calls)];
    await bare.close();
    assert.equal(inside.length, numbers.length);
    for (const [at, index] of numbers.entries()) {
      const end = inside[at];
      if (missing.has(index) || index > lastCall) assert.equal(end, '38', `call ${index}`);
      else if (!allowed.has(index)) assert.equal(end, '1', `call ${index}`);
      // What the kernel itself says to a process without any right.
      else assert.equal(end, without[at], `call ${index}`);
    }
  });

  test('end as their argument says', async (context) => {
    if (!filtered(context)) return;
    const of = (name: string): number =>
      checkedCalls.find((call) => call.name === name)?.[architecture ?? 'x64'] ?? -1;
    const child = 17;
    const beyond32Bits = 0x1_0000_0000;
    const rows: readonly (readonly [name: string, args: readonly number[], end: string])[] = [
      ['clone', [child, 0, 0, 0, 0], '0'],
      ...[17, 25, 26, 27, 28, 29, 30].map(
        (bit) => ['clone', [2 ** bit + child, 0, 0, 0, 0], '1'] as const,
      ),
      ['ioctl', [0, 0x5401, 0], '25'],
      ['ioctl', [0, 0x5412, 0], '1'],
      ['ioctl', [0, 0x541c, 0], '1'],
      ['ioctl', [0, 0x5412 + beyond32Bits, 0], '1'],
      ['personality', [0xffff_ffff], '0'],
      ['personality', [0], '0'],
      ['personality', [0x4_0000], '1'],
      ['personality', [0x4_0000 + beyond32Bits], '1'],
      ...[1, 2, 10, 16].map((family) => ['socket', [family, 2, 0], '0'] as const),
      ...[0, 3, 17, 21, 38, 40, 44, 40 + beyond32Bits].map(
        (family) => ['socket', [family, 2, 0], '97'] as const,
      ),
      ['socketpair', [2, 1, 0, 0], '97'],
    ];
    const ends = await made(
      t,
      rows.map(([name, args]) => [of(name), ...args]),
    );
    for (const [at, [name, args, end]] of rows.entries()) {
      assert.equal(ends[at], end, `${name} ${args.join(' ')}`);
    }
  });

  test('are those that language runtimes need, for threads, processes, files and networks', async () => {
    const node = `
      const { Worker } = require('worker_threads');
      const { spawnSync } = require('child_process');
      const { promises: fs, watch } = require('fs');
      require('os').networkInterfaces();
      watch('/tmp').close();
      const work = 'require("worker_threads").parentPort.postMessage(crypto.getRandomValues(new Uint8Array(1)).length)';
      new Worker(work, { eval: true }).on('message', async (length) => {
        await fs.writeFile('/tmp/x', 'x'.repeat(100000));
        await fs.copyFile('/tmp/x', '/tmp/y');
        require('dns').lookup('localhost', (error) => {
          console.log(length, error, spawnSync('/bin/sh', ['-c', 'exit 3']).status, (process.memoryUsage().rss > 0));
        });
      });`;
    const python = `
import asyncio, concurrent.futures, multiprocessing, os, socket, subprocess, tempfile, threading
def double(number): return 2 * number
with concurrent.futures.ThreadPoolExecutor(4) as pool: threads = sum(pool.map(double, range(4)))
with multiprocessing.get_context('fork').Pool(2) as pool: processes = sum(pool.map(double, range(4)))
async def main():
    child = await asyncio.create_subprocess_exec('/bin/true')
    return await child.wait()
with tempfile.TemporaryFile() as file: file.write(b'x')
socket.getaddrinfo('localhost', 80)
print(threads, processes, asyncio.run(main()), len(os.sched_getaffinity(0)) > 0)`;
    const mounts = [{ from: process.execPath, to: '/opt/node' }];
    const sandbox = await t.open({ mounts, memoryMiB: 512, ephemeralStorageMiB: 64 });
    const inNode = await t.run(sandbox, '', { command: ['/opt/node', '-e', node] });
    const inPython = await t.run(sandbox, '', { command: ['/usr/bin/python3', '-c', python] });
    await sandbox.close();
    assert.equal(inNode.output, '1 null 3 true\n');
    if (inPython.end.kind !== 'not-started') assert.equal(inPython.output, '12 12 0 True\n');
  });

  test('by the numbers of other interfaces end the program', async (context) => {
    if (!filtered(context)) return;
    if (architecture !== 'x64') return context.skip('there are none on this architecture');
    // getpid of x32.
    assert.deepEqual(await made(t, [[0x4000_0000 + 39]]), ['signal 31']);
    const code = join(t.folder, 'code');
    await mkdir(code, { mode: 0o755 });
    await writeFile(join(code, 'program'), exitBy32BitCall);
    await chmod(join(code, 'program'), 0o755);
    const sandbox = await t.open({ mounts: [{ from: code, to: '/var/task' }] });
    const { end } = await t.run(sandbox, '', { command: ['/var/task/program'] });
    await sandbox.close();
    // A kernel without these calls has another signal for it.
    assert.ok(
      end.kind === 'killed' && ['SIGSYS', 'SIGSEGV'].includes(end.signal),
      JSON.stringify(end),
    );
  });
});

function whyNot(): string | false {
  if (process.platform !== 'linux' || architecture === undefined) return 'no filter for this host';
  return perl === undefined ? 'perl is not here' : false;
}

/** How each call ends. */
async function made(t: TestLauncher, calls: readonly (readonly number[])[]): Promise<string[]> {
  const code = join(t.folder, 'calls');
  await mkdir(code, { recursive: true, mode: 0o755 });
  const lines = calls.map((call) => call.join(' '));
  await writeFile(join(code, 'caller.pl'), `${caller}__DATA__\n${lines.join('\n')}\n`);
  await chmod(join(code, 'caller.pl'), 0o644);
  const mounts = [{ from: code, to: '/var/task' }];
  const sandbox = await t.open({ mounts, memoryMiB: 256 });
  const { output } = await t.run(sandbox, '', { command: [perl ?? '', '/var/task/caller.pl'] });
  await sandbox.close();
  return output.split('\n').filter(Boolean);
}

/** A program of 64 bits whose only call is exit(42) as programs of 32 bits make it: `mov $1, %eax; mov $42, %ebx; int $0x80`. */
const exitBy32BitCall = elfOf([0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80]);

/** The least that the kernel starts (elf(5)): two headers and the code behind them. */
function elfOf(code: readonly number[]): Buffer {
  const headerBytes = 64 + 56;
  const base = 0x40_0000n;
  const file = Buffer.alloc(headerBytes + code.length);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(62, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(base + BigInt(headerBytes), 24);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(5, 68);
  file.writeBigUInt64LE(base, 80);
  file.writeBigUInt64LE(base, 88);
  file.writeBigUInt64LE(BigInt(file.length), 96);
  file.writeBigUInt64LE(BigInt(file.length), 104);
  file.writeBigUInt64LE(0x1000n, 112);
  file.set(code, headerBytes);
  return file;
}
