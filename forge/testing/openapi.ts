import { createRequire } from 'node:module';

import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * Holds answers against the published description of the interface. Some schemas of that description forbid nulls that
 * the real service sends; those members, and no others, are let be null here.
 */
const nullable: readonly (readonly [schema: string, ...path: string[]])[] = [
  ['pull-request', 'head', 'repo'],
  ['pull-request', 'head', 'label'],
  ['pull-request', 'head', 'user'],
  ['pull-request-simple', 'head', 'repo'],
  ['pull-request-simple', 'head', 'label'],
  ['pull-request-simple', 'head', 'user'],
  ['status', 'description'],
  ['status', 'target_url'],
  ['simple-commit-status', 'description'],
  ['simple-commit-status', 'target_url'],
  ['issue', 'body'],
  ['issue-simple', 'body'],
  ['issue-event-for-issue', 'actor'],
  ['issue-event-for-issue', 'lock_reason'],
  ['pull-request-simple', 'labels', 'description'],
  ['organization-full', 'name'],
  ['organization-full', 'company'],
  ['organization-full', 'blog'],
  ['organization-full', 'location'],
  ['organization-full', 'email'],
];

type Node = Record<string, unknown>;

interface Description {
  readonly ajv: Ajv;
  /** Operation id to its address in the description. */
  readonly operations: ReadonlyMap<string, { path: string; method: string; responses: Node }>;
}

let description: Description | undefined;
const validators = new Map<string, ValidateFunction>();

/** Problems of a 2xx JSON answer, empty when it fits or when the description does not know the operation. */
export function describeMisfit(operation: string, status: number, body: unknown): string[] {
  description ??= load();
  const known = description.operations.get(operation);
  if (!known || !hasJsonSchema(known.responses, status)) return [];
  const key = `${operation} ${status}`;
  let validate = validators.get(key);
  if (!validate) {
    const pointer = ['paths', known.path, known.method, 'responses', String(status), 'content']
      .concat('application/json', 'schema')
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    validate = description.ajv.compile({ $ref: `description#/${pointer}` });
    validators.set(key, validate);
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    (error) => `${operation} ${status}: ${error.instancePath || '/'} ${error.message ?? ''}`,
  );
}

function load(): Description {
  const require = createRequire(import.meta.url);
  const root: Node = require('@octokit/openapi/generated/api.github.com.json');
  for (const [schema, ...path] of nullable) allowNull(root, schema, path);
  allowOfferedPermissions(root);
  allowCapitalAssociations(root);
  allowTemplates(root);
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema({ ...(translate(root) as Node), $id: 'description' });
  const operations = new Map<string, { path: string; method: string; responses: Node }>();
  for (const [path, methods] of Object.entries(root['paths'] as Record<string, Node>)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Node>)) {
      operations.set(String(operation['operationId']), {
        path,
        method,
        responses: operation['responses'] as Node,
      });
    }
  }
  return { ajv, operations };
}

function allowNull(root: Node, schema: string, path: readonly string[]): void {
  const schemas = (root['components'] as Node)['schemas'] as Record<string, Node>;
  let parent: Node | undefined = schemas[schema];
  for (const [index, name] of path.entries()) {
    const object = (parent?.['items'] as Node | undefined) ?? parent;
    const properties = object?.['properties'] as Record<string, Node> | undefined;
    const child = properties?.[name];
    if (!properties || !child) return;
    if (index === path.length - 1) properties[name] = { anyOf: [child, { type: 'null' }] };
    parent = child;
  }
}

/** An invitation answers with all five permissions that it may be given, of which the description lists three. */
function allowOfferedPermissions(root: Node): void {
  const schemas = (root['components'] as Node)['schemas'] as Record<string, Node>;
  const properties = schemas['repository-invitation']?.['properties'] as Record<string, Node>;
  Object.assign(properties['permissions'] ?? {}, {
    enum: ['read', 'write', 'maintain', 'triage', 'admin'],
  });
}

/** The association of a comment's author is in capitals on the wire, as everywhere else. */
function allowCapitalAssociations(root: Node): void {
  const schemas = (root['components'] as Node)['schemas'] as Record<string, Node>;
  const properties = schemas['issue-comment']?.['properties'] as Record<string, Node>;
  properties['author_association'] = { type: 'string', pattern: '^[A-Z_]+$' };
}

/** The root answers with URI templates, which the description takes for URIs. */
function allowTemplates(root: Node): void {
  const operation = (root['paths'] as Record<string, Record<string, Node>>)['/']?.['get'];
  const text = JSON.stringify(operation?.['responses']).replaceAll(',"format":"uri"', '');
  Object.assign(operation ?? {}, { responses: JSON.parse(text) });
}

/** OpenAPI 3.0's dialect as JSON Schema: `nullable` becomes a type, what only documents is dropped. */
function translate(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(translate);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable: mayBeNull, ...members } = node as Node;
  const kept = Object.entries(members).filter(([name]) => !isCommentary(name, members));
  const translated: Node = Object.fromEntries(
    kept.map(([name, value]) => [name, translate(value)]),
  );
  if (mayBeNull !== true) return translated;
  if (typeof translated['type'] === 'string' && translated['enum'] === undefined) {
    return { ...translated, type: [translated['type'], 'null'] };
  }
  return { anyOf: [translated, { type: 'null' }] };
}

function isCommentary(name: string, siblings: Node): boolean {
  // A property may bear one of these names; then its parent has no `type` beside it.
  const schemaLike = 'type' in siblings || '$ref' in siblings || 'schema' in siblings;
  return (
    schemaLike && ['example', 'examples', 'discriminator', 'xml', 'externalDocs'].includes(name)
  );
}

function hasJsonSchema(responses: Node, status: number): boolean {
  const response = responses[String(status)] as Node | undefined;
  const content = response?.['content'] as Node | undefined;
  return (content?.['application/json'] as Node | undefined)?.['schema'] !== undefined;
}
