import { resolve } from 'node:path';

import type { CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';

/** Why a file named on the command line could not be read, as the text after "Error parsing parameter". */
export class ParameterFileProblem extends Error {}

/** What a word means: the text of `file://`, the bytes of `fileb://`, else the word. Nothing is fetched from a network. */
export function readParameterFile(
  argument: string,
  context: Pick<CliContext, 'directory' | 'environment' | 'home'>,
): string | Uint8Array {
  const scheme = ['file://', 'fileb://'].find((prefix) => argument.startsWith(prefix));
  if (scheme === undefined) return argument;
  const path = expandedPath(argument.slice(scheme.length), context);
  const bytes = readBytes(argument, path, context.directory);
  if (scheme === 'fileb://') return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ParameterFileProblem(
      `Unable to load paramfile (${path}), text contents could not be decoded.  If this is a binary file, please use the fileb:// prefix instead of the file:// prefix.`,
      { cause: error },
    );
  }
}

function readBytes(argument: string, path: string, directory: string): Uint8Array {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(resolve(directory, path));
  } catch (error) {
    throw new ParameterFileProblem(
      `Unable to load paramfile ${argument}: ${systemReason(error)}: '${path}'`,
      { cause: error },
    );
  }
}

/** `~` at the beginning, and `$NAME` or `${NAME}` of variables that are set. */
function expandedPath(path: string, context: Pick<CliContext, 'environment' | 'home'>): string {
  return path
    .replace(/^~(?=\/|$)/, () => context.home)
    .replaceAll(
      /\$(\w+)|\$\{([^}]*)\}/g,
      (whole, unbraced?: string, braced?: string) =>
        context.environment[unbraced ?? braced ?? ''] ?? whole,
    );
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: '[Errno 2] No such file or directory',
  EACCES: '[Errno 13] Permission denied',
  ENOTDIR: '[Errno 20] Not a directory',
  EISDIR: '[Errno 21] Is a directory',
};

function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (error instanceof Error ? error.message : 'cannot be read');
}

/** The value of an option cannot be read. */
export class ParameterProblem extends CliError {
  /** What could be meant, shown to people. */
  readonly hint: string | undefined;

  constructor(parameter: string, problem: string, hint?: string) {
    super(252, `Error parsing parameter '${parameter}': ${problem}`);
    this.name = 'ParameterProblem';
    this.hint = hint;
  }
}
