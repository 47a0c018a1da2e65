import { connection, connectionArguments } from './sdl.ts';

const projects = `
  projects(${connectionArguments}, orderBy: ProjectOrder, search: String, states: [ProjectState!]): ProjectConnection!
  projectsV2(${connectionArguments}, minPermissionLevel: ProjectV2PermissionLevel = READ,
    orderBy: ProjectV2Order = {field: NUMBER, direction: DESC}, query: String): ProjectV2Connection!`;

/** Projects, of both kinds, and gists: programs list them without asking whether there are any. */
export const projectTypes = `
extend type Repository { ${projects} }
extend type Organization { ${projects} }
extend type User {
  ${projects}
  gists(${connectionArguments}, orderBy: GistOrder, privacy: GistPrivacy): GistConnection!
}
type Project implements Node {
  body: String closed: Boolean! id: ID! name: String! number: Int! resourcePath: URI! state: ProjectState! url: URI!
}
${connection('Project')}
enum ProjectState { CLOSED OPEN }
input ProjectOrder { direction: OrderDirection! field: ProjectOrderField! }
enum ProjectOrderField { CREATED_AT NAME UPDATED_AT }
type ProjectColumn implements Node { id: ID! name: String! }
type ProjectCard implements Node { column: ProjectColumn id: ID! project: Project! }
${connection('ProjectCard')}
type ProjectV2 implements Node {
  closed: Boolean! id: ID! number: Int! public: Boolean! resourcePath: URI! shortDescription: String title: String!
  url: URI!
}
${connection('ProjectV2')}
enum ProjectV2PermissionLevel { ADMIN READ WRITE }
input ProjectV2Order { direction: OrderDirection! field: ProjectV2OrderField! }
enum ProjectV2OrderField { CREATED_AT NUMBER TITLE UPDATED_AT }
type ProjectV2ItemFieldSingleSelectValue implements Node { id: ID! name: String optionId: String }
union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue
type ProjectV2Item implements Node { fieldValueByName(name: String!): ProjectV2ItemFieldValue id: ID! project: ProjectV2! }
${connection('ProjectV2Item')}
type Gist implements Node {
  createdAt: DateTime! description: String files(limit: Int = 10, oid: GitObjectID): [GistFile] id: ID!
  isPublic: Boolean! name: String! updatedAt: DateTime! url: URI!
}
${connection('Gist')}
type GistFile { name: String size: Int }
enum GistPrivacy { ALL PUBLIC SECRET }
input GistOrder { direction: OrderDirection! field: GistOrderField! }
enum GistOrderField { CREATED_AT PUSHED_AT UPDATED_AT }
`;
