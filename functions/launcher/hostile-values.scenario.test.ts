/** Every text that a launcher takes, with hostile values, in every tier that this host allows; seen from inside. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import type { Sandbox, SandboxSpec, Program } from './launcher.ts';
import { cgroupParent } from './supervisor/stale-state.ts';
import type { LauncherSettings } from './supervisor/start-launcher.ts';
import { hostileTexts, loneSurrogate } from './testing/hostile-texts.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import type { TestLauncher } from './testing/test-launcher.ts';

const variants: Record<string, Partial<LauncherSettings>> = {
  'in the strongest tier': {},
  'without bubblewrap': { without: ['bwrap'] },
  user: { strongestTier: 'user' },
  'user without bubblewrap': { strongestTier: 'user', without: ['bwrap'] },
  container: { strongestTier: 'container' },
  bare: { strongestTier: 'bare', without: ['setpriv'] },
};

/** Of this test run alone: others may run on the same host. */
const strayTime = 60_000_000 + process.pid;

const look = join(import.meta.dirname, 'testing', 'look.cjs');

interface Seen {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly root: readonly string[];
  readonly seen: readonly string[];
  readonly signalled: readonly number[];
  readonly left: boolean;
}

for (const [name, settings] of Object.entries(variants)) {
  describe(`hostile values, ${name}`, { skip: process.platform !== 'linux' }, () => {
    let t: TestLauncher;
    let sandbox: Sandbox;
    let hidden: string;
    let usual: Seen;
    let texts: readonly string[];

    before(async () => {
      t = await startTestLauncher(settings);
      hidden = join(t.folder, 'hidden');
      await writeFile(hidden, 'a file of the host');
      await chmod(hidden, 0o644);
      sandbox = await t.open(withNode);
      usual = await confined(await seen({}));
      // Where nothing is mounted, paths in texts are those of the host.
      const same = (text: string): boolean => isMounted() || !text.includes('/tmp');
      texts = [...hostileTexts, loneSurrogate].filter(same);
    });
    after(async () => {
      await sandbox.close();
      await t.close();
    });

    const isMounted = (): boolean => t.launcher.isolation.enforced.files.strength === 'full';

    /** What a program sees that gets no further than it should; the test fails where it does. */
    async function confined(what: Seen | undefined): Promise<Seen> {
      assert.ok(what);
      const { files, network, processes } = t.launcher.isolation.enforced;
      assert.equal(what.left, false);
      if (files.strength === 'full') {
        assert.deepEqual(what.seen, []);
        assert.deepEqual(what.signalled, []);
      }
      assert.ok(network.by.length > 0 && processes.by.length > 0);
      return what;
    }

    /** Undefined where nothing was started. */
    async function seen(
      more: Partial<Program>,
      args: readonly string[] = [],
    ): Promise<Seen | undefined> {
      const where = JSON.stringify({
        paths: [hidden, '/root', '/home', '/boot', '/work'],
        pids: [process.pid],
      });
      const command = ['/opt/node', '/opt/look.cjs', ...args, where] as const;
      const { end, output } = await t.run(sandbox, '', { command, ...more });
      if (end.kind === 'not-started') return undefined;
      const line = output.trim().split('\n').at(-1) ?? '';
      assert.match(line, /^\{/, `${JSON.stringify(more).slice(0, 200)}: ${output.slice(0, 500)}`);
      return JSON.parse(line);
    }

    /** What of the environment is not as it is for a program that was given nothing hostile. */
    function differences(what: Seen): string[] {
      // Other processes come and go where all are seen.
      const own = ['args', 'environment', 'directory', ...(isMounted() ? [] : ['processes'])];
      const of = (each: Seen): Record<string, unknown> => ({ ...each });
      return Object.keys(usual).filter(
        (key) =>
          !own.includes(key) && JSON.stringify(of(what)[key]) !== JSON.stringify(of(usual)[key]),
      );
    }

    test('are arguments as they are', async () => {
      const what = await confined(await seen({}, texts));
      assert.deepEqual(
        what.args,
        texts.map((word) => word.toWellFormed()),
      );
      assert.deepEqual(differences(what), []);
    });

    test('are values of variables as they are', async () => {
      const environment = Object.fromEntries(texts.map((text, index) => [`V_${index}`, text]));
      const what = await confined(await seen({ environment }));
      for (const [index, text] of texts.entries()) {
        assert.equal(what.environment[`V_${index}`], text.toWellFormed(), JSON.stringify(text));
      }
      assert.deepEqual(differences(what), []);
    });

    test('in variables that programs obey change nothing but the program', async () => {
      const environment = {
        PATH: '',
        IFS: 'x',
        ENV: '/opt/look.cjs',
        BASH_ENV: '/opt/look.cjs',
        SHELLOPTS: 'xtrace',
        PS4: '$(touch /tmp/made)',
        LD_LIBRARY_PATH: '/tmp',
        LD_AUDIT: '/tmp/none.so',
        GCONV_PATH: '/tmp',
        PERL5OPT: '-M/tmp/none',
        UNSHARE: 'x',
        TMPDIR: '/none',
        HOME: '-',
      };
      const what = await seen({ environment });
      // Some shells obey some of these by not going on.
      if (what) assert.deepEqual(differences(await confined(what)), []);
    });

    test('are no names of programs that lead out', async () => {
      const commands = [
        '',
        '-',
        '--',
        '-c',
        '.',
        '..',
        '/',
        '/..',
        '/tmp/..',
        '/proc/1/root/bin/sh',
        hidden,
        'sh\n',
        '../bin/sh',
        'x'.repeat(5000),
      ];
      for (const command of commands) {
        const { end, output } = await t.run(sandbox, '', {
          command: [command, '-c', `ls ${hidden}`],
        });
        const reported = `${JSON.stringify(command)}: ${JSON.stringify(end)} ${output}`;
        const files = t.launcher.isolation.enforced.files.strength;
        if (files === 'full') assert.doesNotMatch(output, /^\/.*hidden$/m, reported);
        if (command !== '../bin/sh' && command !== '/proc/1/root/bin/sh')
          assert.equal(end.kind, 'not-started', reported);
      }
    });

    test('are no directories that lead out', async () => {
      const few = [
        '',
        '.',
        '..',
        '/..',
        '../../etc',
        '-',
        'two\nlines',
        '$(id)',
        "it's",
        loneSurrogate,
      ];
      for (const directory of [...few, hidden, '/proc/self/root', `/tmp/${'x/'.repeat(3000)}`]) {
        const what = await seen({ directory });
        if (what) assert.deepEqual(differences(await confined(what)), [], directory);
      }
    });

    test('with U+0000 start nothing', async () => {
      for (const more of [
        { directory: '/tmp\0/' },
        { environment: { A: 'x\0--share-net' } },
        { environment: { 'A\0B': 'x' } },
        { command: ['/bin/sh\0', '-c', 'ls'] },
        { command: ['/bin/sh', '-c', 'ls\0'] },
      ] as const) {
        assert.equal(await seen(more), undefined, JSON.stringify(more));
      }
    });

    test('that are too long for the kernel start nothing, and say so', async () => {
      const long = 'x'.repeat(4_000_000);
      for (const more of [
        { command: ['/bin/sh', '-c', ':', long] },
        { environment: { LONG: long } },
      ] as const) {
        const { end } = await t.run(sandbox, '', more);
        assert.notDeepEqual(end, { kind: 'exited', status: 0 });
        if (end.kind === 'not-started') assert.match(end.message, /exceed the limit of the kernel/);
      }
    });

    test('are not valid mount points', async (context) => {
      if (t.launcher.isolation.enforced.files.strength !== 'full')
        return context.skip('nothing is mounted');
      for (const to of ['/', '/..', '/mnt/..', '/mnt/.', '/tmp/../..', 'mnt/x', '', '/mnt/x/']) {
        await assert.rejects(
          (async () => {
            const own = await t.open({ mounts: [{ from: t.folder, to, writable: true }] });
            try {
              const { end, output } = await t.run(own, 'echo ran');
              assert.fail(`${to}: ${JSON.stringify(end)} ${output}`);
            } finally {
              await own.close();
            }
          })(),
          /Cannot mount at/,
        );
      }
    });

    test('of mounts and networks are what they say', async () => {
      const targets = [{ name: '-x.internal', port: 80, forwardTo: '127.0.0.1:1' }];
      const own = await t.open({ ...withNode, network: { kind: 'declared', targets } });
      const { end, output } = await t.run(own, 'cat /etc/hosts');
      await own.close();
      assert.equal(end.kind, 'exited');
      assert.ok(output.includes('localhost'));
    });

    test('leave nothing behind', async () => {
      const locations = (): Promise<string[]> =>
        readdir(join(t.folder, 'launcher', 'sandboxes')).catch(() => []);
      const temporary = (): Promise<string[]> =>
        readdir(join(t.folder, 'launcher', 'temporary')).catch(() => []);
      const [others, otherTemporary] = [await locations(), await temporary()];
      const own = await t.open(withNode);
      // Only where there is something that ends it.
      const stray = t.launcher.isolation.tier === 'bare' ? '' : `(setsid sleep ${strayTime} &);`;
      const long = 'y'.repeat(200);
      const script = `${stray} cd "\${TMPDIR:-/tmp}"; mkdir -p closed/inside; chmod 0 closed;
        n=0; while [ $n -lt 40 ]; do mkdir ${long} && cd -P ${long} 2>/dev/null || exit 1; n=$((n+1)); done`;
      const { end, output } = await t.run(own, script);
      assert.deepEqual([end, output], [{ kind: 'exited', status: 0 }, '']);
      await own.close();
      assert.deepEqual(await locations(), others);
      assert.deepEqual(await temporary(), otherTemporary);
      const mounts = await readFile('/proc/self/mountinfo', 'utf8');
      assert.ok(!mounts.includes(t.folder));
      assert.deepEqual(await processesOf(`sleep\0${strayTime}`), []);
    });
  });

  test(
    `nothing is left of a launcher that was closed, ${name}`,
    { skip: process.platform !== 'linux' },
    async () => {
      const t = await startTestLauncher(settings);
      const folder = join(t.folder, 'launcher');
      await mkdir(folder, { recursive: true });
      const sandbox = await t.open(withNode);
      const stray = t.launcher.isolation.tier === 'bare' ? '' : `(setsid sleep ${strayTime} &);`;
      const running = await sandbox.start(t.program(`echo up; ${stray} sleep ${strayTime}`));
      await t.printed('up');
      await t.launcher.close();
      await running.ended;
      assert.deepEqual(await readdir(folder), []);
      assert.deepEqual(await groupsOf(cgroupParent(folder)), []);
      if (t.launcher.isolation.enforced.timeout.strength === 'full') {
        assert.deepEqual(await processesOf(`sleep\0${strayTime}`), []);
      }
      await t.close();
    },
  );
}

const withNode: Partial<SandboxSpec> = {
  mounts: [
    { from: process.execPath, to: '/opt/node' },
    { from: look, to: '/opt/look.cjs' },
  ],
  memoryMiB: 256,
};

async function processesOf(command: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const args = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (args === `${command}\0`) found.push(pid);
  }
  return found;
}

/** Control groups of a launcher's, in whichever trees. */
async function groupsOf(family: string): Promise<string[]> {
  const names = await readdir('/sys/fs/cgroup', { recursive: true }).catch(() => []);
  return names.filter((path) => path.split('/').includes(family));
}
