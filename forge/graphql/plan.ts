import type {
  Document,
  FieldSelection,
  Operation,
  SourceLocation,
  Selection,
  Value,
} from './document.ts';
import { DocumentError } from './graphql-error.ts';

/** A field to be answered, checked against the schema, its fragments laid out. */
export interface PlannedField {
  /** What the response calls it: the alias, else the name. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly arguments: ReadonlyMap<string, Value>;
  readonly fields: readonly PlannedField[];
  readonly location: SourceLocation;
}

/** Fragments in fragments multiply: what they come to is limited, not what is written. */
const selectionsMax = 1000;

/** Lays out what an operation asks for, or refuses the document before anything of it is done. */
export function planOperation(document: Document, operation: Operation): PlannedField[] {
  if (operation.kind !== 'mutation') {
    const [first] = operation.selections;
    throw new DocumentError(
      `The operation type ${operation.kind} is not supported. ${supported}`,
      first?.location,
    );
  }
  const budget = { left: selectionsMax };
  return planFields('Mutation', operation.selections, { document, budget, inside: [] });
}

interface Planning {
  readonly document: Document;
  readonly budget: { left: number };
  /** The fragments being laid out, to find those that hold themselves. */
  readonly inside: readonly string[];
}

function planFields(
  type: string,
  selections: readonly Selection[],
  planning: Planning,
): PlannedField[] {
  const grouped = new Map<string, FieldSelection>();
  for (const field of layOut(type, selections, planning)) {
    const key = field.alias ?? field.name;
    const before = grouped.get(key);
    if (before) refuseConflict(key, before, field);
    const both = [...(before?.selections ?? []), ...field.selections];
    grouped.set(key, { ...field, selections: both });
  }
  return [...grouped].map(([key, field]) => planField(type, key, field, planning));
}

/** The fields of a selection and of the fragments in it. */
function layOut(
  type: string,
  selections: readonly Selection[],
  planning: Planning,
): FieldSelection[] {
  return selections.flatMap((selection) => {
    planning.budget.left -= 1;
    if (planning.budget.left < 0) {
      const message = `The document selects more than ${selectionsMax} fields.`;
      throw new DocumentError(message, selection.location);
    }
    switch (selection.kind) {
      case 'field':
        return [selection];
      case 'inline':
        refuseForeign(type, selection.on ?? type, selection.location);
        return layOut(type, selection.selections, planning);
      case 'spread': {
        const { name, location } = selection;
        const fragment = planning.document.fragments.get(name);
        if (!fragment)
          throw new DocumentError(`Fragment ${name} was used, but not defined`, location);
        if (planning.inside.includes(name)) {
          throw new DocumentError(`Fragment ${name} contains itself`, location);
        }
        refuseForeign(type, fragment.on, location);
        const inside = [...planning.inside, name];
        return layOut(type, fragment.selections, { ...planning, inside });
      }
    }
  });
}

function refuseForeign(type: string, on: string, location: SourceLocation): void {
  if (on === type || interfaces[type]?.includes(on)) return;
  throw new DocumentError(`Fragment on ${on} can't be spread inside ${type}`, location);
}

function planField(
  type: string,
  key: string,
  field: FieldSelection,
  planning: Planning,
): PlannedField {
  const { name, location, selections } = field;
  const fields = schema[type] ?? {};
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const of = name === '__typename' ? 'leaf' : own;
  if (of === undefined) {
    const named = Object.keys(fields).join(', ');
    const hint = type === 'Mutation' ? supported : `Fields: ${named}.`;
    throw new DocumentError(`Field '${name}' doesn't exist on type '${type}'. ${hint}`, location);
  }
  if (of === 'leaf' && selections.length > 0) {
    throw new DocumentError(`Selections can't be made on the scalar '${name}'`, location);
  }
  if (of !== 'leaf' && selections.length === 0) {
    throw new DocumentError(`Field must have selections ('${name}' returns ${of})`, location);
  }
  if (type !== 'Mutation' && field.arguments.size > 0) {
    throw new DocumentError(`Field '${name}' takes no arguments`, location);
  }
  const below = of === 'leaf' ? [] : planFields(of, selections, planning);
  return { key, name, type: of, arguments: field.arguments, fields: below, location };
}

/** One key of the response cannot hold two things, and nothing is done twice for one key. */
function refuseConflict(key: string, before: FieldSelection, next: FieldSelection): void {
  if (before.name === next.name && before.arguments.size === 0 && next.arguments.size === 0) return;
  throw new DocumentError(
    `'${key}' is selected twice with different meanings: use an alias.`,
    next.location,
  );
}

/** What there is to ask for: each type with its fields, and what those are of; `leaf` has no fields of its own. */
const schema: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Mutation: {
    markPullRequestReadyForReview: 'MarkPullRequestReadyForReviewPayload',
    convertPullRequestToDraft: 'ConvertPullRequestToDraftPayload',
  },
  MarkPullRequestReadyForReviewPayload: { clientMutationId: 'leaf', pullRequest: 'PullRequest' },
  ConvertPullRequestToDraftPayload: { clientMutationId: 'leaf', pullRequest: 'PullRequest' },
  PullRequest: {
    id: 'leaf',
    databaseId: 'leaf',
    number: 'leaf',
    url: 'leaf',
    title: 'leaf',
    body: 'leaf',
    state: 'leaf',
    isDraft: 'leaf',
    closed: 'leaf',
    merged: 'leaf',
    baseRefName: 'leaf',
    headRefName: 'leaf',
    headRefOid: 'leaf',
    createdAt: 'leaf',
    updatedAt: 'leaf',
  },
};

/** Interfaces that a fragment may name instead of the type itself. */
const interfaces: Readonly<Record<string, readonly string[]>> = {
  PullRequest: ['Node', 'Closable', 'Comment', 'UniformResourceLocatable'],
};

/** Part of every error about an unsupported field. */
const supported =
  'The GraphQL API supports only the mutations markPullRequestReadyForReview and convertPullRequestToDraft. Use the REST API for everything else.';
