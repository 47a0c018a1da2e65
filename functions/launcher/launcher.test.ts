/** Every mechanism of isolation in the strongest tier that this host allows; what the host lacks is skipped, with the reason. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Enforced } from './isolation.ts';
import type { Sandbox, SandboxSpec } from './launcher.ts';
import { ownSeconds, userRunning } from './testing/host-processes.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import type { TestLauncher } from './testing/test-launcher.ts';

const linux = process.platform === 'linux';

describe('the launcher', { skip: linux ? false : 'sandboxes are Linux only' }, () => {
  let t: TestLauncher;
  let sandbox: Sandbox;

  before(async () => {
    t = await startTestLauncher();
    sandbox = await t.open();
  });
  after(() => t.close());

  /** Skips a test of a mechanism that this host lacks. */
  function needs(context: TestContext, ...settings: Enforced[]): boolean {
    const { enforced } = t.launcher.isolation;
    const weak = settings.find((setting) => enforced[setting].strength !== 'full');
    if (weak === undefined) return true;
    context.skip(`${weak}: ${enforced[weak].by}`);
    return false;
  }

  describe('refuses to start', () => {
    const cases = [
      ['no-such-file', { command: ['/var/task/bootstrap'] }],
      ['no-such-file', { command: ['no-such-program'] }],
      ['not-permitted', { command: ['/etc/passwd'] }],
      ['no-such-directory', { directory: '/no/such/directory' }],
    ] as const;
    for (const [reason, more] of cases) {
      test(`${JSON.stringify(more)}: ${reason}`, async () => {
        const { end, output } = await t.run(sandbox, 'true', more);
        assert.equal(end.kind, 'not-started');
        assert.equal(end.kind === 'not-started' && end.reason, reason);
        assert.equal(output, '');
      });
    }

    test('what holds U+0000, which would end an argument of the sandbox', async () => {
      const options = 'x\0--share-net\0--bind\0/\0/tmp/host';
      const programs = [
        { environment: { NAME: options } },
        { environment: { [options]: 'x' } },
        { directory: `/tmp${options}` },
        { command: ['/bin/sh', '-c', options] },
        { command: [`/bin/sh${options}`] },
      ] as const;
      for (const more of programs) {
        const { end, output } = await t.run(sandbox, 'ls /tmp/host', more);
        assert.equal(end.kind, 'not-started', JSON.stringify(more));
        assert.equal(output, '');
      }
    });

    test('what is no program, or a script for nothing', async () => {
      const code = join(t.folder, 'code');
      await mkdir(code, { mode: 0o755 });
      const files = {
        text: 'echo no\n',
        lost: '#!/no/such/interpreter\n',
        fine: '#!/bin/sh\nexit 5\n',
      };
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(code, name), text);
        await chmod(join(code, name), 0o755);
      }
      const own = await t.open({ mounts: [{ from: code, to: '/var/task' }] });
      const ends = [];
      for (const name of ['text', 'lost', 'fine']) {
        const { end } = await t.run(own, '', { command: [`/var/task/${name}`] });
        ends.push(end.kind === 'not-started' ? end.reason : end.kind);
      }
      await own.close();
      assert.deepEqual(ends, ['other', 'no-such-file', 'exited']);
    });
  });

  test('reports how a program ended', async () => {
    assert.deepEqual((await t.run(sandbox, 'exit 7')).end, { kind: 'exited', status: 7 });
    assert.deepEqual((await t.run(sandbox, 'kill -TERM $$')).end, {
      kind: 'killed',
      signal: 'SIGTERM',
      outOfMemory: false,
    });
  });

  test('gives exactly the environment, and shows it to no one', async (context) => {
    const environment = { SECRET: `it's "quoted"\nand long`, PATH: '/usr/bin:/bin' };
    const running = await sandbox.start(
      t.program('printf "%s|" "$SECRET"; env; sleep 60', { environment }),
    );
    await t.printed('PATH=');
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lists = await Promise.all(
      processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')),
    );
    await running.kill();
    assert.equal(lists.filter((text) => text.includes(environment.SECRET)).length, 0);
    if (!needs(context, 'files')) return;
    const { output } = await t.run(sandbox, '(tr "\\0" "\\n" </proc/1/environ) 2>/dev/null; env', {
      environment,
    });
    assert.match(output, /it's "quoted"\nand long/);
    const names = output.split('\n').map((line) => line.split('=')[0]);
    const known = ['SECRET', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', 'and long', ''];
    assert.deepEqual(
      names.filter((name) => !known.includes(name ?? '')),
      [],
    );
  });

  test('gives no open file but the output', async () => {
    const { output } = await t.run(
      sandbox,
      'for f in /proc/self/fd/*; do echo ${f##*/}; done; wait',
    );
    // The shell opens the list itself.
    const numbers = output
      .split('\n')
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
    assert.deepEqual(
      numbers.filter((number) => number > 3 && number < 10),
      [],
    );
    assert.equal(
      (await t.run(sandbox, 'echo x >&4 || echo closed')).output.includes('closed'),
      true,
    );
  });

  test('has a real user of its own, no rights, no cores, few open files', async (context) => {
    const script =
      'grep -E "^(Uid|Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)" /proc/self/status; ulimit -c; ulimit -n';
    const { output } = await t.run(sandbox, script);
    assert.match(output, /^0\n1024$/m);
    assert.match(output, /^NoNewPrivs:\s+1$/m);
    if (!needs(context, 'user')) return;
    for (const name of ['CapPrm', 'CapEff', 'CapAmb']) {
      assert.match(output, new RegExp(`^${name}:\\s+0+$`, 'm'));
    }
    // The shell itself is looked for: it is there once it has printed.
    const waits = `echo here; sleep ${ownSeconds(54_321)}; :`;
    const running = await sandbox.start(t.program(waits));
    await t.printed('here');
    const uid = await userRunning(`/bin/sh\x00-c\x00${waits}`);
    await running.kill();
    assert.ok(uid > 1_900_000_000, `runs as ${uid}`);
  });

  test('hides files, processes and the /tmp of others', async (context) => {
    if (!needs(context, 'files')) return;
    const other = await t.open();
    await t.run(other, 'echo mine >/tmp/retained');
    assert.match((await t.run(other, 'cat /tmp/retained')).output, /mine/);
    await other.close();
    const script = `ls ${t.folder} /root /home /tmp/retained; touch /x /etc/x /usr/x; ls /; ls -d /proc/[0-9]* | wc -l`;
    const { output } = await t.run(sandbox, script);
    assert.equal(output.match(/No such file/g)?.length, 4, output);
    assert.equal(output.match(/Read-only|Permission denied/g)?.length, 3, output);
    assert.ok(Number(/(\d+)\s*$/.exec(output)?.[1]) <= 5, output);
  });

  test('keeps mounts read-only unless they are writable', async (context) => {
    if (!needs(context, 'files')) return;
    const [code, shared] = [join(t.folder, 'closed', 'code'), join(t.folder, 'closed', 'shared')];
    await mkdir(code, { recursive: true });
    await mkdir(shared);
    await Promise.all([chmod(code, 0o755), chmod(shared, 0o777)]);
    await writeFile(join(code, 'file'), 'code');
    // As in the home of root: others may not pass.
    await chmod(join(t.folder, 'closed'), 0o700);
    const own = await t.open({
      mounts: [
        { from: code, to: '/var/task' },
        { from: shared, to: '/mnt/shared', writable: true },
      ],
    });
    const script = 'cat /var/task/file; echo no >/var/task/new; echo yes >/mnt/shared/new';
    const { output } = await t.run(own, script);
    await own.close();
    assert.match(output, /^code/);
    assert.match(output, /Read-only/);
    assert.equal(await readFile(join(shared, 'new'), 'utf8'), 'yes\n');
    assert.deepEqual(await readdir(code), ['file']);
  });

  test('shows an image instead of the host', async (context) => {
    if (!needs(context, 'files')) return;
    const image = await smallImage('image');
    if (image === undefined) return context.skip('no small shell to copy');
    await mkdir(join(image, 'var/log'), { recursive: true });
    await writeFile(join(image, 'var/log/of-the-image'), '');
    await writeFile(join(image, 'marker'), '');
    const code = join(t.folder, 'image-code');
    await mkdir(code, { mode: 0o755 });
    await writeFile(join(code, 'file'), '');
    const own = await t.open({ root: image, mounts: [{ from: code, to: '/var/task' }] });
    const script = 'echo /* /var/* /var/log/* /var/task/*; : >/tmp/x && echo tmp; : >/marker';
    const { output } = await t.run(own, script);
    const lost = await t.run(own, '', { command: ['/usr/bin/env'] });
    await own.close();
    const seen = '/bin /dev /etc /lib /lib64 /marker /proc /tmp /var /var/log /var/task';
    assert.match(output, new RegExp(`^${seen} /var/log/of-the-image /var/task/file\\ntmp\\n`));
    assert.match(output, /Read-only/);
    assert.equal(lost.end.kind === 'not-started' && lost.end.reason, 'no-such-file');
  });

  test('mounts its own files over those of an image', async (context) => {
    if (!needs(context, 'files')) return;
    const image = await smallImage('image-with-hosts');
    if (image === undefined) return context.skip('no small shell to copy');
    await mkdir(join(image, 'etc'));
    for (const name of ['hosts', 'resolv.conf', 'other']) {
      await writeFile(join(image, 'etc', name), 'of the image\n');
    }
    const own = await t.open({ root: image });
    const script = 'echo /etc/*; while read l; do echo "$l"; done </etc/hosts; : >/etc/hosts';
    const { output } = await t.run(own, script);
    await own.close();
    assert.match(
      output,
      /^\/etc\/hosts \/etc\/other \/etc\/resolv\.conf\n127\.0\.0\.1 localhost\n/,
    );
    assert.doesNotMatch(output, /of the image/);
    assert.match(output, /Read-only|cannot create/);
    assert.equal(await readFile(join(image, 'etc/hosts'), 'utf8'), 'of the image\n');
  });

  test('makes nothing on the host for an image whose folders are links', async (context) => {
    if (!needs(context, 'files')) return;
    const image = await smallImage('linked-image');
    if (image === undefined) return context.skip('no small shell to copy');
    const open = join(t.folder, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    // Where bubblewrap has the host's root while it makes the new one, and where a shell has it.
    for (const [index, host] of ['/oldroot', ''].entries()) {
      const root = `${image}-${index}`;
      await cp(image, root, { recursive: true });
      await chmod(root, 0o755);
      for (const name of ['etc', 'mnt', 'proc', 'dev', 'tmp']) {
        await symlink(`${host}${open}`, join(root, name));
      }
      const own = await t.open({ root, mounts: [{ from: open, to: '/mnt/open' }] });
      const { output } = await t.run(own, 'echo /etc/* /mnt/*; : >/tmp/x && echo tmp');
      await own.close();
      assert.equal(output, '/etc/hosts /etc/resolv.conf /mnt/open\ntmp\n');
      assert.deepEqual(await readdir(open), []);
    }
  });

  test('refuses system calls that open kernels', async (context) => {
    if (!needs(context, 'system-calls')) return;
    const script =
      'grep Seccomp: /proc/self/status; unshare -U true; unshare -m true; mount -t tmpfs x /tmp';
    const { output } = await t.run(sandbox, script);
    assert.match(output, /Seccomp:\s+2/);
    assert.equal(output.match(/not permitted|must be superuser/g)?.length, 3, output);
  });

  test('kills what takes more memory than it has', async (context) => {
    if (!needs(context, 'memory')) return;
    const { end } = await t.run(sandbox, 'exec tail /dev/zero');
    assert.deepEqual(end, { kind: 'killed', signal: 'SIGKILL', outOfMemory: true });
  });

  test('gives a /tmp of its size that is no memory', async (context) => {
    if (!needs(context, 'temporary-storage', 'memory')) return;
    const own = await t.open({ ephemeralStorageMiB: 96, memoryMiB: 48 });
    const script =
      'dd if=/dev/zero of=/tmp/a bs=1M count=96 2>/dev/null && echo fits; ' +
      'dd if=/dev/zero of=/tmp/b bs=1M count=16; exit 3';
    const { end, output } = await t.run(own, script);
    await own.close();
    assert.deepEqual(end, { kind: 'exited', status: 3 }, output);
    assert.match(output, /^fits/);
    assert.match(output, /No space left/);
  });

  test('limits the number of processes', async (context) => {
    if (!needs(context, 'processes')) return;
    const script =
      'i=0; while [ $i -lt 1100 ]; do sleep 60 & i=$((i+1)); done 2>/dev/null; echo never';
    const own = await t.open({ memoryMiB: 1024 });
    const { output } = await t.run(own, script);
    await own.close();
    assert.doesNotMatch(output, /never/);
  });

  test('measures memory', async () => {
    const running = await sandbox.start(
      t.program('x=$(head -c 20000000 /dev/zero | tr "\\0" a); echo full; sleep 60'),
    );
    await t.printed('full');
    const peak = await running.peakMemory();
    await running.kill();
    assert.ok(peak > 18_000_000 && peak < 64 * 2 ** 20, `${peak}`);
  });

  test('throttles on request', async (context) => {
    if (!needs(context, 'cpu')) return;
    // 64 MiB buy a 27th of a processor.
    const throttled = { options: { memoryMiB: 64 }, throttle: true };
    const free = { options: { memoryMiB: 64 }, throttle: false };
    assert.equal(await firstToEnd(throttled, free), 'other');
  });

  test('gives more of a processor with more memory', async (context) => {
    if (!needs(context, 'cpu')) return;
    // A 27th of a processor against a half of one.
    const little = { options: { memoryMiB: 64 }, throttle: true };
    const much = { options: { memoryMiB: 884 }, throttle: true };
    assert.equal(await firstToEnd(little, much), 'other');
  });

  test('gives the configured share of a processor for the memory', async (context) => {
    if (!needs(context, 'cpu')) return;
    // A 32nd of a processor against a half of one.
    const little = { options: { memoryMiB: 256, memoryMiBPerProcessor: 8192 }, throttle: true };
    const much = { options: { memoryMiB: 256, memoryMiBPerProcessor: 512 }, throttle: true };
    assert.equal(await firstToEnd(little, much), 'other');
  });

  interface Racer {
    readonly options: Partial<SandboxSpec>;
    readonly throttle: boolean;
  }

  /** Both begin to work at the same time and the other has twice as much to do: a busy host slows both. */
  async function firstToEnd(one: Racer, other: Racer): Promise<'one' | 'other'> {
    const gate = await mkdtemp(join(t.folder, 'gate-'));
    await chmod(gate, 0o755);
    const enter = async ({ options, throttle }: Racer, rounds: number) => {
      const own = await t.open({ ...options, mounts: [{ from: gate, to: '/gate' }] });
      const running = await own.start(
        t.program(
          'until [ -e /gate/open ]; do sleep 0.2; done; ' +
            `i=0; while [ $i -lt ${rounds} ]; do i=$((i+1)); done`,
        ),
      );
      if (throttle) running.throttle();
      // Orders are carried out in turn: once this is answered it is throttled.
      await running.peakMemory();
      return { own, running };
    };
    const entered = [await enter(one, 200_000), await enter(other, 400_000)];
    await writeFile(join(gate, 'open'), '');
    const first = await Promise.race(
      entered.map(({ running }, index) => running.ended.then(() => index)),
    );
    await Promise.all(entered.map(({ own }) => own.close()));
    return first === 0 ? 'one' : 'other';
  }

  test('kills all, also what left by setsid and a double fork', async (context) => {
    if (!needs(context, 'timeout')) return;
    const all = ownSeconds(43_210);
    const script = `(setsid sh -c "sleep ${all} & sleep ${all}" &) ; trap "" TERM; echo up; sleep ${all}`;
    const running = await sandbox.start(t.program(script));
    await t.printed('up');
    await running.kill();
    assert.equal((await running.ended).kind, 'killed');
    assert.equal(await userRunning(`sleep\0${all}`), -1);
    // The same when the program itself ends and leaves some behind.
    const left = ownSeconds(43_211);
    await t.run(sandbox, `(setsid sleep ${left} &)`);
    assert.equal(await userRunning(`sleep\0${left}`), -1);
  });

  describe('networks', () => {
    test('have nothing but a loopback', async (context) => {
      if (!needs(context, 'network')) return;
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const script = `cat /proc/net/dev; ${client(`127.0.0.1:${portOf(server.address())}`)}`;
      const { output } = await nodeRun(script);
      server.close();
      assert.match(output, /lo:/);
      assert.doesNotMatch(output, /eth|en[sp]|wl/);
      assert.match(output, /ECONNREFUSED/);
    });

    test('hide the abstract sockets of the host and of other sandboxes', async (context) => {
      if (!needs(context, 'network')) return;
      const name = `hob-test-${process.pid}`;
      const onTheHost = createServer((socket) => socket.end('heard')).listen(`\0${name}`);
      await once(onTheHost, 'listening');
      const script =
        `const s=require("net").connect("\\0${name}");` +
        's.on("error",(e)=>console.log(e.code)).on("data",(d)=>console.log(String(d)))';
      const { output } = await nodeRun(`/opt/node -e '${script}'`);
      onTheHost.close();
      assert.match(output, /ECONNREFUSED/);
    });

    test('bring connections to the loopback inside to us', async () => {
      const own = await t.open({ mounts: nodeMounts(), memoryMiB: 256 });
      const address = await own.listenOnLoopback((socket: Socket) => {
        socket.on('error', () => {});
        socket.end('hello from outside');
      });
      assert.match(address, /^127\.0\.0\.1:\d+$/);
      const { output } = await t.run(own, client(address));
      await own.close();
      assert.match(output, /hello from outside/);
    });

    test('that are declared reach those names only', async (context) => {
      if (!needs(context, 'network')) return;
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.end('the database');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const port = portOf(server.address());
      const own = await t.open({
        mounts: nodeMounts(),
        memoryMiB: 256,
        network: {
          kind: 'declared',
          targets: [{ name: 'db.internal', port: 5432, forwardTo: `127.0.0.1:${port}` }],
        },
      });
      const script = ['db.internal:5432', 'db.internal:5433', 'example.com:80', `127.0.0.1:${port}`]
        .map(client)
        .join('; ');
      const { output } = await t.run(own, script);
      await own.close();
      server.close();
      assert.deepEqual(output.match(/the database|E[A-Z_]+/g), [
        'the database',
        'ECONNREFUSED',
        output.includes('EAI_AGAIN') ? 'EAI_AGAIN' : 'ENOTFOUND',
        'ECONNREFUSED',
      ]);
    });
  });

  /** An image with a shell and nothing else; undefined where the shell needs more than the usual files. */
  async function smallImage(name: string): Promise<string | undefined> {
    const image = join(t.folder, name);
    const files = ['/bin/sh', '/lib64/ld-linux-x86-64.so.2', '/lib/x86_64-linux-gnu/libc.so.6'];
    if (!files.every((path) => existsSync(path))) return undefined;
    for (const path of files) {
      await mkdir(dirname(join(image, path)), { recursive: true });
      await copyFile(path, join(image, path));
    }
    await chmod(join(image, 'bin/sh'), 0o755);
    return image;
  }

  async function nodeRun(script: string) {
    const own = await t.open({ mounts: nodeMounts(), memoryMiB: 256 });
    const ran = await t.run(own, script);
    await own.close();
    return ran;
  }
});

/** The interpreter of these tests need not be among the host's programs. */
function nodeMounts() {
  return [{ from: process.execPath, to: '/opt/node' }];
}

/** A line of shell that prints what a server says, or the code of the error. */
function client(address: string): string {
  const [host, port] = address.split(':');
  const script =
    `const s=require("net").connect({host:"${host}",port:${port}});` +
    's.on("error",(e)=>console.log(e.code)).on("data",(d)=>console.log(String(d)))';
  return `${process.platform === 'linux' ? '/opt/node' : process.execPath} -e '${script}'`;
}

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null && 'port' in address
    ? Number(address.port)
    : 0;
}
