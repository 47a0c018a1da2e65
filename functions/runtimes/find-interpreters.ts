import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

interface InterpreterSearch {
  /** The host's search path for programs. */
  readonly path: string;
  /** Runs a program to ask for its version; undefined when it cannot be run or does not answer in time. */
  run(command: string, argument: string): Promise<string | undefined>;
  /** Further directories to search for interpreters; by default the common ones of supported systems. */
  readonly wellKnown?: readonly string[];
}

/**
 * What the host has to run functions with, newest first. A version is read from the name of a file or of a folder where
 * it stands there; only other programs are asked, each once.
 */
export async function findInterpreters(search: InterpreterSearch): Promise<Interpreter[]> {
  const found = new Map<string, Interpreter>();
  for (const folder of await folders(search)) {
    for (const name of await namesIn(folder)) {
      const candidate = named(name);
      if (candidate === undefined) continue;
      const path = await realpath(join(folder, name)).catch(() => undefined);
      if (path === undefined || isShim(path) || found.has(path)) continue;
      const version =
        candidate.version ??
        versionIn(path) ??
        (await askedVersion(search, candidate.language, path));
      if (version !== undefined) found.set(path, { language: candidate.language, path, version });
    }
  }
  return [...found.values()].toSorted((a, b) =>
    b.version.localeCompare(a.version, 'en', { numeric: true }),
  );
}

async function folders(search: InterpreterSearch): Promise<string[]> {
  const usual = search.path.split(':').filter((folder) => folder.startsWith('/'));
  const patterns = search.wellKnown ?? ['/usr/local/bin', '/usr/bin', '/usr/lib/jvm/*/bin'];
  for (const pattern of patterns) {
    const [before, after] = pattern.split('*');
    if (before === undefined || after === undefined) usual.push(pattern);
    else usual.push(...(await namesIn(before)).map((name) => before + name + after));
  }
  return [...new Set(usual)];
}

async function namesIn(folder: string): Promise<string[]> {
  // A directory of the search path that is missing or not readable is skipped.
  return readdir(folder).catch(() => []);
}

function named(name: string): { language: Language; version: string | undefined } | undefined {
  for (const [language, pattern] of programNames) {
    const match = pattern.exec(name);
    if (match !== null) return { language, version: match[1] };
  }
  return undefined;
}

/** Shims select the real program by the working directory, which does not work in a sandbox. */
function isShim(path: string): boolean {
  return path.includes('/shims/');
}

/** `/usr/lib/jvm/java-17-openjdk-amd64/bin/java`, `…/versions/node/v22.4.1/bin/node`, `…/bin/python3.11`. */
function versionIn(path: string): string | undefined {
  return /(?:java-|jdk-?|\/v|python|ruby)(\d+(?:\.\d+)*)[^/]*(?:\/bin\/[a-z]+)?$/.exec(path)?.[1];
}

async function askedVersion(
  search: InterpreterSearch,
  language: Language,
  path: string,
): Promise<string | undefined> {
  const answer = await search.run(path, language === 'java' ? '-version' : '--version');
  return answer === undefined ? undefined : /(\d+(?:\.\d+)+)/.exec(answer)?.[1];
}

const programNames: readonly (readonly [Language, RegExp])[] = [
  ['node', /^node(?:js)?$/],
  ['python', /^python(?:3|(3\.\d+))$/],
  ['java', /^java$/],
  ['ruby', /^ruby(\d+\.\d+)?$/],
  ['dotnet', /^dotnet$/],
];

export type Language = 'node' | 'python' | 'java' | 'ruby' | 'dotnet';

/** A program of the host that runs functions of one language. */
export interface Interpreter {
  readonly language: Language;
  /** Of the program itself, every link followed. */
  readonly path: string;
  /** As far as it is known: `22`, `3.11` or `22.4.1`. */
  readonly version: string;
}

/** Compares versions number by number, as far as both go. */
export function sameVersion(interpreter: Interpreter, wanted: string): boolean {
  const have = interpreter.version.split('.');
  return wanted.split('.').every((number, index) => have[index] === number);
}

export function atLeast(interpreter: Interpreter, least: string): boolean {
  const have = interpreter.version.split('.').map(Number);
  for (const [index, number] of least.split('.').map(Number).entries()) {
    const mine = have[index] ?? 0;
    if (mine !== number) return mine > number;
  }
  return true;
}
