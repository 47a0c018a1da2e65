/** The order of a search: by `sort` and `order`, or by `sort:updated-asc` in the query, which comes first. */
export function readSearchOrder<const Sort extends string>(
  sorts: readonly Sort[],
  inQuery: string | undefined,
  query: { readonly sort: string | null; readonly order: string | null },
): { readonly by: Sort | undefined; readonly descending: boolean } {
  const [, name, direction] = /^(.+?)(?:-(asc|desc))?$/s.exec(inQuery ?? '') ?? [];
  const asked = name ?? query.sort ?? undefined;
  const by = sorts.find((sort) => sort === asked);
  return { by, descending: (direction ?? query.order) !== 'asc' };
}

/** Results of a search, the first ones, as on GitHub. */
export const resultsMax = 1000;
