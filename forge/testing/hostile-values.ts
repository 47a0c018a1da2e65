import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { TObject, TSchema } from 'typebox';

import { anyCharacter } from '#platform/testing/any-character.ts';

/** Texts that programs stumble over. */
export const nastyTexts: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '9007199254740993',
  '99999999999999999999',
  'null',
  'undefined',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '../../etc/passwd',
  '.git',
  '.lock',
  '-x',
  '--output=x',
  'a b',
  "'; drop table accounts; --",
  '<script>alert(1)</script>',
  '%00',
  '%2e%2e%2f',
  'a\u0000b',
  'a\nb',
  'a\r\nx-injected: 1',
  '\ud800',
  '\u202e',
  '\ufeff',
  'ﷺ',
  '🎉',
  'İ',
  'ß',
  'a'.repeat(300),
  'ä'.repeat(3000),
  'refs/heads/main',
  'HEAD',
  '0'.repeat(40),
  'f'.repeat(40),
  '1970-01-01T00:00:00Z',
  '275760-09-13T00:00:01Z',
  '-000001-01-01',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
];

export const nastyText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ maxLength: 12 }),
);

const nastyNumber: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 0.5, 1e21, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 1e308),
  fc.integer(),
);

const anyJson: Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  nastyNumber,
  nastyText,
  fc.array(nastyText, { maxLength: 3 }),
  fc.dictionary(nastyText, nastyNumber, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body of a request, as bytes: of the endpoint's schema, close to it, or not even JSON. */
export function hostileBody(schema: TObject): Arbitrary<Buffer | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: fitting(schema).map(bytesOf) },
    { weight: 3, arbitrary: nearly(schema).map(bytesOf) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileBodies) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const hostileBodies: readonly Buffer[] = [
  Buffer.from('{'),
  Buffer.from('"text"'),
  Buffer.from('[]'),
  Buffer.from('null'),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"__proto__":{"title":"x","state":"closed"}}'),
  Buffer.from('{"constructor":{"prototype":{"x":1}}}'),
  Buffer.from('{"title":"a","title":"b","state":"open","state":1}'),
  Buffer.from('{"title":1e999,"number":-1e999}'),
  Buffer.from('{"title":"\\ud800"}'),
  Buffer.from('{"title":"\\u0000"}'),
  Buffer.from(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
  Buffer.from(`{"body":${'['.repeat(20_000)}`),
  Buffer.from('\ufeff{}'),
  Buffer.from(`{"body":"${'x'.repeat(1_100_000)}"}`),
];

/** JSON of the right types, with values that no one expects. */
function fitting(schema: TSchema): Arbitrary<unknown> {
  const constant: unknown = Reflect.get(schema, 'const');
  if (constant !== undefined) return fc.constant(constant);
  const variants: unknown = Reflect.get(schema, 'anyOf');
  if (Array.isArray(variants)) return fc.oneof(...variants.map((each: TSchema) => fitting(each)));
  switch (Reflect.get(schema, 'type')) {
    case 'string':
      return nastyText;
    case 'integer':
      return nastyNumber.map((value) => (Number.isSafeInteger(value) ? value : 7));
    case 'number':
      return nastyNumber;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fitting(fieldOf(schema, 'items')), { maxLength: 3 });
    case 'object':
      return fields(schema, fitting);
    default:
      return anyJson;
  }
}

/** The right fields, some of them with values of wrong types. */
function nearly(schema: TObject): Arbitrary<unknown> {
  return fields(schema, (field) => fc.oneof(fitting(field), anyJson));
}

function fields(
  schema: TSchema,
  valueOf: (field: TSchema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  const properties: unknown = Reflect.get(schema, 'properties') ?? {};
  const model = Object.fromEntries(
    Object.entries(properties as Record<string, TSchema>).map(([name, field]) => [
      name,
      valueOf(field),
    ]),
  );
  return fc.record(model, { requiredKeys: [] });
}

function fieldOf(schema: TSchema, name: string): TSchema {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the items of an array's shape are a shape
  return Reflect.get(schema, name) as TSchema;
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Parameters that lists take, and others, with any value. */
export const hostileQuery: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...listParameters()), nastyText), nastyText), {
        minLength: 1,
        maxLength: 4,
      })
      .map((pairs) => pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')),
  },
  fc.constantFrom(
    '%',
    '%ff=%fe',
    'page=%',
    '&&=&',
    'page[]=1',
    'page=1&page=2',
    '?',
    'callback=a.b',
  ),
);

function listParameters(): string[] {
  return [
    'page',
    'per_page',
    'since',
    'until',
    'before',
    'state',
    'sort',
    'direction',
    'head',
    'base',
    'sha',
    'ref',
    'path',
    'author',
    'labels',
    'milestone',
    'assignee',
    'creator',
    'affiliation',
    'visibility',
    'type',
    'callback',
    'recursive',
    'protected',
    'all',
    'participating',
    'role',
    'access_token',
    'permission',
    'filter',
  ];
}

/** The segment of a path: sometimes as it stands, where a request line allows that. */
export const hostileSegment: Arbitrary<string> = fc.oneof(
  nastyText.map(encoded),
  fc.constantFrom('%', '%zz', '%ff%fe', '%c0%ae', '%2e%2e', '%2f', '..', '.', '%25', ';', ':', '*'),
  fc.constantFrom('x'.repeat(5000), '%F0%9F%8E%89', '0x10', '1.0', '+1', '01', '1%00'),
);

export const hostileHeaders: Arbitrary<Record<string, string>> = fc
  .record(
    {
      accept: fc.oneof(
        fc.constantFrom(
          'application/vnd.github.v3.diff',
          'application/vnd.github.lydian-preview+json',
          'application/vnd.github.v3.raw+json',
          'application/vnd.github.v3.full+json',
          'application/vnd.github.v3.html+json',
          'application/vnd.github..+json',
          'text/plain',
          'text/html',
          ',;,q=',
        ),
        headerText(),
      ),
      'accept-encoding': fc.constantFrom('gzip', 'br', 'gzip;q=0', '*', 'x, y;q=a'),
      'if-none-match': fc.oneof(fc.constantFrom('*', '""', 'W/"x"', '"a", "b"', '"'), headerText()),
      'if-modified-since': fc.oneof(fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT'), headerText()),
      'time-zone': fc.oneof(
        fc.constantFrom('Europe/Berlin', '../../etc/passwd', 'UTC+99', 'a'.repeat(500)),
        headerText(),
      ),
      'content-type': fc.oneof(
        fc.constantFrom('application/json', 'text/plain', ';'),
        headerText(),
      ),
      'x-forwarded-for': fc.oneof(fc.constantFrom('1.2.3.4', '::1, x', ','), headerText()),
      'x-forwarded-host': headerText(),
      'x-forwarded-proto': fc.constantFrom('https', 'javascript', ''),
      'x-github-otp': headerText(),
      'x-http-method-override': fc.constantFrom('DELETE', 'PATCH', ''),
      'x-github-api-version': fc.constantFrom('2022-11-28', '1999-01-01'),
      origin: fc.constantFrom('https://example.test', 'null'),
      range: fc.constantFrom('bytes=0-1', 'bytes=-'),
      cookie: headerText(),
      'user-agent': fc.constantFrom('curl/8.0', 'Mozilla/5.0', 'x'.repeat(2000)),
    },
    { requiredKeys: [] },
  )
  .map((headers) => headers as Record<string, string>);

/** `Authorization` in every shape; undefined leaves it to the caller. */
export const hostileAuthorization: Arbitrary<string | undefined> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  fc.constantFrom(
    '',
    'token',
    'token ',
    'Bearer',
    'bearer x y',
    'Basic',
    'Basic !!!!',
    'Basic Og==',
    `Basic ${Buffer.from('own:').toString('base64')}`,
    `Basic ${Buffer.from('own:\u0000').toString('base64')}`,
    `token ${'x'.repeat(5000)}`,
    'Digest username="own"',
    'token ghp_\u00ff',
  ),
);

/** What may stand in a header at all. */
function headerText(): Arbitrary<string> {
  return nastyText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim());
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
