import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { CliError } from '../context/errors.ts';
import { archiveOf } from './code-archive.ts';

describe('the code of a template', () => {
  let home = '';
  let folder = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'hob-code-'));
    folder = join(home, 'checkout');
    await mkdir(join(folder, 'src', 'code'), { recursive: true });
    await mkdir(join(home, '.aws'));
    await writeFile(join(home, '.aws', 'credentials'), 'secret');
    await writeFile(join(folder, 'src', 'code', 'index.mjs'), '');
    await writeFile(join(folder, 'src', 'code.zip'), 'zip');
    await symlink('..', join(folder, 'up'));
    await symlink('src', join(folder, 'inside'));
    await symlink('checkout', join(home, 'link'));
  });
  after(() => rm(home, { recursive: true }));

  for (const uri of ['up/.aws', 'up/checkout/src/code', 'inside/code', 'inside/code.zip']) {
    it(`is not reached through a link, as on the server: ${uri}`, async () => {
      await assert.rejects(
        archiveOf(folder, uri),
        new CliError(255, `${uri} leads through the symbolic link ${uri.split('/', 1)[0]}.`),
      );
    });
  }

  it('is no link itself', async () => {
    await assert.rejects(
      archiveOf(folder, 'inside'),
      new CliError(255, 'inside is neither a folder nor a zip file.'),
    );
  });

  it('is in a folder to which a link leads, or is all of it', async () => {
    const { sha256 } = await archiveOf(folder, 'src/code');
    assert.equal((await archiveOf(join(home, 'link'), 'src/code')).sha256, sha256);
    assert.equal((await archiveOf(join(home, 'link', 'src', 'code'), '')).sha256, sha256);
    await symlink(join('src', 'code'), join(folder, 'code-link'));
    assert.equal((await archiveOf(join(folder, 'code-link'), '')).sha256, sha256);
    assert.equal(Buffer.from((await archiveOf(folder, 'src/code.zip')).bytes).toString(), 'zip');
  });
});
