/**
 * Of rows that are due, those that this server processes: reads pages of `limit` until it has as many or there are no more. The first
 * rows may be those of another server that is busy, and must not hide the others.
 */
export async function readOwn<T>(
  limit: number,
  read: (limit: number, offset: number) => Promise<readonly T[]>,
  isOwn: (row: T) => boolean,
): Promise<T[]> {
  const own: T[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await read(limit, offset);
    own.push(...page.filter(isOwn));
    if (page.length < limit || own.length >= limit) return own;
  }
}
