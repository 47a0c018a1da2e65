import { posix } from 'node:path';

import type { Project } from './project.ts';

/**
 * What a document says that is not so, one sentence each: files that are not there, tests that their file does not have,
 * and code quoted as `` `text` in `file` `` that the file does not have.
 */
export function documentProblems(path: string, text: string, project: Project): string[] {
  return text.split('\n').flatMap((line, index) => {
    const problems = [
      ...absentFiles(path, line, project),
      ...absentLinks(path, line, project),
      ...absentTests(line, project),
      ...absentCode(line, project),
    ];
    return problems.map((problem) => `${path}:${index + 1}: ${problem}`);
  });
}

/** The names of the tests and suites of a file, as they are written there. */
export function testNames(text: string): string[] {
  const calls = text.matchAll(/\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g);
  return [...calls].map((match) => match[2] ?? '');
}

const filePath = /^(?:[\w.-]+\/)*[\w.-]+\.(?:ts|sql|md|sh|css|json)$/;
const folderPath = /^(?:[\w.-]+\/)+$/;

function absentFiles(path: string, line: string, { files }: Project): string[] {
  // Documents in docs/ name whole paths; the others may leave out what the context says.
  const whole = path.startsWith('docs/');
  const known = (name: string): boolean =>
    files.some((file) => {
      if (name.endsWith('/')) return `/${file}`.includes(`/${name}`);
      return file === name || (!whole && file.endsWith(`/${name}`));
    });
  return quoted(line)
    .filter((name) => filePath.test(name) || folderPath.test(name))
    .filter((name) => !known(name) && !isPattern(name))
    .map((name) => `there is no ${name}.`);
}

function absentLinks(path: string, line: string, { files }: Project): string[] {
  const targets = [...line.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(path), target))
    .filter(
      (target) => !files.some((file) => `${file}/`.startsWith(`${target}/`.replace('//', '/'))),
    )
    .map((target) => `there is no ${target}.`);
}

/** In `file.test.ts`: “name”; “name” the names belong to the file before them. */
function absentTests(line: string, { files, read }: Project): string[] {
  const problems: string[] = [];
  let names: readonly string[] | undefined;
  let file = '';
  for (const part of line.matchAll(/`([^`]+)`|“([^”]+)”/g)) {
    const [, code, name] = part;
    if (code !== undefined && /\.(?:test|scenario)\.ts$/.test(code)) {
      file = code;
      names = files.includes(code) ? testNames(read(code)) : [];
    } else if (name !== undefined && names && !names.some((known) => sameName(known, name))) {
      problems.push(`${file} has no test “${name}”.`);
    }
  }
  return problems;
}

/** A computed part of a name is shown as an ellipsis. */
function sameName(written: string, documented: string): boolean {
  return written.replaceAll(/\$\{[^}]*\}+/g, '…').replaceAll('\\', '') === documented;
}

function absentCode(line: string, { files, read }: Project): string[] {
  return [...line.matchAll(/`([^`]+)` in `([^`]+)`/g)].flatMap((match) => {
    const [, code = '', file = ''] = match;
    if (!filePath.test(file) || !files.includes(file)) return [];
    return plain(read(file)).includes(plain(code)) ? [] : [`${file} has no ${code}`];
  });
}

function quoted(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

/** Names that stand for many. */
function isPattern(name: string): boolean {
  return /NNNN|(^|\/)x\./.test(name);
}

/** However the formatter has laid it out. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
