import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { findLimits, unexplainedLimits } from './limits.ts';
import { limitsPage } from './limits-page.ts';
import type { Project } from './project.ts';

function projectOf(texts: Readonly<Record<string, string>>): Project {
  return { files: Object.keys(texts), read: (path) => texts[path] ?? '' };
}

function inFile(text: string): Project {
  return projectOf({ 'forge/things/a.ts': text });
}

describe('a constant that is named like a limit', () => {
  const shouldSay =
    /^forge\/things\/a\.ts: a comment .* before thingsMax must say what it limits, .* docs\/limits\.md .* Rename/;

  test('is reported if it does not say what it limits', () => {
    for (const text of [
      'const thingsMax = 10;\n',
      'export const thingsMax: number = 5 * 60_000;\n',
      '/** Of something else. */\nconst other = 1;\nconst thingsMax =\n  10;\n',
      '// Things.\nconst thingsMax = 10;\n',
      'const one = {\n  a: 1,\n} satisfies Table;\nconst thingsMax = 10;\nconst other = { b: 2 };\n',
      'const one =\n  f(() => {});\n\nconst thingsMax = 10;\n',
    ]) {
      const problems = unexplainedLimits(inFile(text));
      assert.equal(problems.length, 1, text);
      assert.match(problems.join(), shouldSay);
    }
  });

  test('is a limit by any of its endings', () => {
    const numbers =
      'thingsMax bytesMin tasksAtOnce linesDefault pageSize codeCount milliseconds waitSeconds skewMinutes retentionDays';
    const declarations = numbers.split(' ').map((name) => `${name} = 1`);
    for (const declaration of [...declarations, 'usualLimits = { seconds: 1 }']) {
      const problems = unexplainedLimits(inFile(`const ${declaration};\n`));
      assert.equal(problems.length, 1, declaration);
    }
  });

  test('is none with another name, with a value of a run, in a function, or as a unit of time', () => {
    for (const text of [
      'const newline = 0x0a;\n',
      'const thingsMax = Number(text);\n',
      "const nameDefault = 'main';\n",
      'function f() {\n  const thingsMax = 10;\n}\n',
      'const dayMilliseconds = 86_400_000;\n',
    ]) {
      assert.deepEqual(findLimits(inFile(text)), [], text);
    }
  });

  for (const folder of ['cli', 'functions', 'functions-contract', 'platform', 'commands/serve']) {
    test(`is a limit in ${folder}/, but not in tests and scripts`, () => {
      const text = 'const pagesMax = 50;\n';
      const files = [`${folder}/a.ts`, `${folder}/a.test.ts`, `${folder}/testing/a.ts`];
      const texts = [...files, 'scripts/a.ts'].map((file) => [file, text] as const);
      const limits = findLimits(projectOf(Object.fromEntries(texts)));
      assert.deepEqual(
        limits.map(({ file }) => file),
        [`${folder}/a.ts`],
      );
    });
  }
});

describe('docs/limits.md', () => {
  const page = 'Before.\n<!-- limits -->\nstale\n<!-- end -->\nAfter.\n';

  test('has the limits of the code by folder and keeps the text around them', () => {
    const project = projectOf({
      'forge/b.ts': '/** Things. */\nconst thingsMax = 10;\n',
      'forge/git/a.ts':
        'const mebibyte = 1024 * 1024;\n/**\n * Bytes of a thing;\n * then 413.\n *\n * Why.\n */\nexport const bytesMax = 2 * mebibyte;\n',
      'cli/a.ts': '/** Pause | wait. */\nconst pauseMilliseconds = 90_000;\n',
    });
    const written = limitsPage(page, project);
    assert.equal(
      written,
      [
        'Before.\n<!-- limits -->\n',
        '## Code host\n',
        '| Limit | Value | Where |\n| --- | --- | --- |',
        '| Things. | 10 | `thingsMax` in `forge/b.ts` |\n',
        '### `forge/git/`\n',
        '| Limit | Value | Where |\n| --- | --- | --- |',
        '| Bytes of a thing; then 413. | 2 MiB | `bytesMax` in `forge/git/a.ts` |\n',
        '## Client\n',
        '| Limit | Value | Where |\n| --- | --- | --- |',
        String.raw`| Pause \| wait. | 90 seconds | `.concat(
          '`pauseMilliseconds` in `cli/a.ts` |\n',
        ),
        '<!-- end -->\nAfter.\n',
      ].join('\n'),
    );
    assert.equal(limitsPage(written, project), written);
  });

  const values: readonly (readonly [declaration: string, value: string])[] = [
    ['pageMax = 1_000_000', '1,000,000'],
    ['likenessMin = 0.8', '0.8'],
    ['bytesMax = 65_520', '65,520 bytes'],
    ['bytesMax = 5 * 1024 ** 3', '5 GiB'],
    ['memoryMegabytesMax = 512', '512 MB'],
    ['memoryMiBMax = 32_768', '32,768 MiB'],
    ['nameCharactersMax = 255', '255 characters'],
    ['closeMilliseconds = 250', '250 milliseconds'],
    ['timeoutSecondsMax = 900', '15 minutes'],
    ['lifetimeMilliseconds = 24 * 3_600_000', '1 day'],
    ['retentionDays = 14', '14 days'],
    ['skewMinutes = 5', '5 minutes'],
    [
      'serverTimeouts = { headersTimeout: 10_000, requestTimeout: 0 }',
      '`headersTimeout` 10 seconds, `requestTimeout` 0',
    ],
    ['limits = { seconds: 20, memoryBytes: 512 * 1024 ** 2 }', '20 seconds, `memoryBytes` 512 MiB'],
    ['limits = { memoryBytes: 1 << 30 }', '1 GiB'],
    [
      "bodyBytesMax: Readonly<Record<Service, number>> = {\n  // Why: so.\n  'upload-pack': 1024,\n  push: 2048,\n}",
      '`upload-pack` 1 KiB, `push` 2 KiB',
    ],
  ];
  for (const [declaration, value] of values) {
    test(`shows ${declaration} as ${value}`, () => {
      const project = inFile(`/** Things. */\nconst ${declaration};\n`);
      assert.ok(limitsPage(page, project).includes(`| Things. | ${value} | `));
    });
  }
});
