import {
  allowAnyHomepage,
  allowBlankUrls,
  allowNulls,
  type Node,
  openDescription,
  type PublishedDescription,
  schemasOf,
} from './published-description.ts';

/** The interface as it was while it had previews (docs/specification/forge.md 8.3). */
export const descriptionOfThen: PublishedDescription = openDescription(
  '@octokit/openapi/generated/api.github.com.json',
  (root) => {
    allowAnyHomepage(root);
    allowNulls(root, nullable);
    allowBlankUrls(root);
    allowTextAsPayload(root);
    allowOfferedPermissions(root);
    allowCapitalAssociations(root);
    allowTemplates(root);
    allowPayloadsWithoutAction(root);
    allowNumbersOfWeeks(root);
  },
);

/** Fields that the description forbids to be null and the real service sends null in; these and no others may be. */
const nullable: readonly (readonly [schema: string, ...path: string[]])[] = [
  ['pull-request', 'head', 'repo'],
  ['pull-request', 'head', 'label'],
  ['pull-request', 'head', 'user'],
  ['pull-request-simple', 'head', 'repo'],
  ['pull-request-simple', 'head', 'label'],
  ['pull-request-simple', 'head', 'user'],
  ['repository', 'template_repository', 'description'],
  ['repository', 'template_repository', 'homepage'],
  ['repository', 'template_repository', 'language'],
  ['repository', 'template_repository', 'mirror_url'],
  ['status', 'description'],
  ['status', 'target_url'],
  ['simple-commit-status', 'description'],
  ['simple-commit-status', 'target_url'],
  ['issue', 'body'],
  ['issue', 'body_html'],
  ['issue', 'body_text'],
  ['issue-simple', 'body'],
  ['issue-simple', 'body_html'],
  ['issue-simple', 'body_text'],
  ['issue-search-result-item', 'body'],
  ['issue-search-result-item', 'body_html'],
  ['issue-search-result-item', 'body_text'],
  ['issue-event-for-issue', 'actor'],
  ['issue-event-for-issue', 'lock_reason'],
  ['pull-request-simple', 'labels', 'description'],
  ['pull-request-review-comment', 'position'],
  ['pull-request-review-comment', 'line'],
  ['review-comment', 'position'],
  ['review-comment', 'line'],
  ['organization-full', 'name'],
  ['organization-full', 'company'],
  ['organization-full', 'blog'],
  ['organization-full', 'location'],
  ['organization-full', 'email'],
];

/** An invitation answers with all five permissions that it may be given, of which the description lists three. */
function allowOfferedPermissions(root: Node): void {
  const schemas = schemasOf(root);
  const properties = schemas['repository-invitation']?.['properties'] as Record<string, Node>;
  Object.assign(properties['permissions'] ?? {}, {
    enum: ['read', 'write', 'maintain', 'triage', 'admin'],
  });
}

/** The association of a comment's author is in capitals on the wire, as everywhere else. */
function allowCapitalAssociations(root: Node): void {
  const schemas = schemasOf(root);
  const properties = schemas['issue-comment']?.['properties'] as Record<string, Node>;
  properties['author_association'] = { type: 'string', pattern: '^[A-Z_]+$' };
}

/** The root answers with URI templates, which the description takes for URIs. */
function allowTemplates(root: Node): void {
  const operation = (root['paths'] as Record<string, Record<string, Node>>)['/']?.['get'];
  const text = JSON.stringify(operation?.['responses']).replaceAll(',"format":"uri"', '');
  Object.assign(operation ?? {}, { responses: JSON.parse(text) });
}

/** The week of a contributor is a number, as in the description of today. */
function allowNumbersOfWeeks(root: Node): void {
  const contributor = schemasOf(root)['contributor-activity']?.['properties'];
  const weeks = (contributor as Record<string, { readonly items: Node }>)['weeks'];
  const fields = weeks?.items['properties'] as Record<string, Node> | undefined;
  if (fields) fields['w'] = { type: 'integer' };
}

/** A deployment answers with the payload that it was given, an object or a text. */
function allowTextAsPayload(root: Node): void {
  for (const name of ['deployment', 'deployment-simple']) {
    const properties = schemasOf(root)[name]?.['properties'] as Record<string, Node> | undefined;
    if (properties) properties['payload'] = {};
  }
}

/** Events of pushes, refs and new public repositories have no action, and comments on commits no issue, of which the description knows nothing. */
function allowPayloadsWithoutAction(root: Node): void {
  const schemas = schemasOf(root);
  const properties = schemas['event']?.['properties'] as Record<string, Node>;
  delete properties['payload']?.['required'];
  const payload = properties['payload']?.['properties'] as Record<string, Node>;
  const onCommit = { $ref: '#/components/schemas/commit-comment' };
  payload['comment'] = { anyOf: [payload['comment'], onCommit] };
}
