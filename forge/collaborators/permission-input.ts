import { type GrantedPermission, parseApiPermission } from '../model/permission.ts';
import { refuse } from '../errors/api-error.ts';

/**
 * Reads `permission` of an added collaborator: pull, push, triage, maintain or admin; undefined if absent. Other values are
 * quoted in the error message, in GitHub's notation.
 */
export function readRequestedPermission(value: unknown): GrantedPermission | undefined {
  if (value === undefined || value === null) return undefined;
  const permission = typeof value === 'string' ? parseApiPermission(value) : undefined;
  if (permission) return permission;
  const quoted =
    typeof value === 'string' ? value.slice(0, quotedCharactersMax) : inspect(value, 0);
  return refuse({ kind: 'unprocessable', message: `\`${quoted}\` is not a valid permission.` });
}

/** Characters that the refusal of a `permission` quotes of it. */
const quotedCharactersMax = 200;
/** Fields that the refusal of a `permission` quotes of it. */
const fieldsMax = 10;
/** Depth to which the refusal of a `permission` quotes it. */
const depthMax = 3;

/** Ruby's `inspect`, truncated for long values. */
function inspect(value: unknown, depth: number): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, quotedCharactersMax));
  if (typeof value !== 'object') return JSON.stringify(value);
  if (depth === depthMax) return Array.isArray(value) ? '[...]' : '{...}';
  if (Array.isArray(value)) {
    const items = value.slice(0, fieldsMax).map((item) => inspect(item, depth + 1));
    return `[${items.join(', ')}]`;
  }
  const fields = Object.entries(value).slice(0, fieldsMax);
  const pairs = fields.map(
    ([name, item]) => `${inspect(name, depth)}=>${inspect(item, depth + 1)}`,
  );
  return `{${pairs.join(', ')}}`;
}
