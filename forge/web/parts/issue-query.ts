/** A query as parameters of the list of issues in the API, and what of it is not understood. */
export interface IssueQuery {
  readonly parameters: URLSearchParams;
  readonly problem: string | undefined;
}

/** Reads `is:open label:"good first" author:ada`. */
export function readIssueQuery(text: string): IssueQuery {
  const parameters = new URLSearchParams({ state: 'all' });
  const labels: string[] = [];
  const unknown: string[] = [];
  for (const [term, name = '', quoted, plain = ''] of text.matchAll(
    /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g,
  )) {
    const value = quoted ?? plain;
    if (name === 'is' && /^(?:open|closed|all)$/.test(value)) parameters.set('state', value);
    else if (name === 'label') labels.push(value);
    else if (name === 'author') parameters.set('creator', value);
    else if (name === 'assignee') parameters.set('assignee', value);
    else if (name === 'milestone' && /^(?:\d{1,15}|none|\*)$/.test(value)) {
      parameters.set('milestone', value);
    } else unknown.push(term);
  }
  if (labels.length > 0) parameters.set('labels', labels.join(','));
  return {
    parameters,
    problem:
      unknown.length === 0
        ? undefined
        : `The filter does not know ${unknown.map((term) => `“${term}”`).join(', ')}.`,
  };
}
