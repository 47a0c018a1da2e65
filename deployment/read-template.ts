import { functionNameLengthMax } from '#functions-contract/limits.ts';
import { present } from '#platform/present.ts';

import { readFunctionUrl } from './read-function-url.ts';
import { readQueues } from './read-queues.ts';
import type { FunctionTemplate, Template } from './template.ts';
import { TemplateValues, type Value } from './template-values.ts';

/** The files that may have the template of a folder, in this order. */
export const templateNames = ['template.yaml', 'template.yml', 'template.json'];

/** Template that is deployed, by `hob functions deploy` or, in the process of the server, by a push. */
export const templateBytesMax = 64 * 1024;

/** Functions of a template. */
const functionsMax = 100;

export type TemplateReading =
  | { readonly kind: 'template'; readonly template: Template }
  /** Sentences with file and line. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/**
 * Reads the functions of a SAM template. What would have no effect here is refused, each with its line and a reason.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html
 */
export function readTemplate(text: string, file: string): TemplateReading {
  if (Buffer.byteLength(text) > templateBytesMax) {
    return { kind: 'refused', problems: [`${file} has more than ${templateBytesMax} bytes.`] };
  }
  const values = new TemplateValues(text, file);
  if (values.problems.length > 0) return { kind: 'refused', problems: values.problems };
  const sections = sectionsOf(values);
  readParameters(values, sections.get('Parameters'));
  const globals = readGlobals(values, sections.get('Globals'));
  const functions = readResources(values, sections.get('Resources'), globals);
  if (values.problems.length > 0) return { kind: 'refused', problems: values.problems };
  return { kind: 'template', template: { functions } };
}

/** `Description`, `Metadata` and `Outputs` change no function. */
const sectionNames = new Set([
  'AWSTemplateFormatVersion',
  'Transform',
  'Description',
  'Metadata',
  'Outputs',
  'Parameters',
  'Globals',
  'Resources',
]);

function sectionsOf(values: TemplateValues): Map<string, Value> {
  const sections = new Map(values.entries(values.root).map(({ key, value }) => [key, value]));
  for (const [name, value] of sections) {
    if (!sectionNames.has(name)) values.refuse(value, 'this section is not supported.');
  }
  const transform = sections.get('Transform');
  if (transform && values.text(transform) !== serverless) {
    values.refuse(transform, `only ${serverless} is supported.`);
  }
  return sections;
}

const serverless = 'AWS::Serverless-2016-10-31';

function readParameters(values: TemplateValues, section: Value | undefined): void {
  if (!section) return;
  for (const { key, value } of values.entries(section)) {
    const initial = values.find(value, 'Default');
    const text = initial && values.text(initial);
    if (text !== undefined) values.setParameter(key, text);
  }
}

function readGlobals(values: TemplateValues, section: Value | undefined): Properties {
  const properties: Properties = new Map();
  if (!section) return properties;
  for (const { key, value } of values.entries(section)) {
    if (key !== 'Function') {
      values.refuse(value, 'only Function is supported in Globals.');
      continue;
    }
    const found = propertiesOf(values, value);
    const [events] = found.get('Events') ?? [];
    if (events) values.refuse(events, 'Events are not supported in Globals.');
    return found;
  }
  return properties;
}

/** The values of a property: those of Globals come before that of the function. */
type Properties = Map<string, readonly Value[]>;

function propertiesOf(values: TemplateValues, value: Value, globals?: Properties): Properties {
  const properties: Properties = new Map(globals);
  for (const entry of values.entries(value)) {
    const reason = reasonToRefuse(entry.key);
    if (reason !== undefined) values.refuse(entry.value, reason);
    properties.set(entry.key, [...(globals?.get(entry.key) ?? []), entry.value]);
  }
  return properties;
}

const propertyNames = new Set([
  'Architectures',
  'AutoPublishAlias',
  'CodeUri',
  'Description',
  'Environment',
  'EphemeralStorage',
  'Events',
  'FunctionName',
  'FunctionUrlConfig',
  'Handler',
  'Layers',
  'MemorySize',
  'Role',
  'Runtime',
  'Timeout',
]);

function reasonToRefuse(name: string): string | undefined {
  if (propertyNames.has(name)) return undefined;
  switch (name) {
    case 'Policies':
      return 'roles have no policies on this server. Remove it.';
    case 'InlineCode':
    case 'ImageUri':
    case 'PackageType':
      return 'only code in a folder is supported: use CodeUri.';
    default:
      return 'deploy does not support this property. Remove it, and set it with update-function-configuration: deploy leaves it as it is.';
  }
}

function readResources(
  values: TemplateValues,
  section: Value | undefined,
  globals: Properties,
): FunctionTemplate[] {
  if (!section) {
    values.refuse(values.root, 'the template has no Resources.');
    return [];
  }
  const functions: FunctionTemplate[] = [];
  const names = new Set<string>();
  const resources = values.entries(section);
  if (resources.length > functionsMax) {
    values.refuse(section, `more than ${functionsMax} functions are not supported.`);
    return [];
  }
  for (const { key, value } of resources) {
    const read = readResource(values, key, value, globals);
    if (!read) continue;
    if (names.has(read.name)) values.refuse(value, `two functions are named ${read.name}.`);
    names.add(read.name);
    functions.push(read);
  }
  return functions;
}

function readResource(
  values: TemplateValues,
  logicalId: string,
  resource: Value,
  globals: Properties,
): FunctionTemplate | undefined {
  let properties: Properties | undefined;
  let type: string | undefined;
  for (const { key, value } of values.entries(resource)) {
    if (key === 'Type') type = values.text(value);
    else if (key === 'Properties') properties = propertiesOf(values, value, globals);
    else values.refuse(value, 'only Type and Properties are supported: nothing is built.');
  }
  if (type !== 'AWS::Serverless::Function') {
    const named = type === undefined ? 'it has no Type' : `it is ${type}`;
    values.refuse(resource, `${named}: only AWS::Serverless::Function is supported.`);
    return undefined;
  }
  return readFunction(values, logicalId, resource, properties ?? new Map(globals));
}

function readFunction(
  values: TemplateValues,
  logicalId: string,
  resource: Value,
  properties: Properties,
): FunctionTemplate | undefined {
  const all = (name: string): readonly Value[] => properties.get(name) ?? [];
  const text = (name: string): string | undefined =>
    mapped(all(name).at(-1), (v) => values.text(v));
  const integer = (name: string): number | undefined =>
    mapped(all(name).at(-1), (value) => values.integer(value));
  // Lists of Globals and of the function are concatenated, mappings merged, other values replaced.
  const texts = (name: string): string[] | undefined =>
    all(name).length === 0
      ? undefined
      : all(name).flatMap((value) => values.list(value, (item) => values.text(item)));
  const storage = all('EphemeralStorage').map((value) => values.onlyMember(value, 'Size'));
  const size = mapped(storage.at(-1), (value) => values.integer(value));
  const codeUri = readCodeUri(values, resource, all('CodeUri').at(-1));
  const architectures = all('Architectures').at(-1);
  const settings = {
    Runtime: text('Runtime'),
    Handler: text('Handler'),
    Role: text('Role'),
    Description: text('Description'),
    Timeout: integer('Timeout'),
    MemorySize: integer('MemorySize'),
    EphemeralStorage: size === undefined ? undefined : { Size: size },
    Architectures: mapped(architectures, (value) =>
      values.list(value, (item) => values.text(item)),
    ),
    Layers: texts('Layers'),
    Environment: readEnvironment(values, all('Environment')),
  };
  const url = readFunctionUrl(values, all('FunctionUrlConfig').at(-1));
  const queues = readQueues(values, all('Events').at(-1));
  const alias = text('AutoPublishAlias');
  const name = text('FunctionName') ?? logicalId;
  // It also names a commit status.
  if (!plainName.test(name)) {
    const message = `FunctionName must be 1 to ${functionNameLengthMax} letters, digits, hyphens and underscores; without one it is the key of the resource.`;
    values.refuse(all('FunctionName').at(-1) ?? resource, message);
  }
  if (codeUri === undefined) return undefined;
  return {
    logicalId,
    name,
    codeUri,
    settings: present(settings),
    url,
    queues,
    alias,
  };
}

const plainName = new RegExp(String.raw`^[\w-]{1,${functionNameLengthMax}}$`);

/** Below the folder of the template, so that a checkout and a repository mean the same. */
function readCodeUri(
  values: TemplateValues,
  resource: Value,
  value: Value | undefined,
): string | undefined {
  if (!value) {
    values.refuse(resource, 'CodeUri is missing: the folder of the code.');
    return undefined;
  }
  const text = values.text(value);
  if (text === undefined) return undefined;
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (/^(?:\/|\w+:)|\\/.test(text) || parts.includes('..')) {
    values.refuse(value, 'CodeUri must be a relative path below the folder of the template.');
    return undefined;
  }
  return parts.join('/');
}

function readEnvironment(
  values: TemplateValues,
  environments: readonly Value[],
): { Variables: Record<string, string> } | undefined {
  if (environments.length === 0) return undefined;
  const variables = environments.flatMap((value) => {
    const member = values.onlyMember(value, 'Variables');
    return member ? values.entries(member) : [];
  });
  return {
    Variables: Object.fromEntries(
      variables.map(({ key, value }) => [key, values.text(value) ?? '']),
    ),
  };
}

function mapped<T>(value: Value | undefined, read: (value: Value) => T | undefined): T | undefined {
  return value && read(value);
}
