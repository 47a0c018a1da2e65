/** Contexts as their column has them: a JSON array of texts. */
export function parseContexts(text: string): string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError(`Contexts were expected to be an array: ${text}`);
  return value.map(String);
}
