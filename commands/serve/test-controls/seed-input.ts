import Type, { type Static } from 'typebox';

import { scopes } from '#forge/model/scopes.ts';
import { SchemaCheck } from '#platform/schema-check.ts';

import { ControlRefusal, problemIn } from './control-request.ts';

const strict = { additionalProperties: false };
const login = Type.String({ minLength: 1 });
const fullName = Type.String({ pattern: '^[^/]+/[^/]+$' });

const user = Type.Object(
  {
    login,
    email: Type.Optional(Type.String()),
    token: Type.Optional(Type.String({ pattern: '^[!-9;-~]{1,255}$' })),
    scopes: Type.Optional(Type.Array(Type.Union(scopes.map((scope) => Type.Literal(scope))))),
  },
  strict,
);

const commit = Type.Object(
  {
    branch: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    author: Type.Optional(login),
    /** null removes a file. */
    files: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  },
  strict,
);

const issue = Type.Object(
  {
    title: Type.String(),
    body: Type.Optional(Type.String()),
    author: Type.Optional(login),
    state: Type.Optional(Type.Union(['open', 'closed'].map((state) => Type.Literal(state)))),
  },
  strict,
);

const pull = Type.Object(
  {
    title: Type.Optional(Type.String()),
    body: Type.Optional(Type.String()),
    head: Type.String(),
    base: Type.Optional(Type.String()),
    author: Type.Optional(login),
    draft: Type.Optional(Type.Boolean()),
    state: Type.Optional(
      Type.Union(['open', 'closed', 'merged'].map((state) => Type.Literal(state))),
    ),
  },
  strict,
);

const status = Type.Object(
  {
    branch: Type.String(),
    state: Type.String(),
    context: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  },
  strict,
);

const repository = Type.Object(
  {
    name: fullName,
    description: Type.Optional(Type.String()),
    private: Type.Optional(Type.Boolean()),
    collaborators: Type.Optional(Type.Array(login)),
    commits: Type.Optional(Type.Array(commit)),
    statuses: Type.Optional(Type.Array(status)),
    issues: Type.Optional(Type.Array(issue)),
    pulls: Type.Optional(Type.Array(pull)),
  },
  strict,
);

const seededFunction = Type.Object(
  {
    name: Type.String(),
    runtime: Type.Optional(Type.String()),
    handler: Type.Optional(Type.String()),
    role: Type.Optional(Type.String()),
    files: Type.Record(Type.String(), Type.String()),
    environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  strict,
);

const shape = Type.Object(
  {
    clock: Type.Optional(Type.String()),
    users: Type.Optional(Type.Array(user)),
    organizations: Type.Optional(Type.Array(Type.Object({ login, owner: login }, strict))),
    repositories: Type.Optional(Type.Array(repository)),
    functions: Type.Optional(Type.Array(seededFunction)),
  },
  strict,
);
const check = new SchemaCheck(shape);

/** What a server is filled with before a test. */
export type Seed = Static<typeof shape>;
export type SeededRepository = Static<typeof repository>;
export type SeededCommit = Static<typeof commit>;
export type SeededIssue = Static<typeof issue>;
export type SeededPull = Static<typeof pull>;
export type SeededFunction = Static<typeof seededFunction>;

/** Reads YAML 1.2, of which JSON is a part. Loads the library only now: most servers have no seed. */
export async function readSeed(text: string): Promise<Seed> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw new ControlRefusal(422, `The seed is not YAML: ${error.message}`);
  const given: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (check.accepts(given)) return given;
  throw new ControlRefusal(422, `The seed: ${problemIn('it', check.problems(given))}`);
}
