/** The page of a list that its URL asks for by `?page=`; the first one for anything else. */
export function pageNumber(query: URLSearchParams): number {
  const asked = query.get('page') ?? '';
  return /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 1;
}
