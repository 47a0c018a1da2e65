import type { Operation } from '#functions-contract/operation.ts';

export interface NamedOperation {
  /** Its name on the command line. */
  readonly command: string;
  readonly operation: Operation;
}

/**
 * Every operation of the contract by its word on the command line, file by file, so that a command loads one file only. A
 * test holds the list against the files.
 */
const files: readonly OperationFile[] = [
  {
    args: ['update-function-configuration'],
    load: () => import('#functions-contract/operations/update-function-configuration.ts'),
  },
  {
    args: ['create-alias', 'delete-alias', 'get-alias', 'list-aliases', 'update-alias'],
    load: () => import('#functions-contract/operations/aliases.ts'),
  },
  {
    args: [
      'create-capacity-provider',
      'delete-capacity-provider',
      'get-capacity-provider',
      'list-capacity-providers',
      'list-function-versions-by-capacity-provider',
      'update-capacity-provider',
    ],
    load: () => import('#functions-contract/operations/capacity-providers.ts'),
  },
  {
    args: [
      'create-code-signing-config',
      'delete-code-signing-config',
      'delete-function-code-signing-config',
      'get-code-signing-config',
      'get-function-code-signing-config',
      'list-code-signing-configs',
      'list-functions-by-code-signing-config',
      'put-function-code-signing-config',
      'update-code-signing-config',
    ],
    load: () => import('#functions-contract/operations/code-signing.ts'),
  },
  {
    args: [
      'delete-function-concurrency',
      'delete-provisioned-concurrency-config',
      'get-account-settings',
      'get-function-concurrency',
      'get-provisioned-concurrency-config',
      'list-provisioned-concurrency-configs',
      'put-function-concurrency',
      'put-provisioned-concurrency-config',
    ],
    load: () => import('#functions-contract/operations/concurrency.ts'),
  },
  {
    args: [
      'checkpoint-durable-execution',
      'get-durable-execution',
      'get-durable-execution-history',
      'get-durable-execution-state',
      'list-durable-executions-by-function',
      'send-durable-execution-callback-failure',
      'send-durable-execution-callback-heartbeat',
      'send-durable-execution-callback-success',
      'stop-durable-execution',
    ],
    load: () => import('#functions-contract/operations/durable-executions.ts'),
  },
  {
    args: [
      'delete-function-event-invoke-config',
      'get-function-event-invoke-config',
      'list-function-event-invoke-configs',
      'put-function-event-invoke-config',
      'update-function-event-invoke-config',
    ],
    load: () => import('#functions-contract/operations/event-invoke-config.ts'),
  },
  {
    args: [
      'create-event-source-mapping',
      'delete-event-source-mapping',
      'get-event-source-mapping',
      'list-event-source-mappings',
      'update-event-source-mapping',
    ],
    load: () => import('#functions-contract/operations/event-source-mappings.ts'),
  },
  {
    args: [
      'create-function-url-config',
      'delete-function-url-config',
      'get-function-url-config',
      'list-function-url-configs',
      'update-function-url-config',
    ],
    load: () => import('#functions-contract/operations/function-urls.ts'),
  },
  {
    args: [
      'create-function',
      'delete-function',
      'get-function',
      'get-function-configuration',
      'invoke',
      'list-functions',
      'list-versions-by-function',
      'publish-version',
      'update-function-code',
    ],
    load: () => import('#functions-contract/operations/functions.ts'),
  },
  {
    args: ['invoke-async'],
    load: () => import('#functions-contract/operations/invoke-async.ts'),
  },
  {
    args: ['invoke-with-response-stream'],
    load: () => import('#functions-contract/operations/invoke-with-response-stream.ts'),
  },
  {
    args: [
      'add-layer-version-permission',
      'delete-layer-version',
      'get-layer-version',
      'get-layer-version-by-arn',
      'get-layer-version-policy',
      'list-layer-versions',
      'list-layers',
      'publish-layer-version',
      'remove-layer-version-permission',
    ],
    load: () => import('#functions-contract/operations/layers.ts'),
  },
  {
    args: ['get-function-logs'],
    load: () => import('#functions-contract/operations/logs.ts'),
  },
  {
    args: ['add-permission', 'get-policy', 'remove-permission'],
    load: () => import('#functions-contract/operations/permissions.ts'),
  },
  {
    args: ['create-push-deployment', 'delete-push-deployment', 'list-push-deployments'],
    load: () => import('#functions-contract/operations/push-deployments.ts'),
  },
  {
    args: ['get-function-recursion-config', 'put-function-recursion-config'],
    load: () => import('#functions-contract/operations/recursion.ts'),
  },
  {
    args: ['get-runtime-management-config', 'put-runtime-management-config'],
    load: () => import('#functions-contract/operations/runtime-management.ts'),
  },
  {
    args: ['list-tags', 'tag-resource', 'untag-resource'],
    load: () => import('#functions-contract/operations/tags.ts'),
  },
];

interface OperationFile {
  readonly args: readonly string[];
  readonly load: () => Promise<Readonly<Record<string, unknown>>>;
}

export const operationCommands: readonly string[] = files.flatMap((file) => file.args).toSorted();

/** Undefined when no operation has that word. */
export async function loadOperation(command: string): Promise<Operation | undefined> {
  const file = files.find((candidate) => candidate.args.includes(command));
  const exported = (await file?.load())?.[exportName(command)];
  return isOperation(exported) ? exported : undefined;
}

const exportName = (command: string): string =>
  command.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'input' in value && 'path' in value;
}
