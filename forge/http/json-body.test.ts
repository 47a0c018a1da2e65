import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import Type from 'typebox';

import { endpoints } from '../routes.ts';
import { bodyParser, parseJsonObject } from './json-body.ts';
import { type FieldError, RefusalError } from '../errors/api-error.ts';
import { resourceOf } from './resource-names.ts';

describe('a body that does not fit', () => {
  /** The entries of the refusal. */
  function errorsOf(parse: () => unknown): readonly FieldError[] {
    try {
      parse();
    } catch (error) {
      assert.ok(error instanceof RefusalError);
      assert.ok(error.refusal.kind === 'validation-failed', error.refusal.kind);
      return error.refusal.errors;
    }
    assert.fail('it was taken');
  }

  const shape = Type.Object({
    title: Type.String(),
    base: Type.String(),
    draft: Type.Optional(Type.Boolean()),
    state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
  });
  const parse = bodyParser(shape, 'PullRequest');

  test('is refused with every field that is missing or of another type', () => {
    assert.deepEqual(
      errorsOf(() => parse({ title: 5, draft: 'yes', state: 'shut', other: {} })),
      [
        {
          resource: 'PullRequest',
          field: 'base',
          code: 'missing_field',
          message: `"base" wasn't supplied.`,
        },
        {
          resource: 'PullRequest',
          field: 'title',
          code: 'invalid',
          message: `For 'properties/title', 5 is not a string.`,
        },
        {
          resource: 'PullRequest',
          field: 'draft',
          code: 'invalid',
          message: `For 'properties/draft', "yes" is not a boolean.`,
        },
        {
          resource: 'PullRequest',
          field: 'state',
          code: 'invalid',
          message: 'shut is not a member of ["open", "closed"].',
        },
      ],
    );
  });

  for (const [name, schema, value, message] of [
    [
      'an integer that is too small',
      Type.Integer({ minimum: 1 }),
      0,
      '0 must be greater than or equal to 1.',
    ],
    [
      'an integer that is too large',
      Type.Union([Type.Integer({ maximum: 9 }), Type.Null()]),
      10,
      '10 must be less than or equal to 9.',
    ],
    ['a fraction', Type.Integer({ minimum: 1 }), 1.5, '1.5 is not an integer.'],
    [
      'a long string',
      Type.Union([Type.String({ maxLength: 2 }), Type.Null()]),
      'abc',
      '"abc" must not have more than 2 characters.',
    ],
    [
      'a long array',
      Type.Array(Type.String(), { maxItems: 1 }),
      ['a', 'b'],
      '["a", "b"] must not have more than 1 items.',
    ],
  ] as const) {
    test(`is refused for ${name} with what is wrong with it`, () => {
      const check = bodyParser(Type.Object({ x: schema }), 'Issue');
      const [error] = errorsOf(() => check({ x: value }));
      assert.equal(error?.message, `For 'properties/x', ${message}`);
    });
  }

  test('is refused with the part of a field that does not fit', () => {
    const comment = Type.Object({ path: Type.String(), line: Type.Optional(Type.Integer()) });
    const check = bodyParser(Type.Object({ comments: Type.Array(comment) }), 'Review');
    const messageOf = (comments: unknown): string | undefined =>
      errorsOf(() => check({ comments }))[0]?.message;
    assert.equal(
      messageOf([{ path: 'a' }, { path: 'a', line: '1' }]),
      `For 'properties/comments/1/line', "1" is not an integer.`,
    );
    assert.equal(messageOf([{}]), `For 'properties/comments/0', "path" wasn't supplied.`);
    assert.equal(messageOf({}), `For 'properties/comments', {} is not an array.`);
  });

  test('is refused with the field whose text cannot be stored', () => {
    const body = Buffer.from(JSON.stringify({ title: 'x', labels: [{ name: 'a\u0000' }] }));
    const [error] = errorsOf(() => parseJsonObject(body, 'Issue'));
    assert.deepEqual([error?.resource, error?.field, error?.code], ['Issue', 'labels', 'invalid']);
  });

  // To compile the schema of the items for each of them takes ten seconds, in which nobody is served.
  test('is refused soon for the last item of a long list', () => {
    const list = bodyParser(Type.Object({ names: Type.Array(Type.String()) }), 'List');
    const names: unknown[] = Array.from({ length: 199_000 }, () => 'x');
    const started = performance.now();
    const [error] = errorsOf(() => list({ names: [...names, 1] }));
    assert.equal(error?.message, "For 'properties/names/199000', 1 is not a string.");
    assert.ok(performance.now() - started < 4000);
  });

  const withBody = endpoints.filter(
    ({ bodySchema }) => Object.keys(bodySchema.properties).length > 0,
  );

  test('has a resource of a name at every endpoint', () => {
    assert.ok(withBody.length > 60);
    for (const { declaration } of withBody) {
      assert.match(resourceOf(declaration.path), /^[A-Z][A-Za-z]+$/, declaration.path);
    }
    assert.throws(() => resourceOf('/nowhere'));
  });

  for (const { declaration, bodySchema } of withBody) {
    const required = [
      ...(bodySchema.required ?? []),
      ...Object.keys(Reflect.get(bodySchema, 'requiredUnless') ?? {}),
    ];
    if (required.length === 0) continue;
    test(`of ${declaration.operation} lists the missing ${required.join(', ')}`, () => {
      const resource = resourceOf(declaration.path);
      const errors = errorsOf(() => bodyParser(bodySchema, resource)({}));
      assert.deepEqual(
        errors.map(({ field, code }) => [field, code]),
        required.map((field) => [field, 'missing_field']),
      );
    });
  }
});
