import {
  allowAnyHomepage,
  allowBlankUrls,
  allowNulls,
  type Node,
  openDescription,
  type PublishedDescription,
  schemasOf,
} from './published-description.ts';

/**
 * The interface as it is today: what clients of today take for granted. It describes the service, which has more than
 * a server of version 3; what differs is let pass here, each with its reason, and nowhere else.
 */
export const descriptionOfToday: PublishedDescription = openDescription(
  'openapi-23/generated/api.github.com.json',
  (root) => {
    allowAnyHomepage(root);
    allowNulls(root, nullable);
    allowBlankUrls(root);
    allowPayloadsOfThen(root);
    allowUsersWithApps(root);
    allowSuspensions(root);
  },
);

/** Fields that the description forbids to be null and the real service sends null in. */
const nullable: readonly (readonly [schema: string, ...path: string[]])[] = [
  // The fork that a pull came from has been deleted.
  ['pull-request', 'head', 'repo'],
  ['pull-request', 'head', 'label'],
  ['pull-request', 'head', 'user'],
  ['pull-request-simple', 'head', 'repo'],
  ['pull-request-simple', 'head', 'label'],
  ['pull-request-simple', 'head', 'user'],
  // Later commits have changed the line.
  ['pull-request-review-comment', 'position'],
  ['pull-request-review-comment', 'line'],
  ['review-comment', 'position'],
  ['review-comment', 'line'],
  // Without a body there is none in other forms either.
  ['issue', 'body_html'],
  ['issue', 'body_text'],
  ['issue-search-result-item', 'body'],
  ['issue-search-result-item', 'body_html'],
  ['issue-search-result-item', 'body_text'],
  // Labels need no description, of which the description of the labels themselves knows.
  ['pull-request-simple', 'labels', 'description'],
  // Blank fields are null (docs/specification/forge.md 2.1).
  ['organization-full', 'name'],
  ['organization-full', 'company'],
  ['organization-full', 'blog'],
  ['organization-full', 'location'],
  ['organization-full', 'email'],
  ['team-organization', 'name'],
  ['team-organization', 'company'],
  ['team-organization', 'blog'],
  ['team-organization', 'location'],
  ['team-organization', 'email'],
];

/** Events show their resources as version 3 did; today's are cut down to other fields, kind by kind. */
function allowPayloadsOfThen(root: Node): void {
  const properties = schemasOf(root)['event']?.['properties'] as Record<string, Node>;
  properties['payload'] = { type: 'object' };
}

/** The enterprise server shows when a user was suspended. */
function allowSuspensions(root: Node): void {
  const properties = schemasOf(root)['public-user']?.['properties'] as Record<string, Node>;
  properties['suspended_at'] = { type: 'string', format: 'date-time', nullable: true };
}

/** In the list of installations, an account would have to be a user and an enterprise at once; alone, it is either. */
function allowUsersWithApps(root: Node): void {
  const operation = (root['paths'] as Record<string, Record<string, Node>>)['/app/installations'];
  const items = { $ref: '#/components/schemas/installation' };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  Object.assign(operation?.['get'] ?? {}, { responses: { 200: { content } } });
}
