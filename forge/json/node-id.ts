/** The global id of an object, in its classic form: base 64 of `0`, the type's length, the type and the id. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`0${type.length}:${type}${id}`).toString('base64');
}

/** Global id of what has a numeric id; a longer one names nothing. */
const textCharactersMax = 128;

/** The id of an object of this type from its global id; undefined if the text is invalid or of another type. */
export function idOfNode(type: string, text: string): number | undefined {
  if (text.length > textCharactersMax) return undefined;
  const id = /(\d{1,15})$/.exec(Buffer.from(text, 'base64').toString('latin1'))?.[1];
  return id !== undefined && nodeId(type, Number(id)) === text ? Number(id) : undefined;
}

/** The type and the key of a global id; undefined if the text is none. */
export function parseNodeId(text: string): { type: string; key: string } | undefined {
  if (text.length > nodeIdCharactersMax) return undefined;
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  const [, length, rest = ''] = /^0(\d{1,2}):(.+)$/s.exec(decoded) ?? [];
  if (length === undefined) return undefined;
  const type = rest.slice(0, Number(length));
  const key = rest.slice(Number(length));
  return nodeId(type, key) === text ? { type, key } : undefined;
}

/** Global id in GraphQL; those of refs hold their names. */
const nodeIdCharactersMax = 600;
