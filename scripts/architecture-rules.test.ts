import assert from 'node:assert/strict';
import { test } from 'node:test';

import { architectureProblems } from './architecture-rules.ts';

const broken: readonly (readonly [what: string, path: string, text: string, problem: RegExp])[] = [
  [
    'platform that knows a service',
    'platform/x.ts',
    "import { a } from '#forge/a.ts';",
    /forge\/a\.ts/,
  ],
  [
    'a service that knows the other',
    'forge/x.ts',
    "import { a } from '#functions/a.ts';",
    /each other/,
  ],
  [
    'a service that reads settings',
    'forge/x.ts',
    "import { a } from '#settings/settings.ts';",
    /settings\.ts/,
  ],
  [
    'an endpoint used elsewhere',
    'forge/web/pages/x.ts',
    "import { a } from '../../pulls/pull-routes.ts';",
    /endpoint/,
  ],
  [
    'test support in the program',
    'forge/http/x.ts',
    "import { a } from './testing/a.ts';",
    /tests/,
  ],
  [
    'a start that loads the HTTP client of fetch',
    'platform/x.ts',
    "import { IncomingMessage } from 'node:http';",
    /node:http/,
  ],
  [
    'a check that the bundler removes',
    'forge/http/x.ts',
    'try {\n  decodeURIComponent(path);\n  return true;\n} catch {',
    /bundler/,
  ],
  ['a grab bag', 'forge/utils.ts', '', /grab bag/],
  ['a grab-bag folder', 'bench/common/x.ts', '', /grab bag/],
  [
    'an import of a higher layer',
    'forge/model/x.ts',
    "import { a } from '../issues/a.ts';",
    /issues does not stand below model/,
  ],
  ['a long file', 'forge/x.ts', '\n'.repeat(301), /301 lines/],
  ['the clock', 'forge/x.ts', 'const now = Date.now();', /clock/],
  ['randomness', 'forge/x.ts', 'const id = randomUUID();', /random/],
  ['the environment', 'forge/x.ts', "const home = process.env['HOME'];", /environment/],
  ['a child process', 'forge/x.ts', "import { spawn } from 'node:child_process';", /child process/],
  ['SQL', 'forge/x.ts', "sql.get('select id from accounts')", /SQL/],
  [
    'a write that leaves cached responses behind',
    'forge/labels/label-store.ts',
    'async function rename(sql: Sql) {\n  await sql.run(`update labels set name = $1`);\n}',
    /rename writes labels/,
  ],
  [
    'a read that awaits git',
    'forge/x.ts',
    'await database.read(async (sql) => {\n  const at = await git.readRef(name);\n  return find(sql, at);\n});',
    /awaits "git\.readRef\(name\)" in a read/,
  ],
  [
    'a function of a read that awaits git',
    'forge/x.ts',
    'async function f(sql: Sql, git: Git) {\n  const { id } = await find(sql, [1, 2]);\n  return await git.readCommit(id);\n}\n',
    /awaits "git\.readCommit\(id\)" in a read/,
  ],
  ['a header name', 'forge/x.ts', "reply.header('ETag', tag)", /'ETag'/],
  ['a hook for all files', 'forge/x.test.ts', 'before(async () => {});', /tests of every file/],
  ['a sleep', 'forge/x.test.ts', "import { setTimeout } from 'node:timers/promises';", /sleeps/],
  ['a fixed port', 'forge/x.test.ts', 'server.listen(3000)', /fixed port/],
  ['a test of the internet', 'forge/x.test.ts', "await fetch('https://example.org')", /beyond/],
];

for (const [what, path, text, problem] of broken) {
  test(`the architecture refuses ${what}`, () => {
    const problems = architectureProblems(path, text);
    assert.equal(problems.length, 1);
    assert.match(problems.join(), problem);
    assert.match(problems.join(), new RegExp(`^${path}: `));
  });
}

const sound: readonly (readonly [path: string, text: string])[] = [
  ['forge/routes.ts', "import { a } from './pulls/pull-routes.ts';"],
  ['forge/pulls/pull-routes.ts', "import { a } from './merge-routes.ts';"],
  ['forge/pulls/pull-store.ts', "sql.get('select id from pulls')"],
  [
    'forge/labels/label-store.ts',
    'function rename(sql: RepositoryWrite) {\n  return sql.run(`update labels set name = $1`);\n}',
  ],
  [
    'forge/auth/sessions/session-store.ts',
    'function end(sql: Sql) {\n  return sql.run(`delete from sessions`);\n}',
  ],
  [
    'forge/pulls/pull.ts',
    'database.read(async (sql) => ({ pull: await findPull(sql, 1), all: (await list(sql)).length }))',
  ],
  ['forge/model/pull.ts', "throw new Error('Select another branch from the list.')"],
  ['forge/x.test.ts', "import { a } from './testing/a.ts';"],
  ['forge/x.ts', 'const bytes = ports.randomBytes(32);'],
  ['platform/clock.ts', 'now: () => Date.now()'],
];

for (const [path, text] of sound) {
  test(`the architecture has nothing against ${path}: ${text}`, () => {
    assert.deepEqual(architectureProblems(path, text), []);
  });
}
