/** The page of a list that its address asks for by `?page=`; the first one for anything else. */
export function listPage<T>(
  all: readonly T[],
  query: URLSearchParams,
  size: number,
): { readonly number: number; readonly shown: readonly T[]; readonly hasNext: boolean } {
  const asked = query.get('page') ?? '';
  const number = /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 1;
  const end = number * size;
  return { number, shown: all.slice(end - size, end), hasNext: end < all.length };
}
