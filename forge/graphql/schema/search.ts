/** Searches by the query language of GitHub. */
export const searchTypes = `
union SearchResultItem = Issue | Organization | PullRequest | Repository | User
type SearchResultItemConnection {
  codeCount: Int!
  discussionCount: Int!
  edges: [SearchResultItemEdge]
  issueCount: Int!
  nodes: [SearchResultItem]
  pageInfo: PageInfo!
  repositoryCount: Int!
  userCount: Int!
  wikiCount: Int!
}
type SearchResultItemEdge { cursor: String! node: SearchResultItem }
enum SearchType { DISCUSSION ISSUE REPOSITORY USER }
`;
