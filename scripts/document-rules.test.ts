import assert from 'node:assert/strict';
import { test } from 'node:test';

import { errorNames } from '#functions-contract/error-names.ts';

import { documentProblems, testNames } from './document-rules.ts';
import { errorsPage } from './errors-page.ts';
import type { Project } from './project.ts';

const texts: Readonly<Record<string, string>> = {
  'forge/a.ts': 'export const thingsMax = 10;\nconst inner = 1;',
  'forge/a.test.ts':
    "test('does one thing', () => {});\nit(\n  `is ${what} of ${two}`,\n);\ntest('isn\\'t', x);",
  'docs/map.md': '',
};
const project: Project = {
  files: Object.keys(texts),
  read: (path) => texts[path] ?? '',
};

const wrong: readonly (readonly [what: string, line: string, problem: RegExp])[] = [
  ['a file that is not there', '`forge/b.ts`', /there is no forge\/b\.ts/],
  ['a folder that is not there', '`forge/pulls/`', /there is no forge\/pulls\//],
  ['a file without its folder', '`a.ts`', /there is no a\.ts/],
  ['a link that leads nowhere', '[map](other.md#top)', /there is no docs\/other\.md/],
  ['a test that is not there', '`forge/a.test.ts`: “does two things”', /no test “does two things”/],
  ['code that is not there', '`thingsMax = 11` in `forge/a.ts`', /has no thingsMax = 11/],
];

for (const [label, line, problem] of wrong) {
  test(`a document with ${label} is reported with its line`, () => {
    const problems = documentProblems('docs/map.md', `# Map\n${line}`, project);
    assert.equal(problems.length, 1, problems.join());
    assert.match(problems.join(), problem);
    assert.match(problems.join(), /^docs\/map\.md:2: /);
  });
}

const right = [
  '`forge/a.ts`, `forge/`, `npm test`, `NNNN-name.sql`, `*-store.ts`',
  '[map](map.md), [docs](../docs), [elsewhere](https://example.org/x.md)',
  "`forge/a.test.ts`: “does one thing”; “is … of …”; “isn't”",
  '“names” without a test file',
  '`thingsMax = 10` in `forge/a.ts`',
];

for (const line of right) {
  test(`nothing is wrong with ${line}`, () => {
    assert.deepEqual(documentProblems('docs/map.md', line, project), []);
  });
}

test('documents outside of docs may leave out a folder', () => {
  assert.deepEqual(documentProblems('ARCHITECTURE.md', '`a.ts`', project), []);
});

test('names of tests are read as they are written', () => {
  assert.deepEqual(testNames(texts['forge/a.test.ts'] ?? ''), [
    'does one thing',
    'is ${what} of ${two}',
    "isn\\'t",
  ]);
});

test('the page of errors shows a status and a message for each kind', () => {
  const page = errorsPage();
  for (const title of ['not-mergeable: 405', 'bad-credentials: 401', 'preview-required: 415']) {
    assert.ok(page.includes(`### ${title}\n`), title);
  }
  assert.match(page, /"message": "Pull Request is not mergeable"/);
  for (const [code, { status }] of Object.entries(errorNames)) {
    assert.ok(page.includes(`\n| \`${code}\` | ${status} | `), code);
  }
});
