import { realpath } from 'node:fs/promises';

import { startChild } from '#platform/child-process.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { findInterpreters, type Interpreter, type Language } from './find-interpreters.ts';
import { openPackageSets } from './runtime-packages.ts';
import type { InstalledRuntimes } from './runtimes.ts';

export interface RuntimeChoices {
  /** The host's search path for programs. */
  readonly searchPath: string;
  /** Runtime to program: overrides what is found on the host. */
  readonly runtimePrograms: Readonly<Record<string, string>>;
  /** Of the function service: packages that were added to runtimes are in it. */
  readonly folder?: string;
}

/** The interpreters of the host, which are asked for their versions: processes that take a while. */
export function findHostInterpreters({
  searchPath,
}: Pick<RuntimeChoices, 'searchPath'>): Promise<readonly Interpreter[]> {
  return findInterpreters({ path: searchPath, run: askVersion });
}

/** What this host runs functions with. */
export async function findInstalledRuntimes(choices: RuntimeChoices): Promise<InstalledRuntimes> {
  return { ...(await chosenRuntimes(choices)), interpreters: await findHostInterpreters(choices) };
}

/** The programs and packages that the operator has chosen. */
export async function chosenRuntimes(
  choices: RuntimeChoices,
): Promise<Omit<InstalledRuntimes, 'interpreters'>> {
  const overrides: Record<string, Interpreter> = {};
  for (const [runtime, path] of Object.entries(choices.runtimePrograms)) {
    overrides[runtime] = await chosen(runtime, path);
  }
  return {
    ownNode: {
      language: 'node',
      path: await realpath(process.execPath),
      version: process.versions.node,
    },
    overrides,
    clients: import.meta.dirname,
    ...(choices.folder === undefined
      ? {}
      : { packaged: await openPackageSets(choices.folder, import.meta.dirname) }),
  };
}

async function chosen(runtime: string, path: string): Promise<Interpreter> {
  const language = languageOf(runtime);
  const answer = language && (await askVersion(path, '--version'));
  const version = answer && /(\d+(?:\.\d+)+)/.exec(answer)?.[1];
  if (!language || !version) {
    throw new OperatorError(
      `Cannot determine the version of ${path}, configured for runtime ${runtime}.`,
    );
  }
  return { language, path: await realpath(path), version };
}

function languageOf(runtime: string): Language | undefined {
  const family = /^(nodejs|python|java|ruby|dotnet)/.exec(runtime)?.[1];
  return family === 'nodejs' ? 'node' : languages.find((language) => language === family);
}

const languages: readonly Language[] = ['python', 'java', 'ruby', 'dotnet'];

/** Time for a program of a runtime to print its version. */
const answerMilliseconds = 5000;

async function askVersion(command: string, argument: string): Promise<string | undefined> {
  const child = startChild({ command, arguments: [argument], environment: {}, directory: '/' });
  let output = '';
  // Some say it on standard error.
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text.slice(0, 1000);
    });
  }
  const timer = setTimeout(() => child.kill(), answerMilliseconds);
  const { status } = await child.ended;
  clearTimeout(timer);
  return status === 0 ? output : undefined;
}
