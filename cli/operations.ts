import type { Operation } from '#functions-contract/operation.ts';

/**
 * Every operation of the contract by its word on the command line, file by file, so that a command loads one file only. A
 * test holds the list against the files.
 */
const files: readonly OperationFile[] = [
  {
    words: ['update-function-configuration'],
    load: () => import('#functions-contract/operations/update-function-configuration.ts'),
  },
  {
    words: [
      'create-function',
      'delete-function',
      'get-function',
      'get-function-code-signing-config',
      'get-function-configuration',
      'invoke',
      'list-functions',
      'list-versions-by-function',
      'publish-version',
      'update-function-code',
    ],
    load: () => import('#functions-contract/operations/functions.ts'),
  },
];

interface OperationFile {
  readonly words: readonly string[];
  readonly load: () => Promise<Readonly<Record<string, unknown>>>;
}

export const operationWords: readonly string[] = files.flatMap((file) => file.words).toSorted();

/** Undefined when no operation has that word. */
export async function loadOperation(word: string): Promise<Operation | undefined> {
  const file = files.find((candidate) => candidate.words.includes(word));
  const exported = (await file?.load())?.[exportName(word)];
  return isOperation(exported) ? exported : undefined;
}

const exportName = (word: string): string =>
  word.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'input' in value && 'path' in value;
}
