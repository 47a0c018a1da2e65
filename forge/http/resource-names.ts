/**
 * The value of `errors[].resource` (docs/specification/forge.md 4.3) by the endpoint's path; the first match counts. Every endpoint with a body
 * needs one: a path without a match fails the start.
 */
const resources: readonly (readonly [path: RegExp, resource: string])[] = [
  [/\/branches\/:branch\/protection/, 'ProtectedBranch'],
  [/\/pulls(?:\/:pull_number)?\/comments/, 'PullRequestReviewComment'],
  [/\/pulls\/:pull_number\/reviews/, 'PullRequestReview'],
  [/\/pulls/, 'PullRequest'],
  [/\/issues(?:\/:issue_number)?\/comments/, 'IssueComment'],
  [/\/issues/, 'Issue'],
  [/\/labels/, 'Label'],
  [/\/milestones/, 'Milestone'],
  [/\/releases\/(?:assets|:release_id\/assets)/, 'ReleaseAsset'],
  [/\/releases/, 'Release'],
  [/\/invitations/, 'RepositoryInvitation'],
  [/\/deployments\/:deployment_id\/statuses/, 'DeploymentStatus'],
  [/\/deployments/, 'Deployment'],
  [/\/statuses/, 'Status'],
  [/\/check-runs/, 'CheckRun'],
  [/\/hooks/, 'Hook'],
  [/\/keys$/, 'PublicKey'],
  [/\/notifications/, 'Notification'],
  [/\/forks$/, 'Fork'],
  [/\/dispatches$/, 'Dispatch'],
  [/\/merges$/, 'Merge'],
  [/\/contents\//, 'Content'],
  [/\/git\/refs/, 'Reference'],
  [/\/git\/blobs$/, 'Blob'],
  [/\/git\/trees$/, 'Tree'],
  [/\/git\/commits$/, 'Commit'],
  [/\/git\/tags$/, 'Tag'],
  [/\/teams\/:team_slug\/memberships/, 'TeamMember'],
  [/\/teams\/:team_slug\/repos/, 'TeamRepository'],
  [/\/teams/, 'Team'],
  [/\/memberships/, 'OrganizationMember'],
  [/^\/applications|\/authorizations$/, 'OauthAccess'],
  [/^\/admin\/users$/, 'User'],
  [/^\/admin\/organizations$/, 'Organization'],
  [/^\/app\/installations\//, 'Installation'],
  [/^\/app\/hook\//, 'Hook'],
  [/^\/user\/email/, 'UserEmail'],
  [/^\/(?:user|users\/:username\/suspended)$/, 'User'],
  [/^\/orgs\/:org$/, 'Organization'],
  [/^\/graphql$/, 'Query'],
  [/^\/(?:repos\/|user\/repos$|orgs\/:org\/repos$)/, 'Repository'],
];

export function resourceOf(path: string): string {
  const found = resources.find(([pattern]) => pattern.test(path));
  if (!found) throw new Error(`${path} has a body, and no resource in resource-names.ts`);
  return found[1];
}
