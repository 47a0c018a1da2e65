/** The global id of an object, in its classic form: base 64 of `0`, the type's length, the type and the id. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`0${type.length}:${type}${id}`).toString('base64');
}
