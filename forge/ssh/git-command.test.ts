import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseSshCommand } from './git-command.ts';

describe('a command over SSH', () => {
  for (const path of [
    "'own/repo.git'",
    "'/own/repo.git'",
    "'own/repo'",
    "'/own/repo/'",
    'own/repo.git',
    '/own/repo',
  ]) {
    it(`names a repository: ${path}`, () => {
      for (const service of ['upload-pack', 'receive-pack']) {
        const expected = { kind: 'git', service, owner: 'own', name: 'repo' };
        assert.deepEqual(parseSshCommand(`git-${service} ${path}`), expected);
        assert.deepEqual(parseSshCommand(`git ${service} ${path}`), expected);
      }
    });
  }

  for (const path of [
    "''",
    "'/'",
    "'own'",
    "'own/repo/more'",
    "'//own/repo.git'",
    "'../../etc/passwd'",
    "'own/repo.git\\n'",
    "'own/re\\'\\''po'",
    "'~own/repo'",
    "'own/\u0000'",
    `'own/${'x'.repeat(300)}'`,
  ]) {
    it(`finds nothing at ${JSON.stringify(path)}`, () => {
      const { kind } = parseSshCommand(`git-upload-pack ${path}`);
      assert.equal(kind, 'refused');
    });
  }

  for (const text of [
    '',
    'sh',
    'git-upload-pack',
    "git-upload-pack --timeout=1 'own/repo'",
    "git-upload-pack 'own/repo'; id",
    "git-upload-pack 'own/repo' 'other/repo'",
    "GIT-UPLOAD-PACK 'own/repo'",
    'git-upload-pack "own/repo"',
    "git-lfs-authenticate 'own/repo'",
    "git-lfs-authenticate 'own/repo' remove",
    "git-lfs-authenticate 'own/repo' download; id",
    "git-lfs-authenticate '../../etc/passwd' download",
  ]) {
    it(`is refused: ${JSON.stringify(text)}`, () => {
      assert.equal(parseSshCommand(text).kind, 'refused');
    });
  }

  it('asks for credentials for large files', () => {
    const oid = '0'.repeat(64);
    for (const [text, service] of [
      ["git-lfs-authenticate 'own/repo.git' download", 'upload-pack'],
      ['git-lfs-authenticate own/repo.git upload', 'receive-pack'],
      [`git-lfs-authenticate '/own/repo' upload ${oid}`, 'receive-pack'],
    ] as const) {
      assert.deepEqual(parseSshCommand(text), { kind: 'lfs', service, owner: 'own', name: 'repo' });
    }
  });

  it('of git archive is refused with the way to get one', () => {
    const command = parseSshCommand("git-upload-archive 'own/repo.git'");
    assert.match('message' in command ? command.message : '', /archive over HTTP/);
  });
});
