import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { projectFolder } from './test-parts.ts';

/** Stands for Node: keeps how it was started, and says so. */
const node = (name: string): string => `#!/bin/sh
echo "$*" >>"$0.calls"
[ "$1" = --version ] || echo "${name} $*, compiled in $NODE_COMPILE_CACHE"
`;

describe('the start of hob', () => {
  let folder: string;
  let pinned: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-start-'));
    const bin = join(folder, 'node_modules', '.bin');
    pinned = join(bin, 'node');
    await mkdir(bin, { recursive: true });
    await mkdir(join(folder, 'scripts'));
    await mkdir(join(folder, 'elsewhere'));
    for (const file of ['hob', 'scripts/with-node.sh', 'package-lock.json'])
      await copyFile(join(projectFolder, file), join(folder, file));
    await writeFile(join(folder, 'node_modules', '.package-lock.json'), '');
    await utimes(join(folder, 'package-lock.json'), 1, 1);
    await writeProgram(pinned, node('pinned'));
    await writeProgram(join(folder, 'elsewhere', 'node'), node('other'));
    await symlink('../hob', join(folder, 'elsewhere', 'link'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const start = async (command: string, args: readonly string[], path = ''): Promise<string> => {
    const PATH = `${path}:${process.env['PATH']}`;
    const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env: { PATH } });
    return stdout;
  };
  const calls = async (program: string): Promise<string[]> =>
    (await readFile(`${program}.calls`, 'utf8').catch(() => '')).trim().split('\n');

  test('installs nothing where the packages are a link', async () => {
    const linked = await mkdtemp(join(tmpdir(), 'hob-linked-'));
    try {
      await mkdir(join(linked, 'scripts'));
      for (const file of ['hob', 'scripts/with-node.sh', 'package-lock.json'])
        await copyFile(join(projectFolder, file), join(linked, file));
      const packages = join(folder, 'node_modules');
      await symlink(packages, join(linked, 'node_modules'));
      // Newer than the packages: they would be installed again.
      await utimes(join(linked, 'package-lock.json'), Date.now(), Date.now());
      await assert.rejects(start(join(linked, 'hob'), ['serve']), /node_modules is a link/);
      await access(pinned);
    } finally {
      await rm(linked, { recursive: true, force: true });
    }
  });

  test('finds its folder however it is called, and passes on every argument unchanged', async () => {
    const args = ['serve', '', 'two parts', '--x=*'];
    for (const [command, first] of [
      ['./hob', '.'],
      [join(folder, 'hob'), folder],
      ['elsewhere/link', 'elsewhere/..'],
    ] as const) {
      const documented = await start(command, args);
      assert.ok(
        documented.startsWith(`pinned ${first}/hob.ts serve  two parts --x=*, compiled in `),
        documented,
      );
      // For the processes that it starts too, whatever folder they are in.
      const compiled = documented.trim().replace(/^.*compiled in /, '');
      assert.equal(resolve('/', compiled), join(folder, '.hob', 'compiled'));
    }
    assert.match(await start('hob', ['x'], folder), /^pinned \S+\/hob\.ts x,/);
    assert.match(await start('sh', ['hob', 'x']), /^pinned \.\/hob\.ts x,/);
  });

  test('asks only once whether the pinned Node runs here', async () => {
    await rm(`${pinned}.calls`, { force: true });
    await rm(join(folder, '.hob'), { recursive: true, force: true });
    await start('./hob', ['one']);
    await start('./hob', ['two']);
    assert.deepEqual(await calls(pinned), ['--version', './hob.ts one', './hob.ts two']);
    // The folder was seen by another machine since.
    await writeFile(join(folder, '.hob', 'node-runs'), 'another\n');
    await start('./hob', ['three']);
    assert.deepEqual((await calls(pinned)).slice(3), ['--version', './hob.ts three']);
  });

  test('takes the Node on the PATH where the pinned one does not run', async () => {
    await rm(join(folder, '.hob'), { recursive: true, force: true });
    await writeProgram(pinned, '#!/bin/sh\nexit 127\n');
    assert.match(await start('./hob', ['x'], join(folder, 'elsewhere')), /other \.\/hob\.ts x,/);
    await writeProgram(pinned, node('pinned'));
  });

  test('starts in a folder that it may not write to', async () => {
    await rm(join(folder, '.hob'), { recursive: true, force: true });
    await writeFile(join(folder, '.hob'), 'no folder');
    assert.match(await start('./hob', ['x']), /^pinned \.\/hob\.ts x,/);
    await rm(join(folder, '.hob'));
  });
});

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
  await utimes(path, 1, 1);
}
