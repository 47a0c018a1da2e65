/** The global id of an object, in its classic form: base 64 of `0`, the type's length, the type and the id. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`0${type.length}:${type}${id}`).toString('base64');
}

/** Longer than any global id. */
const textCharactersMax = 128;

/** The id of an object of this type from its global id; undefined if the text is invalid or of another type. */
export function idOfNode(type: string, text: string): number | undefined {
  if (text.length > textCharactersMax) return undefined;
  const id = /(\d+)$/.exec(Buffer.from(text, 'base64').toString('latin1'))?.[1];
  return id !== undefined && nodeId(type, Number(id)) === text ? Number(id) : undefined;
}
