import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

import type { Operation } from '#functions-contract/operation.ts';
import type { Member, Shape, StringShape } from '#functions-contract/shape.ts';

type Input = Readonly<Record<string, unknown>>;

/** Inputs that the contract of an operation describes, and such as it does not: mostly nearly right. */
export function hostileInput(
  { input }: Operation,
  known: Readonly<Record<string, readonly string[]>>,
): Arbitrary<Input> {
  return membersOf(input.members, (name, member) => {
    const names = known[name];
    if (names === undefined) return located(member, valueOf(member.shape, 0));
    return fc.oneof({ weight: 24, arbitrary: fc.constantFrom(...names) }, located(member, nasty));
  });
}

function membersOf(
  members: Readonly<Record<string, Member>>,
  value: (name: string, member: Member) => Arbitrary<unknown>,
): Arbitrary<Input> {
  const given = Object.entries(members).map(([name, member]) => {
    const weight = member.required ? 20 : 1;
    return fc
      .oneof({ weight, arbitrary: value(name, member) }, fc.constant(undefined))
      .map((chosen): readonly [string, unknown] => [name, chosen]);
  });
  return fc
    .tuple(...given)
    .map((pairs) => Object.fromEntries(pairs.filter(([, chosen]) => chosen !== undefined)));
}

/** What does not travel in JSON is text, and headers carry no line ends. */
function located({ location }: Member, value: Arbitrary<unknown>): Arbitrary<unknown> {
  switch (location.in) {
    case 'path':
      return value.map((any) => textOf(any).toWellFormed() || '-');
    case 'query':
      return value.map((any) => textOf(any).toWellFormed());
    case 'header':
      return value.map((any) => textOf(any).replaceAll(/[^ -~\u00a1-\u00ff]/g, ''));
    case 'payload':
      return fc.oneof(fc.json(), fc.string(), fc.uint8Array({ maxLength: 40 }));
    case 'body':
    case 'status':
      return value;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Deeper than any of the contract's structures. */
const depthMax = 6;

function valueOf(shape: Shape, depth: number): Arbitrary<unknown> {
  const fitting = depth > depthMax ? fc.constant(null) : rightType(shape, depth + 1);
  return fc.oneof({ weight: 24, arbitrary: fitting }, nasty, anything);
}

function rightType(shape: Shape, depth: number): Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return textFor(shape);
    case 'integer':
    case 'long':
    case 'double':
    case 'timestamp':
      return fc.oneof(
        fc.integer({ min: -1, max: 11_000 }),
        fc.constantFrom(0, 128, 512, 2 ** 31, 2 ** 53, -(2 ** 63), 0.5, 1e300),
      );
    case 'boolean':
      return fc.boolean();
    case 'blob':
    case 'stream':
      return fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.constant('not base64 \u0000'));
    case 'list':
      return fc.array(valueOf(shape.item, depth), { maxLength: 7 });
    case 'map':
      return fc.dictionary(fc.oneof(textFor(shape.key), nasty), valueOf(shape.value, depth), {
        maxKeys: 5,
      });
    case 'structure':
      return membersOf(shape.members, (_name, member) => valueOf(member.shape, depth));
  }
}

function textFor({ values, known, pattern, max }: StringShape): Arbitrary<string> {
  const named = [...(values ?? []), ...(known ?? [])];
  const matching = pattern === undefined ? fc.string() : fittingText(pattern);
  const long = fc.constant('x'.repeat((max ?? 1000) + 1));
  return fc.oneof(
    ...(named.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...named) }] : []),
    { weight: 4, arbitrary: matching },
    long,
  );
}

/** Some patterns say things that the generator does not know. */
function fittingText(pattern: string): Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(`^(?:${pattern})$`));
  } catch {
    return fc.string();
  }
}

/** Texts that programs stumble over. */
const nastyTexts: readonly (readonly string[])[] = [
  ['', ' ', '.', '..', '-1', '1e9', 'null', '__proto__', 'constructor', '$LATEST', '%2e%2e%2f'],
  ['a\u0000b', 'a\r\nb: c', '\ud800', '\u202e', 'İß🎉', '=cmd|x', '{{}}', '$HOME', '$(id)'],
  ['arn:aws:lambda', 'arn:aws:lambda:us-east-1:123456789012:function:', 'a:b:c:d:e:f:g:h'],
  ["'; drop table functions; --", 'x'.repeat(3000), '0'.repeat(64), '99999999999999999999'],
];
const nasty: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyTexts.flat()),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const anything: Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
);
