/** The arguments of every connection. */
export const page = 'after: String, before: String, first: Int, last: Int';

/** A connection and its edges; `more` are fields of the connection that others do not have. */
export function connection(of: string, { name = of, more = '' } = {}): string {
  return `
type ${name}Connection { edges: [${name}Edge] nodes: [${of}] pageInfo: PageInfo! totalCount: Int! ${more} }
type ${name}Edge { cursor: String! node: ${of} }
`;
}
