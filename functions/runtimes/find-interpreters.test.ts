import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { findInterpreters } from './find-interpreters.ts';

describe('interpreters of the host', () => {
  let folder: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'hob-interpreters-')));
    for (const file of [
      'bin/python3.11',
      'bin/python3.11-config',
      'bin/node',
      'bin/broken/x',
      'shims/python3',
      'jvm/java-17-openjdk-amd64/bin/java',
      'versions/node/v22.4.1/bin/node',
    ]) {
      await mkdir(join(folder, file, '..'), { recursive: true });
      await writeFile(join(folder, file), '');
    }
    await symlink('python3.11', join(folder, 'bin/python3'));
    await symlink('missing', join(folder, 'bin/ruby'));
  });

  after(() => rm(folder, { recursive: true }));

  test('are found with no more questions than needed', async () => {
    const asked: string[] = [];
    const found = await findInterpreters({
      path: `${folder}/bin:relative:${folder}/nowhere:${folder}/shims`,
      wellKnown: [`${folder}/jvm/*/bin`, `${folder}/versions/node/*/bin`, `${folder}/bin`],
      async run(command) {
        asked.push(command);
        return 'v20.1.2\n';
      },
    });
    assert.deepEqual(
      found.map(({ path, version }) => [path.slice(folder.length), version]),
      [
        ['/versions/node/v22.4.1/bin/node', '22.4.1'],
        ['/bin/node', '20.1.2'],
        ['/jvm/java-17-openjdk-amd64/bin/java', '17'],
        ['/bin/python3.11', '3.11'],
      ],
    );
    assert.deepEqual(asked, [`${folder}/bin/node`]);
  });

  test('that do not answer are none', async () => {
    const found = await findInterpreters({
      path: `${folder}/bin`,
      wellKnown: [],
      run: () => Promise.resolve(undefined),
    });
    assert.deepEqual(
      found.map(({ language }) => language),
      ['python'],
    );
  });
});
