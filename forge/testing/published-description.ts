import { createRequire } from 'node:module';

import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

import type { Declaration } from '../routing/endpoint.ts';

export type Node = Record<string, unknown>;

/** By method and path, since names of operations change; by operation id if the path is not described. */
export type DescribedOperation = Pick<Declaration, 'operation' | 'method' | 'path'>;

/** A published description of the interface, which answers can be held against. */
export interface PublishedDescription {
  /** Problems of a 2xx JSON response; none where the description has no schema for it. */
  violations(operation: DescribedOperation, status: number, body: unknown): string[];
}

/** The schemas of a description, before they are first used. */
export type Schemas = Record<string, Node>;

/**
 * Opens a description in OpenAPI 3.0. The file is large and few of its schemas are ever needed, so it is read at the
 * first question, and a schema is translated and compiled when the first response is held against it.
 */
export function openDescription(file: string, adjust: (root: Node) => void): PublishedDescription {
  let opened: Opened | undefined;
  const validators = new Map<string, ValidateFunction | undefined>();
  return {
    violations(operation, status, body) {
      const key = `${operation.operation} ${status}`;
      if (!validators.has(key)) {
        opened ??= open(file, adjust);
        const schema = jsonSchemaOf(responsesOf(opened, operation), status);
        validators.set(key, schema && opened.compile(schema));
      }
      const validate = validators.get(key);
      if (!validate || validate(body)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${key}: ${instancePath || '/'} ${message ?? ''}`,
      );
    },
  };
}

/** The schemas of a description that operations share. */
export function schemasOf(root: Node): Schemas {
  return (root['components'] as { schemas: Schemas }).schemas;
}

/** Lets fields be null that a description forbids to be; a path goes through properties and the items of lists. */
export function allowNulls(
  root: Node,
  fields: readonly (readonly [schema: string, ...path: string[]])[],
): void {
  for (const [schema, ...path] of fields) allowNull(schemasOf(root)[schema], path);
}

/** Homepages are stored unchanged, also those of organizations, and most without `https://` are no URI. */
export function allowAnyHomepage(root: Node): void {
  for (const schema of Object.values(schemasOf(root))) {
    const properties = schema['properties'] as Record<string, Node> | undefined;
    delete properties?.['homepage']?.['format'];
    delete properties?.['blog']?.['format'];
  }
}

/** URLs of a deployment are '' by default, which is no URI. */
export function allowBlankUrls(root: Node): void {
  const properties = schemasOf(root)['deployment-status']?.['properties'] as Record<string, Node>;
  for (const name of ['target_url', 'environment_url', 'log_url']) {
    delete properties[name]?.['format'];
  }
}

interface Opened {
  /** The answers of an operation, by method and the shape of its path and by its name. */
  readonly operations: ReadonlyMap<string, Node>;
  compile(schema: Node): ValidateFunction;
}

function allowNull(schema: Node | undefined, path: readonly string[]): void {
  let parent = schema;
  for (const [index, name] of path.entries()) {
    const object = (parent?.['items'] as Node | undefined) ?? parent;
    const properties = object?.['properties'] as Record<string, Node> | undefined;
    const child = properties?.[name];
    if (!properties || !child) throw new Error(`the description has no ${path.join('.')}`);
    if (index === path.length - 1) properties[name] = { anyOf: [child, { type: 'null' }] };
    parent = child;
  }
}

function open(file: string, adjust: (root: Node) => void): Opened {
  const root: Node = createRequire(import.meta.url)(file);
  adjust(root);
  const schemas = schemasOf(root);
  // To optimize a validator costs more than a test run saves by it.
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    inlineRefs: false,
    validateSchema: false,
    code: { optimize: false },
  });
  formats.default(ajv);
  // Not formats of JSON Schema.
  ajv.addFormat('uri-template', true).addFormat('repo.nwo', true).addFormat('timestamp', true);
  const added = new Set<string>();
  const addWithAllBelow = (node: Node): Node => {
    const references = new Set<string>();
    const translated = translate(node, references) as Node;
    for (const name of references) {
      if (added.has(name)) continue;
      added.add(name);
      ajv.addSchema({ ...addWithAllBelow(schemas[name] ?? {}), $id: schemaId(name) });
    }
    return translated;
  };
  return {
    operations: operationsOf(root),
    compile: (schema) => ajv.compile(addWithAllBelow(schema)),
  };
}

function operationsOf(root: Node): Map<string, Node> {
  const operations = new Map<string, Node>();
  for (const [path, methods] of Object.entries(root['paths'] as Record<string, Node>)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Node>)) {
      const responses = operation['responses'] as Node;
      operations.set(`${method.toUpperCase()} ${shapeOf(path)}`, responses);
      operations.set(String(operation['operationId']), responses);
    }
  }
  return operations;
}

function responsesOf({ operations }: Opened, declared: DescribedOperation): Node | undefined {
  const { operation, method, path } = declared;
  return operations.get(`${method} ${shapeOf(path)}`) ?? operations.get(operation);
}

/** `/repos/:owner/:repo` and `/repos/{owner}/{repo}` are one: parameters have other names now and then. */
function shapeOf(path: string): string {
  return path.replace(/\{[^}]+\}|:\w+|\*/g, '{}');
}

function jsonSchemaOf(responses: Node | undefined, status: number): Node | undefined {
  const response = responses?.[String(status)] as Node | undefined;
  const content = response?.['content'] as Node | undefined;
  return (content?.['application/json'] as Node | undefined)?.['schema'] as Node | undefined;
}

/** OpenAPI 3.0's dialect as JSON Schema: `nullable` becomes a type, what only documents is dropped. */
function translate(node: unknown, references: Set<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => translate(item, references));
  if (typeof node !== 'object' || node === null) return node;
  const { nullable: mayBeNull, ...fields } = node as Node;
  const translated: Node = {};
  for (const [name, value] of Object.entries(fields)) {
    if (isCommentary(name, fields)) continue;
    if (name === '$ref' && typeof value === 'string') {
      const schema = value.slice('#/components/schemas/'.length);
      references.add(schema);
      translated['$ref'] = schemaId(schema);
    } else translated[name] = translate(value, references);
  }
  if (mayBeNull !== true) return translated;
  if (typeof translated['type'] === 'string' && translated['enum'] === undefined) {
    return { ...translated, type: [translated['type'], 'null'] };
  }
  return { anyOf: [translated, { type: 'null' }] };
}

function schemaId(schema: string): string {
  return `schema:${schema}`;
}

function isCommentary(name: string, siblings: Node): boolean {
  // A property may bear one of these names; then its parent has no `type` itself.
  const schemaLike = 'type' in siblings || '$ref' in siblings || 'schema' in siblings;
  return (
    schemaLike && ['example', 'examples', 'discriminator', 'xml', 'externalDocs'].includes(name)
  );
}
